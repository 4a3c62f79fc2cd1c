import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "@toolmount/paths";
import { processesOf, readOr } from "./process-usage.ts";

/** Limits that the kernel enforces for a program and everything that it starts. */
export interface GroupLimits {
  /** Maximum number of processes. The kernel counts threads instead: {@link threadsEach} for each of these processes. */
  readonly processes: number;
  readonly memoryMb?: number | undefined;
}

/**
 * A control group of Linux for one program and everything that it starts. A process can leave its group only by writing the
 * files of groups, which do not exist behind bubblewrap.
 */
export interface ControlGroup {
  /** Returns the command that joins the group and becomes the program. */
  launch(file: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] };
  /** Whether the kernel killed a process of the group because the group had used its memory. */
  ranOutOfMemory(): boolean;
  /** Kills the processes that are left in the group, and removes it. */
  close(): Promise<void>;
}

/** Threads that a process may have on average; Node.js has eleven. */
const threadsEach = 16;

/** Megabytes above the limit at which the kernel kills, because the memory that the kernel uses for a process counts, too. */
const spareMb = 32;

/** Longest pause between two attempts to remove a group, in milliseconds; each pause is twice as long as the previous one. */
const longestPauseMs = 10_000;

let count = 0;

/**
 * Makes a group for a program; null if this process may not. Linux allows it if cgroup v2 is delegated to this process, for
 * example by `systemd-run --user --scope -p Delegate=yes`. Regular measuring finds excess only later; the kernel enforces the
 * limit at every moment, and the group also has all processes that a program left behind.
 */
export function createControlGroup(limits: GroupLimits, base = delegatedGroup()): ControlGroup | null {
  if (base === null) return null;
  const folder = join(base, `toolmount-${process.pid}-${(count += 1)}`);
  try {
    mkdirSync(folder);
    setLimits(folder, limits);
  } catch {
    // The system has taken the group back; usage is then measured, as on other systems.
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
  // A kernel without swap does not have this file.
  if (existsSync(join(folder, "memory.swap.max"))) write("memory.swap.max", "0");
}

/** Kills the members of a group and removes it. A killed process stays in the group for a moment. */
async function removeGroup(folder: string): Promise<void> {
  for (let pauseMs = 10; pauseMs < longestPauseMs && existsSync(folder); pauseMs *= 2) {
    if (removeEmpty(folder)) return;
    killMembers(folder);
    await delay(pauseMs, undefined, { ref: false });
  }
}

/** Removes a group. The kernel refuses this as long as a process is in it. */
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
    // Kernels before 5.14 do not have this file. A process of another namespace has the number 0, which `kill` does not take.
    for (const pid of membersOf(folder)) if (pid > 0) killProcess(pid);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {} // it has ended
}

let found: string | null | undefined;

/** Returns the folder of the control group in which this process may make others; null if it may make none. Searches only once. */
export function delegatedGroup(): string | null {
  if (found === undefined) found = process.platform === "linux" ? prepareGroup(ownGroup()) : null;
  return found;
}

/**
 * Returns the folder of this process's group in the hierarchy of cgroup v2. `facts` is the folder with files about the process.
 */
export function ownGroup(facts = "/proc/self"): string | null {
  const path = /^0::(\/.*)$/m.exec(readOr(join(facts, "cgroup")))?.[1];
  const mounted = /^\S+ \S+ \S+ \/ (\S+) .* - cgroup2 /m.exec(readOr(join(facts, "mountinfo")))?.[1];
  if (path === undefined || mounted === undefined || path.startsWith("/..")) return null;
  return join(mounted, path);
}

/**
 * Returns the group below which this process makes others. The kernel requires that no process is in it, so this process and
 * its children move to a group below it. Null if other processes are in the group, because it is then not ours alone.
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
