import { ToolmountError } from "@toolmount/core";
import type { Resolution } from "../modules/resolve.ts";
import type { Building } from "./generation.ts";
import type { PreparedUse } from "./prepare-module.ts";

interface Resolved {
  readonly resolution: Resolution | undefined;
}

/** Returns the capabilities that must be registered before a module mounts, by its manifest. */
export function needsOf({ resolution }: Resolved): readonly string[] {
  return resolution?.manifest?.needs ?? [];
}

/** Returns the capabilities that a module registers, by its manifest. */
export function providesOf({ resolution }: Resolved): readonly string[] {
  return resolution?.manifest?.provides ?? [];
}

/**
 * Orders modules so that each comes after those that it needs, and otherwise as in the plan. If modules need each other in a
 * circle, the first of them is refused when it is mounted.
 */
export function orderByNeeds<Use extends Resolved>(uses: readonly Use[]): Use[] {
  const ordered = new Set<Use>();
  const entered = new Set<Use>();
  const place = (use: Use) => {
    if (entered.has(use)) return;
    entered.add(use);
    for (const need of needsOf(use))
      for (const other of uses) if (providesOf(other).includes(need)) place(other);
    ordered.add(use);
  };
  for (const use of uses) place(use);
  return [...ordered];
}

/** Returns an error if a module cannot be mounted because a module that it needs has failed, or needs this module itself. */
export function findUnmetNeed(
  { mounted, failed, ordered }: Building,
  prepared: PreparedUse,
): ToolmountError | undefined {
  for (const need of needsOf(prepared)) {
    const provides = (other: Parameters<typeof providesOf>[0]) => providesOf(other).includes(need);
    if (mounted.some(provides)) continue;
    const culprit = failed.find(provides)?.use.id;
    // A module that it needs comes later only if both need each other.
    const later = ordered.find(provides);
    if (culprit === undefined && later === undefined) continue;
    const problem =
      culprit !== undefined
        ? `it needs "${need}" of "${culprit}", which failed`
        : circle(need, prepared, later!);
    return new ToolmountError("MODULE_MOUNT_FAILED", { module: prepared.use.id, problem });
  }
  return undefined;
}

function circle(need: string, prepared: PreparedUse, later: PreparedUse): string {
  const what =
    later === prepared
      ? `it needs "${need}", which it registers itself`
      : `it needs "${need}" of "${later.use.id}", which cannot mount before it: they need each other`;
  return `${what}; ask for it when a tool first runs, and take it out of the needs of its manifest`;
}
