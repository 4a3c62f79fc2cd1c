import type { JsonObject } from "@toolmount/core";
import type { Path } from "../diagnostics/positions.ts";
import type { ModuleManifest } from "../modules/manifest.ts";
import { runnerTable } from "../modules/section-table.ts";
import type { PlanEntry } from "../plan/check-entries.ts";
import type { GivenModules } from "../modules/resolve.ts";
import type { Plan } from "../plan/check-plan.ts";
import { extensionUse, type ModuleUse } from "./module-use.ts";

interface RunnerSettings {
  readonly name: string;
  readonly place: string;
  readonly run: JsonObject;
  readonly path: Path;
}

/** Names one runner for each different `run`; the first runner of a place has the name of the place. */
export function nameRunners(entries: readonly PlanEntry[]): {
  readonly settings: readonly RunnerSettings[];
  readonly names: ReadonlyMap<PlanEntry, string>;
} {
  const settings: RunnerSettings[] = [];
  const names = new Map<PlanEntry, string>();
  for (const entry of entries) {
    const run = runOf(entry);
    if (run === undefined) continue;
    const place = run.in;
    const known = settings.find((other) => JSON.stringify(other.run) === JSON.stringify(run));
    const others = settings.filter((other) => other.place === place).length;
    const name = known?.name ?? (others === 0 ? place : `${place}-${others + 1}`);
    if (known === undefined) settings.push({ name, place, run, path: [...entry.path, "run"] });
    names.set(entry, name);
  }
  return { settings, names };
}

/** Gives fetched modules of tools a process with the strictest border, if the plan names no run and the host has one. */
export function isolateFetched(plan: Plan, extensions: GivenModules): Plan {
  if (plan.amplifier || !Object.hasOwn(extensions, runnerTable["process"]!)) return plan;
  const entries = plan.entries.map((entry) =>
    entry.section === "tools" && entry.run === undefined && isFetched(entry)
      ? { ...entry, run: { in: "process" } }
      : entry,
  );
  return { ...plan, entries };
}

/** Whether a module comes from a registry or a repository. */
function isFetched({ source }: Pick<PlanEntry, "source">): boolean {
  return typeof source === "string" && /^(npm:|git\+)/.test(source);
}

/** Where calls run that do not run in the host: `run` of the plan, with its default border. */
export type ElsewhereRun = JsonObject & { readonly in: string };

/**
 * Returns where the calls of an entry run; undefined for the host. A fetched module gets the strictest border by
 * default.
 */
export function runOf(entry: Pick<PlanEntry, "run" | "source">): ElsewhereRun | undefined {
  const { run } = entry;
  if (run === undefined || run.in === "inline") return undefined;
  const settings = run as ElsewhereRun;
  return isFetched(entry) && settings["border"] === undefined
    ? { ...settings, border: "strictest" }
    : settings;
}

/** Why the manifest of a module says that it cannot run behind the border of its entry; null when it may. */
export function borderRefusal(
  entry: Pick<PlanEntry, "run" | "source"> | null,
  manifest: ModuleManifest | undefined,
): string | null {
  if (entry === null || manifest === undefined || !isBehindBorder(entry)) return null;
  const what = hostUse(manifest);
  return what === undefined
    ? null
    : `${what}, which is not possible behind a border; if you trust its code, write run: { in: inline }`;
}

/** Whether the host leaves a module to the process in which its calls run. */
export function isBehindBorder(entry: Pick<PlanEntry, "run" | "source">): boolean {
  return (runOf(entry)?.["border"] ?? "none") !== "none";
}

function hostUse({ hostOnly, mounts, provides }: ModuleManifest): string | undefined {
  const point = mounts.find((each) => each !== "tools");
  if (hostOnly !== undefined) return hostOnly;
  if (point !== undefined) return `it mounts at "${point}"`;
  return provides[0] === undefined ? undefined : `it registers the capability "${provides[0]}"`;
}

/** The modules that mount those runners, each with its runners as config. */
export function listRunnerModules(settings: readonly RunnerSettings[]): ModuleUse[] {
  const byModule = Map.groupBy(settings, ({ place }) => runnerTable[place] ?? place);
  return [...byModule].map(([module, list]) => {
    const { place, path } = list[0]!;
    const runners = list.map(({ name, run }) => ({ name, ...run }));
    return extensionUse(module, `run.in: ${place}`, { path, configPath: path }, { runners });
  });
}
