import type { Json, JsonObject } from "@toolmount/core";
import { plainWords } from "@toolmount/core/schemas";
import type { Path } from "../diagnostics/positions.ts";
import type { Reporter } from "../diagnostics/problems.ts";
import { reportIssues } from "../diagnostics/schema-issues.ts";
import { listWritten, type EntrySection, type WrittenEntry } from "./amplifier.ts";
import { isCommandHook } from "./command-hooks.ts";
import { entrySchema, type EntryDocument, type ToolOverride } from "./schema.ts";
import { layerModules } from "../modules/section-table.ts";
import { typeVariables } from "../diagnostics/typed-variables.ts";

export interface PlanEntry extends EntryDocument {
  readonly section: EntrySection;
  readonly required: boolean;
  readonly path: Path;
}

const maxEntries = 1000;

/** Returns the valid entries of a plan, and reports the others. Command hooks are left out. */
export function checkEntries(plan: JsonObject, amplifier: boolean, reporter: Reporter): PlanEntry[] {
  const written = listWritten(plan).filter(
    ({ section, value }) => section !== "hooks" || !isCommandHook(value),
  );
  const extra = written[maxEntries];
  if (extra !== undefined) {
    const problem = `a plan has at most ${maxEntries} entries`;
    reporter.report("PLAN_TOO_LARGE", { problem }, { path: extra.path });
    return [];
  }
  return written.flatMap((entry) => checkEntry(entry, amplifier, reporter));
}

/** Checks one entry. An entry is required by default, except in Amplifier plans, where only orchestrator and context are. */
function checkEntry(
  { section, value, path }: WrittenEntry,
  amplifier: boolean,
  reporter: Reporter,
): readonly PlanEntry[] {
  if (typeof value === "string") {
    const [, key, rest] = /^(module|source|id):(\S.*)$/.exec(value) ?? [];
    const meant = key === undefined ? `module: ${value}` : `${key}: ${rest}`;
    const why = key === undefined ? "an entry is a map" : "a blank is missing after the colon";
    const problem = `${why}; write "${meant.slice(0, 100)}"`;
    reporter.report("PLAN_VALUE_INVALID", { problem }, { path });
    return [];
  }
  const entry = readEntry(value, path, reporter);
  if (entry === undefined) return [];
  if (entry.remove === true) {
    const problem = "there is no lower plan with an entry to remove";
    reporter.report("PLAN_VALUE_INVALID", { problem }, { path: [...path, "remove"] });
    return [];
  }
  const isRequired = !amplifier || section === "orchestrator" || section === "context";
  return [
    {
      ...entry,
      section,
      path,
      required: entry.required ?? isRequired,
    },
  ];
}

function readEntry(value: Json, path: Path, reporter: Reporter): EntryDocument | undefined {
  const first = entrySchema.safeParse(value, plainWords);
  const typed = typeVariables(value, first.error?.issues ?? [], (part) =>
    reporter.isVariable([...path, ...part]),
  );
  const parsed = typed === null ? first : entrySchema.safeParse(typed, plainWords);
  if (!parsed.success) reportIssues(entrySchema, parsed.error.issues, path, reporter);
  return parsed.data;
}

/**
 * Makes entries run in the plan's layer: all modules for files and commands, and those whose `run` says so. If a module for
 * files ran elsewhere, it would show other files than the shell.
 */
export function inLayer(
  entries: readonly PlanEntry[],
  folder: string | undefined,
  { report }: Reporter,
): readonly PlanEntry[] {
  return entries.map((entry) => {
    const { run, path } = entry;
    const isOurs = folder !== undefined && isLayerModule(entry);
    if (run === undefined ? !isOurs : !isOurs && run.in !== "layer") return entry;
    const problem = problemOf(entry, folder);
    if (problem === undefined) return { ...entry, run: { in: "layer", folder: folder! } };
    report("PLAN_VALUE_INVALID", { problem }, { path: [...path, "run"] });
    return entry;
  });
}

function problemOf({ module, run }: PlanEntry, folder: string | undefined): string | undefined {
  if (folder === undefined) return "the plan has no layer; write layer: ./ at its top";
  if (run !== undefined && run.in !== "layer")
    return `with layer: ${folder}, ${module} runs in the layer, or its files would be others than those of the shell; remove run, or layer`;
  if (run !== undefined && Object.keys(run).length > 1) return "run: { in: layer } has no other keys";
  return undefined;
}

/** Tests whether the module of an entry runs in the plan's layer by default. */
function isLayerModule({ section, module, source }: Pick<PlanEntry, "section" | "module" | "source">) {
  return section === "tools" && typeof source !== "object" && layerModules.includes(module);
}

/** Returns an entry's settings for single tools, by the names that the tools' author chose. */
export function overridesOf({ tools = {} }: Pick<EntryDocument, "tools">) {
  return Object.entries(tools).filter((pair): pair is [string, ToolOverride] => !Array.isArray(pair[1]));
}
