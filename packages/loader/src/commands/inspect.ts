import type { JsonSchema, PlanPosition, ToolInfo } from "@toolmount/core";
import { checkByManifest } from "../mount/parse-config.ts";
import { fillOptions, type ResolvedOptions } from "../host/defaults.ts";
import { findLooseUses } from "../mount/check-links.ts";
import { loadPlan, type LoadedPlan, type OpenedPlan, type PlanInput } from "../mount/load-plan.ts";
import type { ManifestTool } from "../modules/manifest.ts";
import { offeredName } from "../mount/offered-name.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { findOrigins, type ToolOrigin } from "./origins.ts";
import { runRefusal, runOf, type ElsewhereRun } from "../mount/runner-modules.ts";
import { findPosition } from "../diagnostics/positions.ts";
import type { ModuleUse } from "../mount/module-use.ts";
import { createMountContext, type MountContext } from "../mount/mount-context.ts";
import { findModule, prepareModule, resolveUse, type PreparedUse } from "../mount/prepare-module.ts";
import { byPlace, createReporter, maskProblem, type Problem } from "../diagnostics/problems.ts";
import type { Resolution } from "../modules/resolve.ts";
import { lintSections } from "./lint-sections.ts";
import { nextFiles, type NextFile } from "./next-files.ts";
import { reportUnmatched } from "../mount/select-tools.ts";

/** A tool of an entry, as its package's manifest describes it. */
export interface InspectedTool {
  /** The offered name; null if the entry excludes the tool. */
  readonly name: string | null;
  readonly declared: ManifestTool;
  /** The settings of the plan that apply to the tool, with their places. */
  readonly origins: readonly ToolOrigin[];
}

/** One use of a module in a plan, as far as it is known without running the module. */
export interface InspectedEntry {
  readonly id: string;
  readonly section: string;
  readonly specifier: string;
  readonly required: boolean;
  readonly version: string | undefined;
  /** The name of the module's package, or the path of its file. */
  readonly name: string | undefined;
  /** JSON Schema of the module's config, if its manifest has one. */
  readonly configSchema: JsonSchema | undefined;
  /** The file that would be imported. */
  readonly path: string | undefined;
  readonly position: PlanPosition | undefined;
  /** Where calls of the entry run, and behind which border; absent if they run in the host. */
  readonly run?: ElsewhereRun | undefined;
  /** The tools of the entry; null if they are not known without importing the module. */
  readonly tools: readonly InspectedTool[] | null;
  /** Members that the module adds to the context of tools, as its manifest says. */
  readonly context?: readonly string[] | undefined;
  /** Why the module cannot be mounted. Problems of an optional entry do not prevent the plan from opening. */
  readonly problems: readonly Problem[];
}

/** What is known about a plan without running a tool's code and without a network. */
export interface InspectedPlan {
  readonly plan: OpenedPlan;
  readonly entries: readonly InspectedEntry[];
  /** All problems that prevent the plan from opening, as far as they are known without importing tools. */
  readonly problems: readonly Problem[];
  /**
   * Ids of entries whose tools are not known without importing them. Names, overrides and rules are not checked against these
   * tools.
   */
  readonly unknown: readonly string[];
  /** Scripts and skills in the plan's folder that the next command would run or read. */
  readonly nextFiles: readonly NextFile[];
}

/**
 * Inspects a plan: reads it, finds its modules, and checks configs and names against manifests. Imports only the modules of the
 * plan's sections, such as `policy`. Throws `PLAN_NOT_FOUND`, and `PLAN_INVALID` for a file that is not a plan.
 */
export async function inspectPlan(input?: PlanInput, options: OpenHostOptions = {}): Promise<InspectedPlan> {
  const filled = fillOptions(options);
  return (await inspectLoaded(await loadPlan(input, filled), filled)).inspected;
}

/**
 * Reports settings in the plan's sections that have no effect on `tools`: the tools that a host mounted, because manifests may
 * not list all of them. Imports no module of an entry.
 */
export async function lintPlan(
  input: PlanInput,
  tools: readonly ToolInfo[],
  options: OpenHostOptions = {},
): Promise<readonly Problem[]> {
  const filled = fillOptions(options);
  const { loaded, sections } = await inspectLoaded(await loadPlan(input, filled), filled);
  return lintSections(sections, tools, loaded.map).map(maskProblem(loaded.mask)).toSorted(byPlace);
}

