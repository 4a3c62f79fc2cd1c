import type { HostOptions } from "@toolmount/core";
import type { Environment } from "./interpolate.ts";
import type { GivenModules } from "./resolve.ts";

/** What `openHost` may be given; everything has a default. */
export interface OpenHostOptions extends HostOptions {
  /** Fills `${VAR}` in the plan. Default `process.env`. */
  readonly env?: Environment | undefined;
  /** Where a plan is searched from, and the folder of a plan that is no file. Default `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** Modules in memory, by the name a plan gives them; functions import theirs when it is needed. */
  readonly extensions?: GivenModules | undefined;
  /** Milliseconds that one import, or one mount, may take. Default 30000. */
  readonly startTimeoutMs?: number | undefined;
}
