import type { PreparedUnit } from "./prepare-unit.ts";

/** Capabilities that a unit's manifest says must be there before it mounts. */
export function needsOf({ resolution }: Pick<PreparedUnit, "resolution">): readonly string[] {
  return resolution.manifest?.needs ?? [];
}

/** Capabilities that a unit's manifest says it registers. */
export function providesOf({
  resolution,
}: {
  readonly resolution: PreparedUnit["resolution"] | undefined;
}): readonly string[] {
  return resolution?.manifest?.provides ?? [];
}

/**
 * Puts units in the order of what their manifests need of each other; without needs, the order of the plan stays.
 * A circle of needs is broken where it is first met.
 */
export function orderByNeeds(units: readonly PreparedUnit[]): PreparedUnit[] {
  const ordered = new Set<PreparedUnit>();
  const entered = new Set<PreparedUnit>();
  const place = (unit: PreparedUnit) => {
    if (entered.has(unit)) return;
    entered.add(unit);
    for (const need of needsOf(unit))
      for (const other of units) if (providesOf(other).includes(need)) place(other);
    ordered.add(unit);
  };
  for (const unit of units) place(unit);
  return [...ordered];
}
