import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "@toolmount/paths";
import { processesOf, readOr } from "./process-usage.ts";

/** Limits that the kernel keeps for a program and all that it starts. */
export interface GroupLimits {
  /** Processes. The kernel counts threads, of which each may have {@link threadsEach}. */
  readonly processes: number;
  readonly memoryMb?: number | undefined;
}

/**
 * A control group of Linux for one program and all that it starts. Only who may write the files of groups can leave one: no
 * program behind bubblewrap, where they are not there.
 */
export interface ControlGroup {
  /** Returns the command that joins the group and becomes the program. */
  launch(file: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] };
  /** Whether the kernel killed a process of the group for its memory. */
  ranOutOfMemory(): boolean;
  /** Kills what is left of it, and removes it. */
  close(): Promise<void>;
}

/** Threads that a process may have on average: Node.js has eleven. */
const threadsEach = 16;

/** Memory above the limit at which the kernel kills: what it needs itself for a process counts, too. */
const spareMb = 32;

/** Milliseconds between two attempts to remove a group, each twice as long as the one before. */
const longestPauseMs = 10_000;

let count = 0;

/**
 * Makes a group for a program; null where this process may make none. Linux lets it where cgroup v2 is delegated to this
 * process, for example by `systemd-run --user --scope -p Delegate=yes`. A measure finds a program that is above its limit a moment
 * later; the kernel keeps the limit at every moment, and what a program left is found in its group, whatever it did.
 */
export function createControlGroup(limits: GroupLimits, base = delegatedGroup()): ControlGroup | null {
  if (base === null) return null;
  const folder = join(base, `toolmount-${process.pid}-${(count += 1)}`);
  try {
    mkdirSync(folder);
    setLimits(folder, limits);
  } catch {
    // Its manager has taken the group back: what a program uses is measured, as elsewhere.
    removeEmpty(folder);
    return null;
  }
  return {
    launch: (file, args) => ({
      file: "/bin/sh",
      args: ["-c", 'echo $$ > "$0" && exec "$@"', join(folder, "cgroup.procs"), file, ...args],
    }),
    ranOutOfMemory: () => /^oom_kill [1-9]/m.test(readOr(join(folder, "memory.events"))),
    close: () => removeGroup(folder),
  };
}

function setLimits(folder: string, { processes, memoryMb }: GroupLimits): void {
  const write = (name: string, value: string) => writeFileSync(join(folder, name), value);
  write("pids.max", String(processes * threadsEach));
  if (memoryMb === undefined) return;
  write("memory.max", String((memoryMb + spareMb) * 1_048_576));
  write("memory.oom.group", "1");
  // A kernel without swap has no such file.
  if (existsSync(join(folder, "memory.swap.max"))) write("memory.swap.max", "0");
}

/** A process that was killed is in its group for a moment longer. */
async function removeGroup(folder: string): Promise<void> {
  for (let pauseMs = 10; pauseMs < longestPauseMs && existsSync(folder); pauseMs *= 2) {
    if (removeEmpty(folder)) return;
    killMembers(folder);
    await delay(pauseMs, undefined, { ref: false });
  }
}

/** The kernel refuses where a process is in the group. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function killMembers(folder: string): void {
  try {
    writeFileSync(join(folder, "cgroup.kill"), "1");
  } catch {
    // A kernel before 5.14 has no such file. A process of another namespace has the number 0, which is no process to `kill`.
    for (const pid of membersOf(folder)) if (pid > 0) killProcess(pid);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // it has ended
}

let found: string | null | undefined;

/** The folder of the group in which this process may make others, found once; null where it may make none. */
export function delegatedGroup(): string | null {
  if (found === undefined) found = process.platform === "linux" ? prepareGroup(ownGroup()) : null;
  return found;
}

/** The folder of the group of this process in the hierarchy of cgroup v2. The files about a process are in `facts`. */
export function ownGroup(facts = "/proc/self"): string | null {
  const path = /^0::(\/.*)$/m.exec(readOr(join(facts, "cgroup")))?.[1];
  const mounted = /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 /m.exec(readOr(join(facts, "mountinfo")))?.[1];
  if (path === undefined || mounted === undefined || path.startsWith("/..")) return null;
  return join(mounted, path);
}

/**
 * Returns the group below which this process makes others. No process may be in it, by a rule of the kernel: this process
 * and what it started move to a group of their own. A group in which others are, too, is not this process's alone.
 */
export function prepareGroup(own: string | null): string | null {
  if (own === null) return null;
  const ours = new Set(processesOf(process.pid));
  const members = membersOf(own);
  if (members.length === 0 || !members.every((pid) => ours.has(pid))) return null;
  try {
    const host = join(own, "toolmount-host");
    makeFolder(host);
    for (const pid of members) writeFileSync(join(host, "cgroup.procs"), String(pid));
    writeFileSync(join(own, "cgroup.subtree_control"), "+memory +pids");
    return own;
  } catch {
    return null;
  }
}

function membersOf(group: string): readonly number[] {
  return readOr(join(group, "cgroup.procs")).split("\n").filter(Boolean).map(Number);
}
