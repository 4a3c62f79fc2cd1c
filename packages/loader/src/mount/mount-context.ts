import type { Logger } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import type { PlanMap } from "../diagnostics/positions.ts";
import type { ImportContext } from "../modules/import-resolved.ts";
import type { Lookup } from "../modules/resolve.ts";
import type { GivenModules } from "../modules/source.ts";
import type { ModuleSourceResolver, SourceSchemes } from "../modules/source-resolver.ts";
import type { PlanLock } from "../plan/lock-file.ts";
import type { LoadedPlan } from "./load-plan.ts";

export interface MountContext extends ImportContext {
  readonly lookup: Lookup;
  readonly logger: Logger;
  readonly map: PlanMap;
  /** The lock file's content; undefined without a lock. */
  readonly lock: PlanLock | undefined;
  /** Digest of the lock file's content; null without a lock. */
  readonly lockDigest: string | null;
  /** Replaces the values of variables in a text with the variables' names. */
  readonly mask: (text: string) => string;
}

interface MountOptions extends ImportContext {
  readonly logger: Logger;
  readonly conditions: readonly string[];
  readonly extensions: GivenModules;
  readonly schemes?: SourceSchemes | undefined;
  readonly resolver?: ModuleSourceResolver | undefined;
}

export function createMountContext(
  { opened, map, mask, lock }: LoadedPlan,
  { logger, clock, startTimeoutMs, startedAt, conditions, extensions, schemes, resolver }: MountOptions,
): MountContext {
  const lookup = { folder: opened.folder, given: extensions, conditions, schemes, resolver };
  const lockDigest = lock === undefined ? null : digestOf(lock);
  return { lookup, logger, clock, startTimeoutMs, startedAt, map, mask, lock, lockDigest };
}
