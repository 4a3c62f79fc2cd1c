import type { JsonSchema, PlanPosition, ToolInfo } from "@toolmount/core";
import { checkByManifest } from "../mount/check-config.ts";
import { fillOptions, type ResolvedOptions } from "../host/defaults.ts";
import { findLooseUses } from "../mount/check-links.ts";
import { loadPlan, type LoadedPlan, type OpenedPlan, type PlanInput } from "../mount/load-plan.ts";
import type { ManifestTool } from "../modules/manifest.ts";
import { offeredName } from "../mount/offered-name.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { findOrigins, type ToolOrigin } from "./origins.ts";
import { findPosition } from "../diagnostics/positions.ts";
import {
  askingOf,
  lookUpUnit,
  prepareUnit,
  type PreparedUnit,
  type Workshop,
} from "../mount/prepare-unit.ts";
import { byPlace, createReporter, maskProblem, type Problem } from "../diagnostics/problems.ts";
import { resolveSource, type Resolution } from "../modules/resolve.ts";
import { lintSections } from "./lint-sections.ts";
import { findUnmet } from "../mount/select-tools.ts";
import type { Unit } from "../mount/list-units.ts";

/** A tool of an entry, as its package's manifest tells of it. */
export interface InspectedTool {
  /** The name under which it is offered; null when the entry leaves it out. */
  readonly name: string | null;
  readonly declared: ManifestTool;
  /** What the plan says of it, each with the place that said it. */
  readonly origins: readonly ToolOrigin[];
}

/** One use of a module, without the module being run. */
export interface InspectedEntry {
  readonly id: string;
  readonly section: string;
  readonly specifier: string;
  readonly required: boolean;
  readonly version: string | undefined;
  /** The name of its package, or its path. */
  readonly name: string | undefined;
  /** JSON Schema of its config, as its manifest has it. */
  readonly configSchema: JsonSchema | undefined;
  /** The file that would be imported. */
  readonly path: string | undefined;
  readonly position: PlanPosition | undefined;
  /** Null when only importing the module could tell. */
  readonly tools: readonly InspectedTool[] | null;
  /** Why it cannot be mounted. An entry that is not required does not keep the plan from opening. */
  readonly problems: readonly Problem[];
}

/** A plan, looked at without running a tool's code and without a network. */
export interface InspectedPlan {
  readonly plan: OpenedPlan;
  readonly entries: readonly InspectedEntry[];
  /** Whatever would keep the plan from opening, as far as it can be known without importing tools. */
  readonly problems: readonly Problem[];
  /** Ids of entries whose tools only importing could tell; names, overrides and rules are not checked against those. */
  readonly unknown: readonly string[];
}

/**
 * Looks at a plan: reads it, finds its modules, checks configs and names against manifests. Of modules only those are
 * imported that sections of the plan stand for. Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a text that is no plan.
 */
export async function inspectPlan(input?: PlanInput, options: OpenHostOptions = {}): Promise<InspectedPlan> {
  const filled = fillOptions(options);
  return (await inspectLoaded(await loadPlan(input, filled), filled)).inspected;
}

/** An inspected plan, and the modules of its sections. */
export interface Inspection {
  readonly inspected: InspectedPlan;
  readonly loaded: LoadedPlan;
  readonly sections: readonly PreparedUnit[];
}

export async function inspectLoaded(loaded: LoadedPlan, options: ResolvedOptions): Promise<Inspection> {
  const workshop = workshopOf(loaded, options);
  const looks = await Promise.all(loaded.units.map((unit) => lookAt(unit, loaded, workshop)));
  const entries = looks.map(({ entry }) => entry);
  const sections = looks.flatMap(({ prepared }) => prepared ?? []);
  const unknown = entries
    .filter(({ tools, problems }) => tools === null && problems.length === 0)
    .map(({ id }) => id);
  const units = loaded.units.filter((_, index) => entries[index]?.tools !== null);
  const failing = looks.filter(({ unit }) => unit.required).flatMap(({ entry }) => entry.problems);
  const problems = [...loaded.problems, ...failing, ...findClashes(looks, loaded)];
  // Of a module whose tools nobody knows, any name may be meant.
  if (entries.every(({ tools }) => tools !== null)) {
    const infos = entries.flatMap(infosOf);
    problems.push(...findLooseUses(units, new Set(infos.map(({ name }) => name)), loaded.map));
    problems.push(...lintSections(sections, infos, loaded.map));
  }
  const inspected = {
    plan: loaded.opened,
    entries,
    problems: problems.map(maskProblem(loaded.mask)).toSorted(byPlace),
    unknown,
  };
  return { inspected, loaded, sections };
}

