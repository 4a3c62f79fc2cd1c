import type { HostOptions } from "@toolmount/core";
import type { Environment } from "../plan/interpolate.ts";
import type { GivenModules } from "../modules/resolve.ts";
import type { ModuleSourceResolver, SourceSchemes } from "../modules/source-resolver.ts";

/** What `openHost` may be given; everything has a default. */
export interface OpenHostOptions extends HostOptions {
  /** Fills `${VAR}` in the plan. Default `process.env`. */
  readonly env?: Environment | undefined;
  /** Where a plan is searched from, and the folder of a plan that is no file. Default `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** Modules in memory, by the name a plan gives them; functions import theirs when it is needed. */
  readonly extensions?: GivenModules | undefined;
  /** Names of overlays, lowest first: of `plan.yaml`, `production` is `plan.production.yaml` beside it. */
  readonly overlays?: readonly string[] | undefined;
  /** Opens the plan as if it had no lock: to see what there is now. */
  readonly ignoreLock?: boolean | undefined;
  /** Finds modules of schemes of your own. */
  readonly schemes?: SourceSchemes | undefined;
  /** Says where modules are, before the loader looks; it is mounted at `module-source-resolver`. */
  readonly resolver?: ModuleSourceResolver | undefined;
  /** Milliseconds that one import, or one mount, may take. Default 30000. */
  readonly startTimeoutMs?: number | undefined;
}
