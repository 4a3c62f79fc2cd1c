import type { JsonObject } from "@toolmount/core";
import type { Profile } from "@toolmount/core/validation";
import type { ArgumentTable } from "../trial/trial-calls.ts";
import type { Extension } from "../trial/trial.ts";
import type { CheckStep } from "./external-findings.ts";

/** How `checkToolModule` checks a module. */
export interface CheckOptions {
  /** The config that a plan would pass. Default `{}`, with the defaults of the module's config schema. */
  readonly config?: JsonObject | undefined;
  /** Valid arguments, by the tool's name. These calls are made even when the tool has side effects. */
  readonly valid?: ArgumentTable | undefined;
  /** Arguments that a tool must refuse, by its name. */
  readonly invalid?: ArgumentTable | undefined;
  /**
   * Arguments of calls whose results leave something out, by the tool's name. Each of these results must have `omitted`. With
   * the option, every tool of the module is named: one that leaves nothing out with an empty list.
   */
  readonly partial?: ArgumentTable | undefined;
  /** Rules beside those of the core. A profile with an origin is applied to tools of that origin only. */
  readonly profiles?: readonly Profile[] | undefined;
  /** Modules to mount first. Default: `@toolmount/interop`, for tools of other contracts. */
  readonly extensions?: readonly Extension[] | undefined;
  /** Services that the module looks up with `getCapability`. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** The `toolmount` part of the package's `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>> | null | undefined;
  /** The URL that the module is imported from. With it, two fresh processes read the definitions, too. */
  readonly url?: string | undefined;
  /** URLs of the extensions, for those processes. */
  readonly extensionUrls?: readonly string[] | undefined;
  /** Also calls tools that write, delete or act with `{}` and invalid input. */
  readonly sideEffects?: boolean | undefined;
  /** Milliseconds that importing, mounting and each call may take. Default 10000. */
  readonly timeoutMs?: number | undefined;
  /** Called before each step, so that a watching process can name the step that never ends. */
  readonly onStep?: ((step: CheckStep) => void) | undefined;
}
