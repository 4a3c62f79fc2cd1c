import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { childrenOf } from "./process-usage.ts";

/** Lists, starts and signals processes. Tests use another implementation. */
export interface ProcessSystem {
  readonly platform: NodeJS.Platform;
  /** Like `process.kill`: throws if there is no such process. */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Returns the id of every process with that of its parent. */
  parents(): readonly (readonly [number, number])[];
  /** Starts a program and does not wait for it. */
  start(file: string, args: readonly string[], onError: () => void): void;
}

/** The system that this process runs on. */
export const thisSystem: ProcessSystem = {
  platform: process.platform,
  kill: (pid, signal) => void process.kill(pid, signal),
  parents: readParents,
  start(file, args, onError) {
    spawn(file, args, { stdio: "ignore", windowsHide: true }).once("error", onError);
  },
};

/**
 * Starts a program like `spawn` of Node. Throws if this process has no file descriptors left: Node would return a child without
 * streams, and report the error by an event, which ends a process that does not listen for it.
 */
export function spawnChild(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(file, args, options);
  if ((child.stdio as unknown) !== undefined) return child;
  child.once("error", () => {});
  throw new Error(`${file} could not be started: this process has too many open files`);
}

/** Options of `spawn` for a program that `signalTree` can end with everything it starts. */
export function treeOptions(
  platform: NodeJS.Platform = process.platform,
): Pick<SpawnOptions, "detached" | "windowsHide"> {
  // On POSIX a detached program leads a process group. On Windows it would get a console window, and there are no groups.
  return { detached: platform !== "win32", windowsHide: true };
}

/**
 * Signals a program that was started with {@link treeOptions}, and everything that it started. `0` signals nothing. Returns
 * whether there was a process to signal.
 *
 * Windows has no SIGTERM, so that does nothing there; SIGKILL is `taskkill /t /f`, which does not find processes whose parent
 * has ended.
 */
export function signalTree(
  pid: number,
  signal: "SIGTERM" | "SIGKILL" | 0,
  system: ProcessSystem = thisSystem,
): boolean {
  if (system.platform !== "win32") return reaches(-pid, signal, system);
  const isAlive = reaches(pid, 0, system);
  if (isAlive && signal === "SIGKILL")
    system.start("taskkill", ["/pid", String(pid), "/t", "/f"], () => void reaches(pid, "SIGKILL", system));
  return isAlive;
}

/**
 * Kills a program that was started with {@link treeOptions}, and every process below it, including leaders of other groups. All
 * are stopped first, so that none of them starts another. A process whose parent has ended is not found.
 */
export function killTree(pid: number, system: ProcessSystem = thisSystem): void {
  if (system.platform === "win32") {
    signalTree(pid, "SIGKILL", system);
    return;
  }
  const tree = new Set<number>();
  const isNew = (one: number) => !tree.has(one);
  try {
    for (let found = [pid]; found.length > 0; found = descendantsOf(pid, system).filter(isNew))
      for (const one of found) {
        tree.add(one);
        reaches(one, "SIGSTOP", system);
      }
  } finally {
    signalTree(pid, "SIGKILL", system);
    for (const one of tree) reaches(one, "SIGKILL", system);
  }
}

/**
 * Kills the program that a process has started in other namespaces and waits for, as `nsenter` does. The waiting process stays
 * and collects the program, because otherwise the first process of a container had to. If that one does not, the end of the
 * namespace waits for it.
 */
export function killEntered(child: ChildProcess): void {
  const programs = childrenOf(child.pid ?? 0);
  if (programs.length === 0) child.kill("SIGKILL");
  for (const one of programs) reaches(one, "SIGKILL", thisSystem);
}

function descendantsOf(pid: number, system: ProcessSystem): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of system.parents())
    children.set(parent, [...(children.get(parent) ?? []), child]);
  const below = (one: number): number[] =>
    (children.get(one) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

/** Returns every process of this machine with its parent, from `/proc` on Linux, else from `ps`. */
function readParents(): readonly (readonly [number, number])[] {
  if (process.platform === "linux") return listPids().flatMap(readParent);
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  return [...text.matchAll(/(\d+)\s+(\d+)/g)].map(
    ([, child, parent]) => [Number(child), Number(parent)] as const,
  );
}

function listPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readParent(pid: number): [number, number][] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may contain anything. After it come the state and the parent.
    return [[pid, Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])]];
  } catch {
    return []; // it has ended
  }
}

function reaches(pid: number, signal: NodeJS.Signals | 0, system: ProcessSystem): boolean {
  try {
    system.kill(pid, signal);
    return true;
  } catch (error) {
    // A process of another user exists, but cannot be signalled.
    return signal === 0 && (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
