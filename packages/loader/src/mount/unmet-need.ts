import { ToolmountError } from "@toolmount/core";
import type { Building } from "./generation.ts";
import { needsOf, providesOf } from "./order.ts";
import type { PreparedUse } from "./prepare-module.ts";

/** The error of a module whose need another module would have met, had that not failed or needed this one. */
export function findUnmetNeed(
  { mounted, failed, ordered }: Building,
  prepared: PreparedUse,
): ToolmountError | undefined {
  for (const need of needsOf(prepared)) {
    const provides = (other: Parameters<typeof providesOf>[0]) => providesOf(other).includes(need);
    if (mounted.some(provides)) continue;
    const culprit = failed.find(provides)?.use.id;
    // The order puts it first, unless both need each other.
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
