import type { DrainReport, JsonObject, PlanPosition } from "@toolmount/core";
import { isRecord } from "../diagnostics/json.ts";
import { findPosition, type PlanMap } from "../diagnostics/positions.ts";
import type { Problem } from "../diagnostics/problems.ts";
import type { Resolution } from "../modules/resolve.ts";
import type { LoadedPlan } from "../mount/load-plan.ts";
import { failedWait, type FailedUse } from "../mount/failed-use.ts";
import type { Generation, MountedUse } from "../mount/generation.ts";
import type { ModuleUse } from "../mount/module-use.ts";
import type { LockChange } from "../plan/lock-file.ts";
import type { StepTimes } from "../mount/step-times.ts";

/** The status of one module of a plan. */
export interface EntryStatus {
  readonly id: string;
  /** The section of the plan that names the module; `needs` if another module asked for it. */
  readonly section: string;
  /** The module as the plan writes it. */
  readonly specifier: string;
  readonly version: string | undefined;
  /** The file of the module, even if it is not imported here; absent for modules in memory. */
  readonly path: string | undefined;
  /**
   * `sleeping`: its tools are mounted from its manifest, and the first call of a tool imports it (`wake: call`). `degraded`: it
   * is mounted, but registered nothing. `failed`: it is optional and could not be mounted. An MCP server that does not answer is
   * asked again, and becomes `mounted` when it answers. `skipped`: it is optional, and a module that it needs failed.
   */
  readonly state: "mounted" | "sleeping" | "degraded" | "failed" | "skipped";
  /** The offered names of its tools. */
  readonly tools: readonly string[];
  readonly problems: readonly Problem[];
  /** The place in the plan that names the module. */
  readonly position: PlanPosition | undefined;
  /** What the module reports about itself, such as an MCP server's connection; absent for a module without a report. */
  readonly report?: JsonObject | undefined;
}

/**
 * The beginning of the name of a capability, which ends with a module's id. The capability is a function that returns the
 * module's report.
 */
const reportCapability = "status.report:";

/** One module of the boot tree: how long its steps took, and the modules that it needs. */
export interface BootEntry {
  readonly id: string;
  readonly state: EntryStatus["state"];
  /** Whether the last reload kept the module. Its times are then from the generation in which it was mounted. */
  readonly kept: boolean;
  /**
   * Milliseconds of each step: finding the module, importing it, parsing its config, mounting it. Absent for a step that did not
   * run.
   */
  readonly times: StepTimes;
  /** Modules that this module needs: by its manifest, or because it asked for them while it was mounted. */
  readonly needs: readonly BootEntry[];
}

/** The status of a host. */
export interface HostStatus {
  readonly state: "open" | "closed";
  readonly plan: { readonly file: string | undefined; readonly name: string | undefined };
  /** How many plans this host has mounted: 1 after opening, one more after each reload. */
  readonly generation: number;
  readonly entries: readonly EntryStatus[];
  /** Tools that differ from the plan's lock file. A call of an added or changed tool fails with `LOCK_DRIFT`. */
  readonly lockChanges: readonly LockChange[];
  /** Why the last reload failed and changed nothing; empty if it succeeded. */
  readonly reloadProblems: readonly Problem[];
}

/** The result of a reload. */
export interface ReloadReport {
  readonly generation: number;
  /** Ids of modules that did not change and were kept. */
  readonly kept: readonly string[];
  /** Ids of modules that were mounted, or mounted again. */
  readonly mounted: readonly string[];
  /** Ids of modules that the new plan does not have, or that were mounted again. */
  readonly removed: readonly string[];
  /** Ids of optional modules that could not be mounted. */
  readonly failed: readonly string[];
  /** What happened to the running calls of removed modules. `draining` names the calls that still run. */
  readonly drained: DrainReport;
}

export function describeEntries(
  { mounted, failed }: Generation,
  { map, mask }: Pick<LoadedPlan, "map" | "mask">,
  /** Whether the host is open. After it has closed, modules are not asked for reports. */
  isOpen: boolean,
): EntryStatus[] {
  const away = new Map(isOpen ? mounted.map((use) => [use, failedWait(use, { map, mask })]) : []);
  return [
    ...mounted.map((use): EntryStatus => ({
      ...factsOf(use.use, use.resolution, map),
      state: away.get(use)?.state ?? stateOf(use),
      tools: use.mounted.toolNames,
      problems: away.get(use)?.problems ?? [],
      ...(isOpen && reportOf(use)),
    })),
    ...failed.map(({ use, resolution, state, problems }): EntryStatus => ({
      ...factsOf(use, resolution, map),
      state,
      tools: [],
      problems,
    })),
  ];
}

function factsOf({ id, section, specifier, path }: ModuleUse, found: Resolution | undefined, map: PlanMap) {
  const { version, path: file } = found ?? {};
  return { id, section, specifier, version, path: file, position: findPosition(map, path) };
}

function reportOf({ use, mounted }: MountedUse): { report?: JsonObject } {
  const ask: unknown = mounted.coordinator.getCapability(`${reportCapability}${use.id}`);
  const report: unknown = typeof ask === "function" ? (ask as () => unknown)() : undefined;
  return isRecord(report) ? { report: report as JsonObject } : {};
}

function stateOf(use: MountedUse | FailedUse): EntryStatus["state"] {
  if ("state" in use) return use.state;
  if (use.isAsleep?.() === true) return "sleeping";
  return use.degraded ? "degraded" : "mounted";
}

/** Returns the modules as a tree: each module once, below the first module that needs it. Modules that failed come last. */
export function describeBoot({ mounted, failed, kept }: Generation): BootEntry[] {
  const needed = new Set(mounted.flatMap(({ needs }) => needs));
  const placed = new Set<string>();
  const place = (uses: readonly MountedUse[]): BootEntry[] => uses.flatMap((use) => placeOne(use));
  const placeOne = (use: MountedUse): BootEntry[] => {
    const { id } = use.use;
    if (placed.has(id)) return [];
    placed.add(id);
    const needs = place(mounted.filter((other) => use.needs.includes(other.use.id)));
    return [{ id, state: stateOf(use), kept: kept.includes(id), times: use.times, needs }];
  };
  return [
    ...place(mounted.filter(({ use }) => !needed.has(use.id))),
    // Modules that need each other in a circle are below no other module, so they are added afterwards.
    ...place(mounted),
    ...failed.map((use) => ({
      id: use.use.id,
      state: stateOf(use),
      kept: false,
      times: use.times,
      needs: [],
    })),
  ];
}