export async function inspectLoaded(
  loaded: LoadedPlan,
  options: ResolvedOptions,
): Promise<{
  readonly inspected: InspectedPlan;
  readonly loaded: LoadedPlan;
  readonly sections: readonly PreparedUse[];
}> {
  // Without the lock, because it decides about calls and not about whether a plan is valid.
  const context = { ...createMountContext(loaded, options), lock: undefined };
  const looks = await Promise.all(loaded.modules.map((use) => lookAt(use, loaded, context)));
  const entries = looks.map(({ entry }) => entry);
  const sections = looks.flatMap(({ prepared }) => prepared ?? []);
  const unknown = entries
    .filter(({ tools, problems }) => tools === null && problems.length === 0)
    .map(({ id }) => id);
  const failing = looks.filter(({ use }) => use.required).flatMap(({ entry }) => entry.problems);
  const problems = [...loaded.problems, ...failing, ...findClashes(looks, loaded)];
  // Names are checked only if all tools are known, because otherwise a name may belong to an unknown tool.
  if (entries.every(({ tools }) => tools !== null)) {
    const infos = entries.flatMap(infosOf);
    problems.push(...findLooseUses(loaded.modules, new Set(infos.map(({ name }) => name)), loaded.map));
    problems.push(...lintSections(sections, infos, loaded.map));
  }
  const inspected = {
    plan: loaded.opened,
    entries,
    problems: problems.map(maskProblem(loaded.mask)).toSorted(byPlace),
    unknown,
    nextFiles: await nextFiles(loaded),
  };
  return { inspected, loaded, sections };
}

interface Look {
  readonly use: ModuleUse;
  readonly entry: InspectedEntry;
  readonly prepared?: PreparedUse;
}

async function lookAt(use: ModuleUse, loaded: LoadedPlan, context: MountContext): Promise<Look> {
  const { id, section, specifier, required } = use;
  const position = findPosition(loaded.map, use.path);
  const unresolved = { version: undefined, name: undefined, configSchema: undefined, path: undefined };
  const run = use.entry === null ? undefined : (borderOfServer(use) ?? runOf(use.entry));
  const known = { id, section, specifier, required, position, run, ...unresolved, tools: null };
  const problems = use.broken.length > 0 ? use.broken : await findModule(use, context);
  if (problems.length > 0) return { use, entry: { ...known, problems } };
  const resolution = await resolveUse(use, context);
  const { version, name, path, manifest } = resolution;
  const { config: configSchema, context: members } = manifest ?? {};
  const facts = { ...known, version, name, path, configSchema, context: members };
  if (use.entry !== null && use.source.kind !== "scheme") {
    const tools = toolsOf(use, resolution, loaded);
    return { use, entry: { ...facts, tools, problems: await checkEntry(use, resolution, loaded) } };
  }
  const prepared = await prepareModule(use, context);
  const tools = use.entry === null ? [] : null;
  if ("problems" in prepared) return { use, entry: { ...facts, tools, problems: prepared.problems } };
  return { use, entry: { ...facts, tools, problems: [] }, prepared };
}

/** Returns where the MCP server of an entry runs, if the entry gives it a border. */
function borderOfServer({ source, config }: ModuleUse): ElsewhereRun | undefined {
  const { border } = config;
  return source.kind === "scheme" && border !== undefined ? { in: "server", border } : undefined;
}

async function checkEntry(
  use: ModuleUse,
  { manifest }: Resolution,
  { map }: LoadedPlan,
): Promise<readonly Problem[]> {
  const reporter = createReporter(map);
  const problem = runRefusal(use.entry, manifest);
  if (problem !== null)
    reporter.report("MODULE_MOUNT_FAILED", { module: use.id, problem }, { path: [...use.path, "run"] });
  if (manifest?.config !== undefined) await checkByManifest(use, manifest.config, reporter);
  if (use.entry !== null && manifest?.tools !== undefined)
    reportUnmatched(use.entry, manifest.tools, reporter);
  return reporter.problems;
}

function toolsOf({ entry }: ModuleUse, { manifest }: Resolution, loaded: LoadedPlan): InspectedTool[] | null {
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

/** Reports tools of two entries whose names are equal or too similar, with both places. */
function findClashes(looks: readonly Look[], { map }: LoadedPlan): readonly Problem[] {
  const { report, problems } = createReporter(map);
  const taken = new Map<string, { readonly name: string; readonly use: ModuleUse }>();
  for (const { use, entry } of looks)
    for (const { name } of entry.tools ?? []) {
      if (name === null) continue;
      const folded = name.toLowerCase().replaceAll("-", "_");
      const other = taken.get(folded);
      if (other === undefined || use.entry?.override === true) taken.set(folded, { name, use });
      else {
        const at = findPosition(map, other.use.path);
        const existingOwner =
          at === undefined ? other.use.id : `${other.use.id} (${at.file}:${at.line}:${at.column})`;
        const details = { tool: name, existing: other.name, owner: use.id, existingOwner };
        report("TOOL_DUPLICATE", details, { path: use.path });
      }
    }
  return problems;
}

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
