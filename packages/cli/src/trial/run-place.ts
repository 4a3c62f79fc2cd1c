import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isBelow } from "@toolmount/paths";
import type { OpenedPlan } from "@toolmount/loader";
import type { InspectedEntry } from "@toolmount/loader/commands";
import { findStrictestBorder } from "../host/machine.ts";
import { repositoryAround } from "../scaffold/init-files.ts";
import type { Shell } from "../process/shell.ts";

const places: Readonly<Record<string, string>> = { fleet: "on a fleet", server: "at its server" };

/** What calls on other machines do not support, as the end of a sentence. */
const noUndo = "; toolmount undo and rehearsals do not reach them";

type Entry = Pick<InspectedEntry, "run">;

/** What a plan's layer can do on this machine. */
export interface LayerFinding {
  readonly folder: string;
  /** Why this machine cannot open a layer, or why not over this folder; undefined if it can. */
  readonly problem?: string | undefined;
  /** Ids of the entries whose calls run outside of the layer. */
  readonly outside: readonly string[];
  /**
   * The folder of the files' git repository, if that folder is outside of the layer. Commands in the layer cannot commit then.
   */
  readonly repository?: string | undefined;
}

/** Tests whether the plan's layer works on this machine. Returns undefined for a plan without a layer. */
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

/**
 * Returns the folder of the git repository if it is outside of `folder`, as with a worktree or a folder inside of a repository.
 */
function repositoryOutside(folder: string): string | undefined {
  const at = repositoryAround(folder);
  if (at === undefined) return undefined;
  const own = join(at, ".git");
  const text = lstatSync(own).isFile() ? readFileSync(own, "utf8") : "";
  const [, linked = own] = /^gitdir: (.+)$/m.exec(text) ?? [];
  const repository = resolve(at, linked);
  return isBelow(repository, folder) ? undefined : repository;
}

/** Functions that describe where the calls of an entry run. Both return undefined for calls in the host. */
interface Described {
  /**
   * Returns where the calls run and behind which border, what the plan allows the module besides its tools, and which `members`
   * of the context its calls lack.
   */
  readonly place: (entry: Entry, members: readonly string[]) => string | undefined;
  /** Returns what the border denies to the calls. */
  readonly denied: (entry: Entry) => string | undefined;
}

/** Returns a line about what a layer does on this machine. */
export function layerLine({ folder, problem, outside, repository }: LayerFinding): string {
  if (problem !== undefined) return `  layer ${folder}: NOT on this machine, so its calls fail: ${problem}`;
  const names = [...outside, ...(repository === undefined ? [] : [`the git repository ${repository}`])];
  const others = names.length === 0 ? "" : `; nothing waits of ${names.join(", ")}`;
  return `  layer ${folder}: changes wait there until a person keeps them; commands without the network ask nothing${others}`;
}

/** Returns a border's name. For `permission`, adds what it does not protect against. */
function nameOf(border: string): string {
  return border === "permission" ? "permission, which is no wall against hostile code" : border;
}

/**
 * Returns the functions that describe where the calls of entries run. Starts a process to test borders only if an entry has the
 * border `strictest`.
 */
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

/** Describes what the plan allows a module besides its tools: events for its hooks, and capabilities. */
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

/**
 * Names the members of `context` from other modules that calls in a separate process lack. A worker of a fleet mounts these
 * modules itself, so calls without a border have the members.
 */
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

/** Whether Node's permission model covers the network: before Node 25 it does not. */
const coversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

function except(allowed: unknown): string {
  return Array.isArray(allowed) && allowed.length > 0 ? ` (but ${allowed.join(", ")})` : "";
}
