import type { PlanPosition } from "@toolmount/core";
import type { Generation } from "../mount/build-generation.ts";
import { findPosition, type PlanMap } from "../diagnostics/positions.ts";
import type { Problem } from "../diagnostics/problems.ts";
import type { Resolution } from "../modules/resolve.ts";
import type { Unit } from "../mount/list-units.ts";

/** How one module of a plan stands. */
export interface EntryStatus {
  readonly id: string;
  /** The section of the plan that asks for it; `needs` when another module did. */
  readonly section: string;
  /** As the plan writes it. */
  readonly specifier: string;
  readonly version: string | undefined;
  /** The file that was imported; absent for modules in memory. */
  readonly path: string | undefined;
  /**
   * `degraded`: mounted, but it registered nothing. `failed`: not required, and could not be mounted. `skipped`: not
   * required, and what it needs failed.
   */
  readonly state: "mounted" | "degraded" | "failed" | "skipped";
  /** Names of its tools, as offered. */
  readonly tools: readonly string[];
  readonly problems: readonly Problem[];
  /** Where the plan names it. */
  readonly position: PlanPosition | undefined;
}

/** How a host stands. */
export interface HostStatus {
  readonly state: "open" | "closed";
  readonly plan: { readonly file: string | undefined; readonly name: string | undefined };
  /** How often the plan was mounted; 1 after opening. */
  readonly generation: number;
  readonly entries: readonly EntryStatus[];
  /** Why the last reload left everything as it was; empty when it did not. */
  readonly reloadProblems: readonly Problem[];
}

/** Tells of each module of a generation, in the order of mounting, then of those that are not mounted. */
export function describeEntries({ mounted, failed }: Generation, map: PlanMap): EntryStatus[] {
  return [
    ...mounted.map((unit): EntryStatus => ({
      ...common(unit.unit, unit.resolution, map),
      state: unit.degraded ? "degraded" : "mounted",
      tools: unit.mounted.toolNames,
      problems: [],
    })),
    ...failed.map(({ unit, resolution, state, problems }): EntryStatus => ({
      ...common(unit, resolution, map),
      state,
      tools: [],
      problems,
    })),
  ];
}

function common({ id, section, specifier, path }: Unit, resolution: Resolution | undefined, map: PlanMap) {
  return {
    id,
    section,
    specifier,
    version: resolution?.version,
    path: resolution?.path,
    position: findPosition(map, path),
  };
}
