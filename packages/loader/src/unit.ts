import { ToolmountError, isToolmountError, type JsonObject, type Limits } from "@toolmount/core";
import type { Plan, PlanEntry } from "./plan.ts";
import type { Path } from "./plan-map.ts";
import type { Problem, Reporter } from "./problems.ts";
import { runnerTable, sectionConfig, sectionTable } from "./sections.ts";
import { readSource, type Source } from "./source.ts";

/** One use of one module: an entry of the plan, or what a section or scheme stands for. */
export interface Unit {
  readonly id: string;
  /** The section of the plan that asks for it; `needs` when a mounted module does. */
  readonly section: string;
  /** As the plan writes it. */
  readonly specifier: string;
  readonly source: Source;
  readonly required: boolean;
  readonly config: JsonObject;
  /** The entry of the plan that shapes its tools; null for modules that sections stand for. */
  readonly entry: PlanEntry | null;
  readonly limits: Limits;
  /** The runner of its tools. */
  readonly runner: string | undefined;
  /** What of the plan needs it, when it is not named by an entry: it is then told as `EXTENSION_MISSING`. */
  readonly neededFor: string | undefined;
  /** Where the plan names it. */
  readonly path: Path;
  readonly configPath: Path;
  /** Why it cannot even be looked up, when it is not required. */
  readonly broken: readonly Problem[];
}

/** Lists what a plan mounts, in order: what sections stand for, runners, tools, hooks. Bad sources are reported. */
export function listUnits(plan: Plan, folder: string, reporter: Reporter): Unit[] {
  const runners = nameRunners(plan.entries);
  const entries = plan.entries.flatMap(
    (entry) => entryUnit(entry, plan.limits, folder, runners.names, reporter) ?? [],
  );
  return nameApart([...sectionUnits(plan), ...runnerUnits(runners.settings), ...entries], reporter);
}

function sectionUnits(plan: Plan): Unit[] {
  const units = new Map<string, Unit>();
  for (const row of sectionTable) {
    const value = plan.sections[row.section];
    const config = value === undefined ? null : sectionConfig(row, value);
    if (config === null) continue;
    const path = [row.section];
    const known = units.get(row.module);
    const neededFor = `section "${row.section}"`;
    const unit =
      known ?? extensionUnit(row.module, neededFor, { path, configPath: row.as === "config" ? path : [] });
    units.set(row.module, { ...unit, config: { ...unit.config, ...config } });
  }
  return [...units.values()];
}

/** A module that the plan needs without naming it. */
export function extensionUnit(
  module: string,
  neededFor: string,
  at: { readonly path: Path; readonly configPath: Path },
  config: JsonObject = {},
): Unit {
  return {
    id: module,
    section: typeof at.path[0] === "string" ? at.path[0] : "needs",
    specifier: module,
    source: { kind: "package", written: module, names: [module] },
    required: true,
    config,
    entry: null,
    limits: {},
    runner: undefined,
    neededFor,
    broken: [],
    ...at,
  };
}

interface RunnerSettings {
  readonly name: string;
  readonly place: string;
  readonly run: JsonObject;
  readonly path: Path;
}

/** Names one runner for each different `run`; the first of a kind has the kind's own name. */
function nameRunners(entries: readonly PlanEntry[]): {
  settings: RunnerSettings[];
  names: Map<PlanEntry, string>;
} {
  const settings: RunnerSettings[] = [];
  const names = new Map<PlanEntry, string>();
  for (const entry of entries) {
    if (entry.run === undefined || entry.run.in === "inline") continue;
    const run = entry.run as JsonObject;
    const known = settings.find((other) => JSON.stringify(other.run) === JSON.stringify(run));
    const place = entry.run.in;
    const alike = settings.filter((other) => other.place === place).length;
    const name = known?.name ?? (alike === 0 ? place : `${place}-${alike + 1}`);
    if (known === undefined) settings.push({ name, place, run, path: [...entry.path, "run"] });
    names.set(entry, name);
  }
  return { settings, names };
}

