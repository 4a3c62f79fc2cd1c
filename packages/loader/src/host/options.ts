import type { HostLink, HostOptions } from "@toolmount/core";
import type { Environment } from "../plan/interpolate.ts";
import type { GivenModules } from "../modules/source.ts";
import type { ModuleSourceResolver, SourceSchemes } from "../modules/source-resolver.ts";

/** Options of `openHost`; everything has a default. */
export interface OpenHostOptions extends HostOptions {
  /** Values of `${VAR}` in the plan. Default `process.env`. */
  readonly env?: Environment | undefined;
  /** Where a plan is searched from, and the folder of a plan that is not a file. Default `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** Modules in memory, by the name that a plan uses for them; a function imports its module when it is needed. */
  readonly extensions?: GivenModules | undefined;
  /** Names of overlays, lowest first: for `plan.yaml`, `production` is `plan.production.yaml` in the same folder. */
  readonly overlays?: readonly string[] | undefined;
  /** Opens the plan as if it had no lock file, to see its tools as they are now. */
  readonly ignoreLock?: boolean | undefined;
  /** Finds modules of source schemes that the application defines. */
  readonly schemes?: SourceSchemes | undefined;
  /** Finds modules before the loader searches; it is mounted at `module-source-resolver`. */
  readonly resolver?: ModuleSourceResolver | undefined;
  /** Milliseconds that one import, or one mount, may take. Default 30000. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Whether the host opens before optional MCP servers have answered; their tools arrive later, with the event `mcp:changed`.
   * Default false: the host opens when each of them has answered or failed.
   */
  readonly laterServers?: boolean | undefined;
  /**
   * Returns the hosts for which this one runs, as its client names them. It is called before a server of the plan starts.
   * `hostsAbove` of `@toolmount/mcp` reads them from a client over stdio. The environment can name further hosts.
   */
  readonly above?: (() => Promise<readonly HostLink[]>) | undefined;
  /**
   * Milliseconds that a reload waits for running calls of modules that it removes or mounts again; then it aborts them.
   * By default it does not wait: such a call ends in its own time, at the latest at its own timeout, and the module ends
   * after it. Background work of such a module ends with the module.
   */
  readonly drainMs?: number | undefined;
  /**
   * The path of a new file that records the calls of this host: JSON lines, secrets masked, mode 0600. It must not exist. A
   * function instead receives each of these lines, without the header.
   */
  readonly record?: string | ((line: string) => void) | undefined;
  /** The path of a recorded file. No tool runs: calls are answered from the file, and differences are in `replayDifferences()`. */
  readonly replay?: string | undefined;
}
