import type { JsonObject } from "@toolmount/core";
import { isHostCapability } from "@toolmount/core/internal";
import type { Path } from "../diagnostics/positions.ts";
import { waitsForPlan, type ModuleManifest } from "../modules/manifest.ts";
import { runnerTable } from "../modules/section-table.ts";
import { isRemote } from "../modules/source.ts";
import { mapForeign } from "../plan/amplifier.ts";
import type { PlanEntry } from "../plan/check-entries.ts";
import type { GivenModules } from "../modules/source.ts";
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

/** Lets fetched tool modules without a `run` run in a process with the strictest border, if the host has such a runner. */
export function isolateFetched(plan: Plan, extensions: GivenModules): Plan {
  if (!Object.hasOwn(extensions, runnerTable["process"]!)) return plan;
  // A mapped module of Amplifier is an installed package of toolmount.
  const isMapped = ({ section, module, source }: PlanEntry) =>
    plan.amplifier && mapForeign(section, module, source) !== undefined;
  const entries = plan.entries.map((entry) =>
    entry.section === "tools" && entry.run === undefined && isRemote(entry.source) && !isMapped(entry)
      ? { ...entry, run: { in: "process" } }
      : entry,
  );
  return { ...plan, entries };
}

/** Settings for calls that do not run in the host: `run` of the plan, with its default border. */
export type ElsewhereRun = JsonObject & { readonly in: string };

/**
 * Returns where the calls of an entry run; undefined for the host. A fetched module gets the strictest border by
 * default.
 */
export function runOf(entry: Pick<PlanEntry, "run" | "source">): ElsewhereRun | undefined {
  const { run } = entry;
  if (run === undefined || run.in === "inline") return undefined;
  const settings = run as ElsewhereRun;
  return isRemote(entry.source) && settings["border"] === undefined && settings.in !== "layer"
    ? { ...settings, border: "strictest" }
    : settings;
}

/** Returns why a module, by its manifest, cannot run in the place that its entry names; null if it can. */
export function runRefusal(
  entry: Pick<PlanEntry, "run" | "source"> | null,
  manifest: ModuleManifest | undefined,
): string | null {
  if (entry === null || manifest === undefined || runOf(entry) === undefined) return null;
  if (!isBehindBorder(entry)) return hostRefusal(manifest);
  const use = hostUse(manifest, runOf(entry)!);
  if (use === undefined) return null;
  const trust = "if you trust its code, write run: { in: inline }";
  if (use.grant === undefined) return `${use.what}, which is not possible behind a border; ${trust}`;
  const grant = `run: { in: process, ${use.grant[0]}: [${JSON.stringify(use.grant[1])}] }`;
  return `${use.what}, which the plan has to allow behind a border: write ${grant}; or, ${trust}`;
}

/** Returns why calls must run in the host. Without a border the host imports the module too, so its work at import is done there. */
function hostRefusal({ hostOnly }: ModuleManifest): string | null {
  if (hostOnly === undefined || hostOnly === waitsForPlan) return null;
  return `${hostOnly}, which its calls can do only in the host; write run: { in: inline }, or no run`;
}

/** Tests whether only the process in which its calls run imports the module of an entry, and not the host. */
export function isBehindBorder(entry: Pick<PlanEntry, "run" | "source">): boolean {
  return (runOf(entry)?.["border"] ?? "none") !== "none";
}

/** Something that a module does besides mounting tools, and the line of a plan that would allow it. */
interface HostUse {
  readonly what: string;
  readonly grant?: readonly [key: "hooks" | "capabilities", name: string];
}

/** Returns the first use of the host that the plan does not allow. */
function hostUse(manifest: ModuleManifest, run: ElsewhereRun): HostUse | undefined {
  const { hostOnly, mounts, provides, needs, hooks = [], context = [] } = manifest;
  const point = mounts.find((each) => each !== "tools");
  if (hostOnly !== undefined) return { what: hostOnly };
  if (point !== undefined) return { what: `it mounts at "${point}"` };
  if (context[0] !== undefined) return { what: `it adds "${context[0]}" to the context of tools` };
  const uses: readonly HostUse[] = [
    ...hooks.map((event) => useOf(`it registers a hook on "${event}"`, "hooks", event)),
    ...provides.map((name) => useOf(`it registers the capability "${name}"`, "capabilities", name)),
    ...needs
      .filter((name) => !knownInProcess.has(name))
      .map((name) => useOf(`it needs the capability "${name}"`, "capabilities", name)),
  ];
  // Hooks and capabilities reach only processes of this host, not other runners.
  if (run.in !== "process") return uses[0] && { what: uses[0].what };
  return uses.find(({ grant }) => grant === undefined || !readNames(run[grant[0]]).includes(grant[1]));
}

/** Capabilities that exist in each process. */
const knownInProcess: ReadonlySet<string> = new Set([
  "session.working_dir",
  "session.protected_paths",
  "session.secret_paths",
]);

function useOf(what: string, key: "hooks" | "capabilities", name: string): HostUse {
  return key === "capabilities" && isHostCapability(name) ? { what } : { what, grant: [key, name] };
}

function readNames(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the modules that mount the given runners, each with its runners as config. */
export function listRunnerModules(settings: readonly RunnerSettings[]): ModuleUse[] {
  const byModule = Map.groupBy(settings, ({ place }) => runnerTable[place] ?? place);
  return [...byModule].map(([module, list]) => {
    const { place, path } = list[0]!;
    const runners = list.map(({ name, run }) => ({ name, ...run }));
    const use = extensionUse(module, `run.in: ${place}`, { path, configPath: path }, { runners });
    // Its place is that of an entry, but the plan does not list it.
    return { ...use, section: "run" };
  });
}