function workshopOf({ opened, map, mask }: LoadedPlan, options: ResolvedOptions): Workshop {
  const { logger, clock, startTimeoutMs, startedAt, conditions, extensions, schemes, resolver } = options;
  const lookup = { folder: opened.folder, given: extensions, conditions, schemes, resolver };
  return { lookup, logger, clock, startTimeoutMs, startedAt, map, mask };
}

interface Look {
  readonly unit: Unit;
  readonly entry: InspectedEntry;
  readonly prepared?: PreparedUnit;
}

async function lookAt(unit: Unit, loaded: LoadedPlan, workshop: Workshop): Promise<Look> {
  const common = {
    id: unit.id,
    section: unit.section,
    specifier: unit.specifier,
    required: unit.required,
    position: findPosition(loaded.map, unit.path),
  };
  const nothing = {
    version: undefined,
    name: undefined,
    configSchema: undefined,
    path: undefined,
    tools: null,
  };
  if (unit.broken.length > 0) return { unit, entry: { ...common, ...nothing, problems: unit.broken } };
  const problems = await lookUpUnit(unit, workshop);
  if (problems.length > 0) return { unit, entry: { ...common, ...nothing, problems } };
  const resolution = await resolveSource(unit.source, workshop.lookup, askingOf(unit, workshop));
  const { version, name, path, manifest } = resolution;
  const facts = { ...common, version, name, path, configSchema: manifest?.config };
  if (unit.entry === null || unit.source.kind === "scheme") {
    const prepared = await prepareUnit(unit, workshop);
    const failed = "problems" in prepared;
    const tools = unit.entry === null ? [] : null;
    return {
      unit,
      entry: { ...facts, tools, problems: failed ? prepared.problems : [] },
      ...(!failed && { prepared }),
    };
  }
  const found = checkEntry(unit, resolution, loaded);
  return { unit, entry: { ...facts, tools: toolsOf(unit, resolution, loaded), problems: found } };
}

function checkEntry(unit: Unit, { manifest }: Resolution, { map }: LoadedPlan): readonly Problem[] {
  const reporter = createReporter(map);
  if (manifest?.config !== undefined) checkByManifest(unit, manifest.config, reporter);
  if (unit.entry !== null && manifest?.tools !== undefined)
    for (const { path, part, problem } of findUnmet(unit.entry, manifest.tools))
      reporter.report("PLAN_VALUE_INVALID", { problem }, { path: [...unit.entry.path, ...path], part });
  return reporter.problems;
}

function toolsOf({ entry }: Unit, { manifest }: Resolution, loaded: LoadedPlan): InspectedTool[] | null {
  if (entry === null || manifest === undefined) return null;
  const { tools = manifest.mounts.includes("tools") ? null : [] } = manifest;
  return (
    tools?.map((declared) => ({
      name: offeredName(entry, declared),
      declared,
      origins: findOrigins(entry, declared, loaded),
    })) ?? null
  );
}

/** Names that two entries offer, or that are too near each other; told with both places. */
function findClashes(looks: readonly Look[], { map }: LoadedPlan): readonly Problem[] {
  const { report, problems } = createReporter(map);
  const taken = new Map<string, { readonly name: string; readonly unit: Unit }>();
  for (const { unit, entry } of looks)
    for (const { name } of entry.tools ?? []) {
      if (name === null) continue;
      const folded = name.toLowerCase().replaceAll("-", "_");
      const other = taken.get(folded);
      if (other === undefined || unit.entry?.override === true) taken.set(folded, { name, unit });
      else {
        const at = findPosition(map, other.unit.path);
        const existingOwner =
          at === undefined ? other.unit.id : `${other.unit.id} (${at.file}:${at.line}:${at.column})`;
        const details = { tool: name, existing: other.name, owner: unit.id, existingOwner };
        report("TOOL_DUPLICATE", details, { path: unit.path });
      }
    }
  return problems;
}

/** Offered tools of an entry as gates and policies would see them. */
export function infosOf({ id, tools }: InspectedEntry): ToolInfo[] {
  return (tools ?? []).flatMap(({ name, declared }) => (name === null ? [] : infoOf(id, name, declared)));
}

function infoOf(owner: string, name: string, declared: ManifestTool): ToolInfo {
  return {
    inputSchema: {},
    requiresConfirmation: false,
    timeoutMs: 0,
    tags: [],
    idempotent: false,
    ...declared,
    name,
    declaredName: declared.name,
    execution: "server",
    status: "active",
    dependsOn: [],
    dynamic: false,
    origin: "toolmount",
    aliases: [],
    owner,
  } as unknown as ToolInfo;
}
