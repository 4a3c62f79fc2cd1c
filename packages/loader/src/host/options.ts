import type { HostLink, HostOptions } from "@toolmount/core";
import type { Environment } from "../plan/interpolate.ts";
import type { GivenModules } from "../modules/source.ts";
import type { ModuleSourceResolver, SourceSchemes } from "../modules/source-resolver.ts";

/** Options of `openHost`; everything has a default. */
export interface OpenHostOptions extends HostOptions {
  /** Values of `${VAR}` in the plan. Default `process.env`. */
  readonly env?: Environment | undefined;
  /** The folder from which a plan is searched, and the folder of a plan that is a value. Default `process.cwd()`. */
  readonly cwd?: string | undefined;
  /**
   * Modules that the application gives, by the name that a plan uses for them. A function imports its module when a plan needs
   * it.
   */
  readonly extensions?: GivenModules | undefined;
  /** Names of overlays, lowest first: for `plan.yaml`, `production` is `plan.production.yaml` in the same folder. */
  readonly overlays?: readonly string[] | undefined;
  /** Opens the plan as if it had no lock file, so that no tool is denied because it changed. */
  readonly ignoreLock?: boolean | undefined;
  /** Finds modules for schemes of `source` that the application defines. */
  readonly schemes?: SourceSchemes | undefined;
  /** Finds modules before the loader itself searches. It is mounted at `module-source-resolver`. */
  readonly resolver?: ModuleSourceResolver | undefined;
  /** Milliseconds that one import, or one mount, may take. Default 30000. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Whether the host opens before optional MCP servers have answered. Their tools are then added later, with the event
   * `mcp:changed`. Default false: the host opens when each of them has answered or failed.
   */
  readonly laterServers?: boolean | undefined;
  /**
   * Returns the hosts for which this host runs, as its client names them, so that a plan that serves itself is noticed. It is
   * called before a server of the plan starts. `hostsAbove` of `@toolmount/mcp` reads these hosts from a client over stdio. The
   * environment can name further hosts.
   */
  readonly above?: (() => Promise<readonly HostLink[]>) | undefined;
  /**
   * Milliseconds that a reload waits for running calls of modules that it removes or mounts again, before it aborts them. By
   * default it does not wait: such a call ends by itself, at the latest at its timeout, and its module ends after it. Background
   * work of the module ends with the module.
   */
  readonly drainMs?: number | undefined;
  /**
   * The path of a new file that records the calls of this host: JSON lines, secrets masked, mode 0600. It must not exist. A
   * function instead receives each of these lines, without the header.
   */
  readonly record?: string | ((line: string) => void) | undefined;
  /**
   * The path of a recorded file. No tool runs then: the file answers the calls, and `replayDifferences()` returns how they
   * differ.
   */
  readonly replay?: string | undefined;
}
