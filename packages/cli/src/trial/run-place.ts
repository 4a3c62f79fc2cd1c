import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isBelow } from "@toolmount/paths";
import type { OpenedPlan } from "@toolmount/loader";
import type { InspectedEntry } from "@toolmount/loader/commands";
import { findStrictestBorder } from "../host/machine.ts";
import { repositoryAround } from "../scaffold/init-files.ts";
import type { Shell } from "../process/shell.ts";

const places: Readonly<Record<string, string>> = { fleet: "on a fleet", server: "at its server" };

/** What a fleet does not do. */
const noUndo = "; toolmount undo and rehearsals do not reach them";

type Entry = Pick<InspectedEntry, "run">;

/** The layer of a plan on this machine. */
export interface LayerFinding {
  readonly folder: string;
  /** Why the machine or the folder cannot have one. */
  readonly problem?: string | undefined;
  /** The entries of tools whose calls run outside of it. */
  readonly outside: readonly string[];
  /** The folder of the files' git repository, where it is outside: commands cannot commit there. */
  readonly repository?: string | undefined;
}

/** Opens a layer as a trial, where the plan has one. */
export async function describeLayer(
  { folder, written }: Pick<OpenedPlan, "folder" | "written">,
  entries: readonly Pick<InspectedEntry, "id" | "section" | "run">[],
  { env }: Pick<Shell, "env">,
): Promise<LayerFinding | undefined> {
  const { layer } = written;
  if (typeof layer !== "string") return undefined;
  const { proveLayer } = await import("@toolmount/sandbox");
  const place = resolve(folder, layer);
  const proof = await proveLayer({ folder: place, env });
  const outside = entries.filter(({ section, run }) => section === "tools" && run?.in !== "layer");
  const problem = "problem" in proof ? proof.problem : undefined;
  const repository = problem === undefined ? repositoryOutside(realpathSync(place)) : undefined;
  return { folder: layer, problem, outside: outside.map(({ id }) => id), repository };
}

/** Of a worktree, and of a folder in a repository, git has its own files elsewhere. */
function repositoryOutside(folder: string): string | undefined {
  const at = repositoryAround(folder);
  if (at === undefined) return undefined;
  const own = join(at, ".git");
  const text = lstatSync(own).isFile() ? readFileSync(own, "utf8") : "";
  const [, linked = own] = /^gitdir: (.+)$/m.exec(text) ?? [];
  const repository = resolve(at, linked);
  return isBelow(repository, folder) ? undefined : repository;
}

/** What can be said of the calls of an entry; undefined for calls in the host, and where there is no border. */
interface Described {
  /** Where the calls run, behind which border here, which parts of the host reach them, and which `members` do not. */
  readonly place: (entry: Entry, members: readonly string[]) => string | undefined;
  /** What the border keeps from them. */
  readonly denied: (entry: Entry) => string | undefined;
}

/** What a layer does on this machine, as a line of a report. */
export function layerLine({ folder, problem, outside, repository }: LayerFinding): string {
  if (problem !== undefined) return `  layer ${folder}: NOT on this machine, so its calls fail: ${problem}`;
  const names = [...outside, ...(repository === undefined ? [] : [`the git repository ${repository}`])];
  const others = names.length === 0 ? "" : `; nothing waits of ${names.join(", ")}`;
  return `  layer ${folder}: changes wait there until a person keeps them; commands without the network ask nothing${others}`;
}

/** A border's name, with what it is not. */
function nameOf(border: string): string {
  return border === "permission" ? "permission, which is no wall against hostile code" : border;
}

/** Describes where the calls of entries run. Borders are tried only where the plan needs that. */
export async function describeRuns(entries: readonly Entry[], shell: Shell): Promise<Described> {
  const isOpen = entries.some(({ run }) => run?.["border"] === "strictest");
  const strictest = isOpen ? await findStrictestBorder(shell) : undefined;
  return {
    place: ({ run }, members) =>
      run === undefined ? undefined : `${placeOf(run, strictest)}${crossing(run)}${withheld(run, members)}`,
    denied: ({ run }) => (run === undefined ? undefined : deniedBy(run, strictest)),
  };
}

type Run = NonNullable<InspectedEntry["run"]>;

function placeOf(run: Run, strictest: string | undefined): string {
  if (run.in === "layer") return `in the layer over ${run["folder"] as string}`;
  const border = run["border"] ?? (run.in === "fleet" ? undefined : "none");
  const place = places[run.in] ?? "in a process";
  return `${place}, ${behind(border as string | undefined, strictest)}${run.in === "fleet" ? noUndo : ""}`;
}

/** What the plan lets a module do beside its tools. */
function crossing({ hooks, capabilities }: Run): string {
  const what = [
    ...namesOf("its hooks decide or hear", hooks),
    ...namesOf("it may register and use", capabilities),
  ];
  return what.length === 0 ? "" : `; ${what.join("; ")}`;
}

function namesOf(what: string, names: unknown): string[] {
  return Array.isArray(names) && names.length > 0 ? [`${what} ${names.join(", ")}`] : [];
}

/** Members that other modules add to the context of tools do not reach a process. A worker mounts these modules itself. */
function withheld(run: Run, members: readonly string[]): string {
  const isApart = run.in === "process" || (run.in === "fleet" && run["border"] !== undefined);
  if (!isApart || members.length === 0) return "";
  return `; ${members.map((name) => `context.${name}`).join(", ")} of other modules stays in the host`;
}

function behind(border: string | undefined, strictest: string | undefined): string {
  if (border === undefined) return "in the workers themselves";
  if (border === "none") return "without a border";
  if (border !== "strictest") return `behind ${nameOf(border)}`;
  return strictest === undefined
    ? "behind the strictest border, but no border works on this machine"
    : `behind the strictest border that works on this machine: ${nameOf(strictest)}`;
}

function deniedBy(run: Run, strictest: string | undefined): string | undefined {
  const named = run["border"] === "strictest" ? strictest : run["border"];
  if (named === undefined || named === "none") return undefined;
  const { network, read, write, env } = run;
  const denied = [
    network === "any" || (named === "permission" && !coversNetwork)
      ? undefined
      : `the network${except(network)}`,
    `${named === "srt" ? "files of the home folder" : "files"} but its own code${except(read)}`,
    `writing${except(write)}`,
    `variables of the host${except(env)}`,
  ];
  return denied.filter((text) => text !== undefined).join(", ");
}

/** Before Node 25 the permission model leaves the network open. */
const coversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

function except(allowed: unknown): string {
  return Array.isArray(allowed) && allowed.length > 0 ? ` (but ${allowed.join(", ")})` : "";
}
