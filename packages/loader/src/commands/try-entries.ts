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

/** Options for trying entries before they are in a plan. `cwd` is the folder of the plan that will get them. */
export interface TryOptions extends OpenHostOptions {
  readonly section: EditedSection;
  /** Whether the modules are imported. Otherwise only manifests are read, and no code runs. */
  readonly load: boolean;
}

/** What is known about entries that are not in a plan yet. */
export interface TriedEntries {
  /** Why the entries cannot be mounted. */
  readonly problems: readonly Problem[];
  /** Variables that are not set. They may be set later; until then, no module is tried. */
  readonly missing: readonly Problem[];
  /** Ids of entries that only importing their modules could check. */
  readonly unknown: readonly string[];
  /**
   * Entries whose tools are known only after mounting them without the rest of the plan: modules of other libraries, and modules
   * behind a border.
   */
  readonly mountable: readonly NewEntry[];
  /** By entry id, where the calls of entries behind a border run. */
  readonly runs: ReadonlyMap<string, ElsewhereRun>;
}

/**
 * Finds the modules of entries, and checks their configs. Mounts none of them. With `load`, imports those that do not run behind
 * a border.
 */
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
  // A module behind a border must not be imported in this process, so its tools stay unknown.
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
