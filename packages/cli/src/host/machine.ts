import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isToolmountError } from "@toolmount/core";
import { basicVariables, delegatedGroup, programCommand, proveLayer, proveSandbox } from "@toolmount/sandbox";
import type { BorderName } from "@toolmount/sandbox";
import type { Shell } from "../process/shell.ts";
import { printable } from "../screen/printable.ts";
import { unsupportedOn } from "./platform-support.ts";

/** One line of `doctor` about this machine. */
export interface MachineFinding {
  readonly what: string;
  readonly state: "ok" | "missing";
  readonly says: string;
  /** Descriptions of attempts to break out of a border, which all failed. */
  readonly stopped?: readonly string[];
}

/** Tries the programs and borders that toolmount uses. Most findings come from a trial, not from a version number. */
export async function examineMachine(shell: Shell): Promise<MachineFinding[]> {
  const node: MachineFinding = { what: "node", state: "ok", says: process.versions.node };
  const [programs, borders, wall, layer, fleet] = await Promise.all([
    examinePrograms(shell),
    examineBorders(shell),
    examineWall(shell),
    examineLayer(shell),
    examineFleet(),
  ]);
  return [node, platformFinding(process.platform), ...programs, ...borders, wall, layer, fleet];
}

/** Returns a finding that says what toolmount cannot do on an operating system. */
export function platformFinding(platform: NodeJS.Platform): MachineFinding {
  const lacks = unsupportedOn(platform);
  return lacks.length === 0
    ? { what: "platform", state: "ok", says: `${platform} has all that toolmount can do` }
    : { what: "platform", state: "missing", says: `${platform}: ${lacks.join("; ")}` };
}

function examinePrograms(shell: Shell): Promise<MachineFinding[]> {
  const findings = ["npm", "git"].map(async (what): Promise<MachineFinding> => {
    const version = await run(what, ["--version"], shell);
    return version === undefined
      ? { what, state: "missing", says: "not found; toolmount install needs it" }
      : { what, state: "ok", says: version };
  });
  return Promise.all(findings);
}

/** A short description of each working border; docs/isolation.md has the table. */
const borders = {
  bubblewrap: "bubblewrap can keep a process from files, the network and other processes",
  srt: "sandbox-runtime can keep a process from files, and from hosts that the plan does not list",
  permission: "Node can keep a process from files, as a belt: it is no wall against hostile code",
} as const;

/** Returns the rights of a process that is started only to test a border: it may use no file and no network. */
function nothingGranted({ cwd, env: { PATH = "", HOME = "" } }: Shell) {
  const nothing = { read: [], write: [], denied: [], network: undefined, memoryMb: undefined };
  return { ...nothing, env: { PATH, HOME }, cwd };
}

/**
 * Returns the border that `strictest` in a plan means on this machine; undefined if none works. Starts a process behind the
 * border.
 */
export async function findStrictestBorder(shell: Shell): Promise<BorderName | undefined> {
  const { chooseBorder } = await import("@toolmount/sandbox");
  try {
    return (await chooseBorder("strictest", nothingGranted(shell))).name;
  } catch (error) {
    if (isToolmountError(error) && error.code === "SANDBOX_UNAVAILABLE") return undefined;
    throw error;
  }
}

/** Tries each border by starting a process behind it. */
async function examineBorders(shell: Shell): Promise<MachineFinding[]> {
  const { examineBorders: examine } = await import("@toolmount/sandbox");
  const examined = await examine(nothingGranted(shell));
  const strictest = (["bubblewrap", "permission"] as const).find(
    (name) => examined.get(name)?.problem === null,
  );
  const findings = [...examined].map(([what, { problem, stopped }]): MachineFinding => {
    return problem === null
      ? { what, state: "ok", says: borders[what], stopped }
      : { what, state: "missing", says: problem };
  });
  const weak = strictest === "permission" ? ", which is no wall: see the line of bubblewrap" : "";
  const says = `calls can run in processes of their own; border: strictest is ${strictest ?? "not there"} here${weak}`;
  return [{ what: "process", state: "ok", says }, ...findings, limitsFinding()];
}

/** Returns a finding that says whether the kernel limits the memory and the processes of calls, or toolmount measures them. */
function limitsFinding(): MachineFinding {
  const says =
    delegatedGroup() === null
      ? "memory and processes of calls are measured; the kernel keeps them where cgroup v2 is delegated to toolmount"
      : "the kernel keeps the memory and the processes of calls, by cgroup v2";
  return { what: "limits", state: "ok", says };
}

/** Tries the sandbox in which commands of `bash` run by default. */
async function examineWall({ env }: Shell): Promise<MachineFinding> {
  const { problem, stopped } = await proveSandbox({ kind: "wall", env, isFresh: true });
  return problem === null
    ? { what: "bash", state: "ok", says: "commands run behind a wall of bubblewrap", stopped }
    : { what: "bash", state: "missing", says: `commands run with the rights of the host: ${problem}` };
}

/** Tries to open a layer over an empty folder. */
async function examineLayer({ env }: Pick<Shell, "env">): Promise<MachineFinding> {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-doctor-"));
  try {
    const proof = await proveLayer({ folder, env });
    return "problem" in proof
      ? { what: "layer", state: "missing", says: proof.problem }
      : {
          what: "layer",
          state: "ok",
          says: `changes of files can wait until they are kept: ${proof.engine}`,
        };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns how tools that change a folder should work: in a layer if this machine can open one; otherwise each change asks. */
export async function workPlace(shell: Shell): Promise<"layer" | "asking"> {
  const { state, says } = await examineLayer(shell);
  if (state === "ok") return "layer";
  shell.err.line(`no layer here, so each change asks: ${printable(says)}`);
  return "asking";
}

/**
 * Tests whether the packages that deliver the calls of a fleet can be loaded. The database depends on a plan and is not tried.
 */
async function examineFleet(): Promise<MachineFinding> {
  const { examineEngines } = await import("@toolmount/workers");
  const problem = await examineEngines();
  return problem === null
    ? {
        what: "fleet",
        state: "ok",
        says: "calls can run on workers of other machines; the plan needs state: postgres://…",
      }
    : { what: "fleet", state: "missing", says: problem };
}

/** Returns the output of a program; undefined if it is not found or fails. */
async function run(
  program: string,
  words: readonly string[],
  { env, cwd }: Shell,
): Promise<string | undefined> {
  try {
    const { file, args, options } = programCommand(program, words, { platform: process.platform, env });
    const { stdout } = await promisify(execFile)(file, args, {
      ...options,
      cwd,
      env: Object.fromEntries(basicVariables().map((name) => [name, env[name]])),
      timeout: 10_000,
    });
    return stdout.trim().replace(/^git version /, "");
  } catch {
    return undefined;
  }
}
