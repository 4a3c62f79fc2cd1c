import type { JsonObject } from "@toolmount/core";
import type { Profile } from "@toolmount/core/validation";
import type { ArgumentTable } from "../trial/trial-calls.ts";
import type { Extension } from "../trial/trial.ts";
import type { CheckStep } from "./external-findings.ts";

/** Options of `checkToolModule`. */
export interface CheckOptions {
  /** The config that a plan would pass. Default `{}`, with the defaults of the module's config schema. */
  readonly config?: JsonObject | undefined;
  /** Valid arguments, by the tool's name. The check calls the tools with them even if they have side effects. */
  readonly valid?: ArgumentTable | undefined;
  /** Arguments that a tool must refuse, by the tool's name. */
  readonly invalid?: ArgumentTable | undefined;
  /**
   * Arguments of calls whose results leave something out, by the tool's name. Each of these results must have `omitted`. If the
   * option is used, it must name every tool of the module, with an empty list for a tool that leaves nothing out.
   */
  readonly partial?: ArgumentTable | undefined;
  /** Rules in addition to those of the core. A profile with an origin is applied only to tools of that origin. */
  readonly profiles?: readonly Profile[] | undefined;
  /** Modules to mount first. Default: `@toolmount/interop`, for tools of other contracts. */
  readonly extensions?: readonly Extension[] | undefined;
  /** Services that the module looks up with `getCapability`. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** The `toolmount` part of the package's `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>> | null | undefined;
  /** The URL from which the module is imported. If it is given, two fresh processes also read the definitions. */
  readonly url?: string | undefined;
  /** URLs of the extensions for these fresh processes. */
  readonly extensionUrls?: readonly string[] | undefined;
  /** Whether tools that write, delete, act or ask for confirmation are also called with `{}` and invalid input. */
  readonly sideEffects?: boolean | undefined;
  /** Milliseconds that importing, mounting and each call may take. Default 10000. */
  readonly timeoutMs?: number | undefined;
  /** Called before each step, so that a watching process can name a step that never ends. */
  readonly onStep?: ((step: CheckStep) => void) | undefined;
}