function runnerUnits(settings: readonly RunnerSettings[]): Unit[] {
  const modules = new Map<string, RunnerSettings[]>();
  for (const setting of settings) {
    const module = runnerTable[setting.place] ?? setting.place;
    modules.set(module, [...(modules.get(module) ?? []), setting]);
  }
  return [...modules].map(([module, list]) => {
    const path = list[0]?.path ?? [];
    const runners = list.map(({ name, run }) => ({ name, ...run }));
    return extensionUnit(module, `run.in: ${list[0]?.place}`, { path, configPath: path }, { runners });
  });
}

function entryUnit(
  entry: PlanEntry,
  limits: Limits,
  folder: string,
  runners: ReadonlyMap<PlanEntry, string>,
  reporter: Reporter,
): Unit | null {
  const source = trySource(entry, folder, reporter);
  if (source === null) return null;
  const path = [...entry.path, entry.source === undefined ? "module" : "source"];
  const scheme = source.kind === "scheme" ? source : null;
  const config = (entry.config ?? {}) as JsonObject;
  return {
    id: entry.id ?? entry.module,
    section: entry.section,
    specifier: typeof entry.source === "string" ? entry.source : entry.module,
    source,
    required: entry.required,
    config: scheme === null ? config : { name: entry.module, ...scheme.settings, ...config },
    entry,
    limits,
    runner: runners.get(entry),
    neededFor: scheme === null ? undefined : `source "${scheme.scheme}"`,
    path,
    broken: [],
    configPath: scheme === null ? [...entry.path, "config"] : [...path, scheme.scheme],
  };
}

function trySource(entry: PlanEntry, folder: string, { report }: Reporter): Source | null {
  try {
    return readSource(entry, folder);
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    report(error.code, error.details as never, {
      path: [...entry.path, entry.source === undefined ? "module" : "source"],
    });
    return null;
  }
}

/** Two uses of one module are told apart by a number; two entries with the same written `id` are a problem. */
function nameApart(units: readonly Unit[], { report }: Reporter): Unit[] {
  const counts = new Map<string, number>();
  return units.map((unit) => {
    const count = (counts.get(unit.id) ?? 0) + 1;
    counts.set(unit.id, count);
    if (count > 1 && unit.entry?.id !== undefined) {
      report(
        "PLAN_VALUE_INVALID",
        { problem: `another entry has the id "${unit.id}"` },
        { path: [...unit.entry.path, "id"] },
      );
    }
    return count === 1 ? unit : { ...unit, id: `${unit.id}#${count}` };
  });
}

/** Turns a module that is not there into what the plan's reader has to know: which part of the plan needs it. */
export function explainMissing(unit: Unit, error: unknown): unknown {
  if (unit.neededFor === undefined || !isToolmountError(error) || error.code !== "SOURCE_NOT_FOUND")
    return error;
  const module = unit.source.kind === "scheme" ? unit.source.module : unit.specifier;
  return new ToolmountError(
    "EXTENSION_MISSING",
    { what: unit.neededFor, module, install: `npm install ${module}` },
    { cause: error },
  );
}

/** How to mend a module that was not found. */
export function findHint(unit: Unit, error: unknown): string | undefined {
  if (!isToolmountError(error) || error.code !== "SOURCE_NOT_FOUND") return undefined;
  if (unit.source.kind === "path") return "paths are relative to the plan's file";
  const [name] = unit.source.kind === "package" ? unit.source.names : [];
  return name === undefined ? undefined : `npm install ${name}`;
}

/** The config as one text, for comparing two uses. */
export function shapeOf({ id, config, entry, limits, runner, section }: Unit): JsonObject {
  const { tools, prefix, override, limits: own } = entry ?? {};
  return {
    id,
    section,
    config,
    runner: runner ?? null,
    limits,
    shaping: { tools, prefix, override, own },
  } as unknown as JsonObject;
}
