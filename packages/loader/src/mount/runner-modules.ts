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

/**
 * Names a runner for each different `run` of entries. The first runner for a place has the name of the place; others get a
 * number.
 */
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

/**
 * Adds `run: { in: process }` to entries of fetched tool modules without a `run`, if the host has a runner for processes. Their
 * border is then the strictest one.
 */
export function isolateFetched(plan: Plan, extensions: GivenModules): Plan {
  if (!Object.hasOwn(extensions, runnerTable["process"]!)) return plan;
  // A module of Amplifier that is replaced by an installed package of toolmount is not fetched.
  const isMapped = ({ section, module, source }: PlanEntry) =>
    plan.amplifier && mapForeign(section, module, source) !== undefined;
  const entries = plan.entries.map((entry) =>
    entry.section === "tools" && entry.run === undefined && isRemote(entry.source) && !isMapped(entry)
      ? { ...entry, run: { in: "process" } }
      : entry,
  );
  return { ...plan, entries };
}

/** The `run` of an entry whose calls do not run in the host, with the default border filled in. */
export type ElsewhereRun = JsonObject & { readonly in: string };

/**
 * Returns where the calls of an entry run, and behind which border; undefined for the host. A fetched module gets the strictest
 * border by default, except in a layer.
 */
export function runOf(entry: Pick<PlanEntry, "run" | "source">): ElsewhereRun | undefined {
  const { run } = entry;
  if (run === undefined || run.in === "inline") return undefined;
  const settings = run as ElsewhereRun;
  return isRemote(entry.source) && settings["border"] === undefined && settings.in !== "layer"
    ? { ...settings, border: "strictest" }
    : settings;
}

/** Returns why a module cannot run in the place that its entry names, by its manifest; null if it can. */
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

/**
 * Returns why calls of a module must run in the host; null if they need not. Without a border, the host imports the module, so
 * `onSessionReady` is called there.
 */
function hostRefusal({ hostOnly }: ModuleManifest): string | null {
  if (hostOnly === undefined || hostOnly === waitsForPlan) return null;
  return `${hostOnly}, which its calls can do only in the host; write run: { in: inline }, or no run`;
}

/** Tests whether the calls of an entry run behind a border. The host does not import its module then. */
export function isBehindBorder(entry: Pick<PlanEntry, "run" | "source">): boolean {
  return (runOf(entry)?.["border"] ?? "none") !== "none";
}

/**
 * Something that a module does besides mounting tools. `grant` is the key and the name with which `run` in a plan can allow it;
 * absent if it cannot.
 */
interface HostUse {
  readonly what: string;
  readonly grant?: readonly [key: "hooks" | "capabilities", name: string];
}

/** Returns the first {@link HostUse} of a module that the plan does not allow; undefined if it allows all. */
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
  // Only processes that this host starts can use hooks and capabilities of the host; other runners cannot.
  if (run.in !== "process") return uses[0] && { what: uses[0].what };
  return uses.find(({ grant }) => grant === undefined || !readNames(run[grant[0]]).includes(grant[1]));
}

/** Capabilities that every process in which calls run has by itself. */
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

/** Returns the modules that run calls elsewhere, each with its runners as config. */
export function listRunnerModules(settings: readonly RunnerSettings[]): ModuleUse[] {
  const byModule = Map.groupBy(settings, ({ place }) => runnerTable[place] ?? place);
  return [...byModule].map(([module, list]) => {
    const { place, path } = list[0]!;
    const runners = list.map(({ name, run }) => ({ name, ...run }));
    const use = extensionUse(module, `run.in: ${place}`, { path, configPath: path }, { runners });
    // The use has the path of an entry, but no entry names this module.
    return { ...use, section: "run" };
  });
}
