import type { ToolInfo } from "@toolmount/core";
import type { Generation } from "../mount/generation.ts";
import { compareLocks, makeLock, type LockChange, type PlanLock } from "../plan/lock-file.ts";

/** Tools of a generation's entries that differ from the lock file; empty without a lock file. */
export function findLockChanges(
  lock: PlanLock | undefined,
  { mounted }: Generation,
  tools: readonly ToolInfo[],
): LockChange[] {
  if (lock === undefined) return [];
  const ofEntries = mounted.filter(({ use }) => use.entry !== null);
  const modules = new Map(
    ofEntries.map(({ use, resolution: { version }, integrity }) => [use.id, { version, integrity }]),
  );
  return compareLocks(
    lock,
    makeLock(
      tools.filter(({ owner }) => modules.has(owner)),
      modules,
    ),
  );
}
