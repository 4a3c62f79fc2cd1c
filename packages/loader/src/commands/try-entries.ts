import type { JsonObject } from "@toolmount/core";
import { loadPlan } from "../mount/load-plan.ts";
import { createMountContext } from "../mount/mount-context.ts";
import { prepareModule } from "../mount/prepare-module.ts";
import { fillOptions } from "../host/defaults.ts";
import type { OpenHostOptions } from "../host/options.ts";
import type { Problem } from "../diagnostics/problems.ts";
import { isBehindBorder, runOf, type ElsewhereRun } from "../mount/runner-modules.ts";
import { inspectLoaded } from "./inspect.ts";

/** An entry to write into a plan, with its keys in this order. */
export interface NewEntry {
  readonly module: string;
  readonly id?: string | undefined;
  readonly source?: string | JsonObject | undefined;
  readonly export?: string | readonly string[] | undefined;
  readonly required?: boolean | undefined;
  readonly prefix?: string | undefined;
  /** Which tools of the module are offered. */
  readonly tools?: JsonObject | undefined;
  readonly run?: JsonObject | undefined;
  readonly config?: JsonObject | undefined;
}

/** Sections of a plan whose entries can be edited. */
export type EditedSection = "tools" | "hooks";

/** Options for trying entries before a plan gets them. `cwd` is the plan's folder. */
export interface TryOptions extends OpenHostOptions {
  readonly section: EditedSection;
  /** Imports the modules. Without it, only manifests are read, and no code runs. */
  readonly load: boolean;
}

/** Facts about entries that are not in a plan yet. */
export interface TriedEntries {
  /** Why they cannot be mounted. */
  readonly problems: readonly Problem[];
  /** Variables that are not set yet: they may be set later, and until then no module is tried. */
  readonly missing: readonly Problem[];
  /** Ids of entries that only importing their modules could check. */
  readonly unknown: readonly string[];
  /** Entries whose tools a mount of their module alone would show: modules of other libraries, and those behind a border. */
  readonly mountable: readonly NewEntry[];
  /** Where the calls of each entry behind a border run, by its id. */
  readonly runs: ReadonlyMap<string, ElsewhereRun>;
}

/** Finds the modules of entries, and checks their configs. Mounts nothing. A module behind a border is not imported either. */
export async function tryEntries(
  entries: readonly NewEntry[],
  { section, load, ...options }: TryOptions,
): Promise<TriedEntries> {
  const filled = fillOptions(options);
  const loaded = await loadPlan({ version: 1, [section]: entries }, filled);
  const { inspected } = await inspectLoaded(loaded, filled);
  const problems = inspected.problems.filter(({ code }) => code !== "VARIABLE_MISSING");
  const missing = inspected.problems.filter(({ code }) => code === "VARIABLE_MISSING");
  const uses = loaded.modules.filter(({ entry }) => entry !== null);
  const runs = new Map(
    uses.flatMap(({ id, entry }) => (isBehindBorder(entry!) ? [[id, runOf(entry!)!] as const] : [])),
  );
  const known = { problems, missing, runs, mountable: [] };
  if (missing.length > 0 || problems.length > 0) return { ...known, unknown: [] };
  // A module behind a border shows its tools only when it runs there.
  if (!load) return { ...known, unknown: [...new Set([...inspected.unknown, ...runs.keys()])] };
  const context = createMountContext(loaded, filled);
  const prepared = await Promise.all(uses.map((use) => prepareModule(use, context)));
  return {
    ...known,
    unknown: [],
    problems: prepared.flatMap((use) => ("problems" in use ? use.problems : [])),
    mountable: prepared.flatMap((use, at) => {
      if (!("module" in use)) return [];
      return use.module.kind === "foreign" || runs.has(uses[at]!.id) ? [entries[at]!] : [];
    }),
  };
}
