import { dirname } from "node:path";
import { ToolmountError, isToolmountError, type JsonObject, type Limits } from "@toolmount/core";
import { mapForeign } from "../plan/amplifier.ts";
import { createModesModule } from "./modes-module.ts";
import type { Plan, PlanEntry } from "../plan/check-plan.ts";
import { findPlace, type Path, type PlanMap } from "../diagnostics/positions.ts";
import type { Problem, Reporter } from "../diagnostics/problems.ts";
import { runnerTable, sectionConfig, sectionTable } from "../modules/section-table.ts";
import { readSource, type Source } from "../modules/source.ts";

/** One use of one module: an entry of the plan, or what a section or scheme stands for. */
export interface Unit {
  readonly id: string;
  /** The section of the plan that asks for it; `needs` when a mounted module does. */
  readonly section: string;
  /** As the plan writes it. */
  readonly specifier: string;
  readonly source: Source;
  /** The folder of the file that names it; undefined for what no file names. */
  readonly folder: string | undefined;
  /** Why it may not be there: it is another system's, and what stands for it was not found. */
  readonly foreign: string | undefined;
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

/** What units are listed with. */
export interface Listing {
  readonly folder: string;
  readonly map: PlanMap;
  /** Names of the source schemes that were given. */
  readonly schemes: readonly string[];
  readonly reporter: Reporter;
}

/** Lists what a plan mounts, in order: what sections stand for, runners, tools, hooks. Bad sources are reported. */
export function listUnits(plan: Plan, listing: Listing): Unit[] {
  const runners = nameRunners(plan.entries);
  const parts = plan.entries.filter(({ section, module, source }) =>
    isReasonerPart(plan, section, module, source),
  );
  const entries = plan.entries
    .filter((entry) => !parts.includes(entry))
    .flatMap((entry) => entryUnit(entry, plan, listing, runners.names) ?? []);
  const sections = addParts(sectionUnits(plan), parts);
  return nameApart(
    [...modeUnits(plan), ...sections, ...runnerUnits(runners.settings), ...entries],
    listing.reporter,
  );
}

function isReasonerPart(
  { amplifier }: Plan,
  section: PlanEntry["section"],
  module: string,
  source: unknown,
): boolean {
  return amplifier && mapForeign(section, module, source)?.kind === "reasoner";
}

const reasoner = "@toolmount/reasoner";

/** Orchestrator, context and providers that the reasoner is: members of its config, as the plan writes them. */
function addParts(units: readonly Unit[], parts: readonly PlanEntry[]): Unit[] {
  const [first] = parts;
  const known = units.find(({ id }) => id === reasoner);
  if (first === undefined) {
    // A session that only named modules of their own says nothing to the reasoner.
    return units.filter((unit) => unit !== known || Object.keys(unit.config).length > 0);
  }
  const at = { path: first.path.slice(0, 1), configPath: first.path.slice(0, 1) };
  const unit = known ?? extensionUnit(reasoner, `section "${String(first.path[0])}"`, at);
  const describe = ({ module, id, config }: PlanEntry) =>
    ({ module, ...(id !== undefined && { id }), ...(config && { config }) }) as JsonObject;
  const single = (section: PlanEntry["section"]) =>
    parts.filter((part) => part.section === section).map(describe)[0];
  const providers = parts.filter(({ section }) => section === "providers").map(describe);
  const config = { orchestrator: single("orchestrator"), context: single("context"), providers };
  const given = Object.entries(config).filter(
    ([, value]) => value !== undefined && (value as unknown[]).length !== 0,
  );
  const whole = { ...unit, config: { ...unit.config, ...Object.fromEntries(given) } as JsonObject };
  return [...units.filter((other) => other !== known), whole];
}

/** The plan's modes are mounted by a module of the loader's own. */
function modeUnits({ modes }: Plan): Unit[] {
  if (modes === undefined) return [];
  const unit = extensionUnit("modes", 'section "modes"', { path: ["modes"], configPath: ["modes"] });
  const source = { kind: "built-in" as const, written: "modes", module: createModesModule(modes) };
  return [{ ...unit, source, config: {}, neededFor: undefined }];
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
    folder: undefined,
    foreign: undefined,
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
  plan: Plan,
  listing: Listing,
  runners: ReadonlyMap<PlanEntry, string>,
): Unit | null {
  const path = [...entry.path, entry.source === undefined ? "module" : "source"];
  // Layers may lie in several folders: a path starts where it was written.
  const place = findPlace(listing.map, path);
  const folder = place === undefined ? listing.folder : dirname(place.text.file);
  const foreign = plan.amplifier ? mapForeign(entry.section, entry.module, entry.source) : undefined;
  const source =
    foreign?.kind === "package"
      ? ({ kind: "package", written: entry.module, names: foreign.names } as const)
      : trySource(entry, folder, listing);
  if (source === null) return null;
  const scheme = source.kind === "scheme" ? source : null;
  const config = (entry.config ?? {}) as JsonObject;
  return {
    id: entry.id ?? entry.module,
    section: entry.section,
    specifier: typeof entry.source === "string" ? entry.source : entry.module,
    source,
    folder,
    foreign: foreign?.kind === "package" ? foreign.hint : undefined,
    required: entry.required,
    config: scheme === null ? config : { name: entry.module, ...scheme.settings, ...config },
    entry,
    limits: plan.limits,
    runner: runners.get(entry),
    neededFor: scheme === null ? undefined : `source "${scheme.scheme}"`,
    path,
    broken: [],
    configPath: scheme === null ? [...entry.path, "config"] : [...path, scheme.scheme],
  };
}

function trySource(entry: PlanEntry, folder: string, { reporter, schemes }: Listing): Source | null {
  try {
    return readSource(entry, folder, schemes);
  } catch (error) {
    if (!isToolmountError(error)) throw error;
    reporter.report(error.code, error.details, {
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
  if (unit.foreign !== undefined && isToolmountError(error) && error.code === "SOURCE_NOT_FOUND")
    return new ToolmountError(
      "SOURCE_FOREIGN",
      { source: unit.specifier, hint: unit.foreign },
      { cause: error },
    );
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
  if (unit.source.kind === "fetched") return "toolmount install";
  const [name] = unit.source.kind === "package" ? unit.source.names : [];
  return name === undefined ? undefined : `npm install ${name}`;
}

/** The config as one text, for comparing two uses. */
export function shapeOf({ id, config, entry, limits, runner, section }: Unit): JsonObject {
  const { tools, prefix, override, hiddenText, limits: own, uses, wake } = entry ?? {};
  return {
    id,
    section,
    config,
    runner: runner ?? null,
    limits,
    shaping: { tools, prefix, override, hiddenText, own, uses, wake },
  } as unknown as JsonObject;
}
