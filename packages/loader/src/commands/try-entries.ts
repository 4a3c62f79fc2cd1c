import type { JsonObject } from "@toolmount/core";
import { loadPlan } from "../mount/load-plan.ts";
import { createMountContext } from "../mount/mount-context.ts";
import { prepareModule } from "../mount/prepare-module.ts";
import { fillOptions } from "../host/defaults.ts";
import type { OpenHostOptions } from "../host/options.ts";
import type { Problem } from "../diagnostics/problems.ts";
import { inspectLoaded } from "./inspect.ts";

/** An entry as it is written into a plan; keys in this order. */
export interface NewEntry {
  readonly module: string;
  readonly id?: string | undefined;
  readonly source?: string | JsonObject | undefined;
  readonly export?: string | readonly string[] | undefined;
  readonly required?: boolean | undefined;
  readonly prefix?: string | undefined;
  readonly config?: JsonObject | undefined;
}

/** Sections of a plan whose entries can be edited. */
export type EditedSection = "tools" | "hooks";

/** Entries that are tried before a plan gets them. `cwd` of the options is the plan's folder. */
export interface TryOptions extends OpenHostOptions {
  readonly section: EditedSection;
  /** Imports the modules. Without it, only manifests are read, and no code runs. */
  readonly load: boolean;
}

/** What is known of entries that are not in a plan yet. */
export interface TriedEntries {
  /** Why they cannot be mounted. A variable that is not set yet is not one of these: it may be set later. */
  readonly problems: readonly Problem[];
  /** Ids of entries that only importing their modules could check. */
  readonly unknown: readonly string[];
  /** Modules of other libraries, of which only a mount shows whether they have tools. */
  readonly foreign: readonly NewEntry[];
}

/** Finds the modules of entries, and checks their configs. Mounts nothing. */
export async function tryEntries(
  entries: readonly NewEntry[],
  { section, load, ...options }: TryOptions,
): Promise<TriedEntries> {
  const filled = fillOptions(options);
  const loaded = await loadPlan({ version: 1, [section]: entries }, filled);
  const { inspected } = await inspectLoaded(loaded, filled);
  const problems = inspected.problems.filter(({ code }) => code !== "VARIABLE_MISSING");
  const waitsForVariable = inspected.problems.length > problems.length;
  if (!load || problems.length > 0 || waitsForVariable)
    return { problems, unknown: waitsForVariable ? [] : inspected.unknown, foreign: [] };
  const context = createMountContext(loaded, filled);
  const uses = loaded.modules.filter(({ entry }) => entry !== null);
  const prepared = await Promise.all(uses.map((use) => prepareModule(use, context)));
  const foreign = prepared.flatMap((use, at) =>
    "module" in use && use.module.kind === "foreign" ? [entries[at]!] : [],
  );
  return {
    problems: prepared.flatMap((use) => ("problems" in use ? use.problems : [])),
    unknown: [],
    foreign,
  };
}
