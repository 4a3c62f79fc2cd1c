import type { OpenHostOptions, Problem } from "@toolmount/loader";
import type { EditedSection, InspectedEntry, NewEntry } from "@toolmount/loader/commands";
import { loaderOptions } from "../host/loader-options.ts";
import type { Shell } from "../process/shell.ts";
import type { TriedTool, TryReport, TryRequest } from "./mount-process.ts";
import { runTrial } from "./run-trial.ts";

/** The results of trying new entries. */
export interface Trial {
  /** Why the entries cannot be mounted; empty if they can. */
  readonly problems: readonly Problem[];
  /** Environment variables that must be set before the modules can be tried. */
  readonly missing: readonly Problem[];
  readonly tools: readonly TriedTool[];
  /** Where the calls of the first entry run; undefined if they run in the host. */
  readonly run: InspectedEntry["run"];
}

interface TryPlace {
  readonly section: EditedSection;
  readonly folder: string;
  readonly load: boolean;
  readonly shell: Shell;
}

/**
 * Tries entries before they are added to a plan. Manifests are read first. A module without a manifest is mounted in a separate
 * process, behind the border of its entry if it has one. Without `load`, no code runs.
 */
export async function tryNew(
  entries: readonly NewEntry[],
  { section, folder, load, shell }: TryPlace,
): Promise<Trial> {
  const { tryEntries } = await import("@toolmount/loader/commands");
  const options: OpenHostOptions = { ...loaderOptions({}, shell), cwd: folder };
  const { problems, missing, unknown, runs } = await tryEntries(entries, {
    ...options,
    section,
    load: false,
  });
  const [run] = runs.values();
  const found = { problems: problems.map(withoutPath), missing, tools: [], run };
  if (problems.length > 0 || unknown.length === 0 || !load) return found;
  const request: TryRequest = { entries, section, cwd: folder, verbosity: shell.settings.verbosity };
  const tried = await shell.interruptible(({ signal }) =>
    runTrial<TryReport, Step>("mount-process", request, { during: "import" }, signal),
  );
  if (tried.kind === "report")
    return { ...found, problems: tried.report.problems.map(withoutPath), tools: tried.report.tools };
  const message = `${unknown.join(", ")} cannot be added; when it is imported, ${tried.incident.problem}`;
  return { ...found, problems: [{ code: "MODULE_IMPORT_FAILED", message }] };
}

/** Removes the path from a problem, because the entry is not in the plan yet. */
function withoutPath({ path: _, ...problem }: Problem): Problem {
  return problem;
}

interface Step {
  readonly during: "import";
}
