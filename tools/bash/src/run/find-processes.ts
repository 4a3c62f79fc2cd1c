import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "@toolmount/core";

/** The environment variable that identifies the processes of one command, even those that left its process group. */
export const markName = "TOOLMOUNT_COMMAND_ID";

/** How the processes of a command are recognized. */
export interface Trace {
  /** The id of the process that was started, which leads its group and session. */
  readonly pid: number;
  /** The value of the mark in the environment. */
  readonly mark: string;
}

/** Finds the processes that commands left. All commands of a shell share its scans of `/proc`. */
export interface ProcessFinder {
  /**
   * Resolves to the ids of the processes in the command's group or session, or with its mark, without zombies. Null on a system
   * without `/proc`. A process that left the session *and* removed the mark from its environment is not found.
   */
  find(trace: Trace): Promise<readonly number[] | null>;
}

/** Number of processes that are read before the event loop does other work. Reading one takes about 10 µs. */
const perSlice = 64;

/** Longest pause after a scan, in milliseconds. */
const maxRestMs = 50;

/** Maximum number of scans that are repeated while processes start and end. */
const maxScans = 8;

/**
 * Creates a finder. Commands that look at the same time share one scan, which reads one file after the other, so that it needs
 * only one descriptor, however many processes the machine has. Scans take at most half of the time.
 */
export function createProcessFinder(clock: Clock): ProcessFinder {
  const strangers = new Map<number, string>();
  let busy: Promise<unknown> = Promise.resolve();
  let queued: Promise<Scan | null> | null = null;
  let restUntil = Number.NEGATIVE_INFINITY;
  const scanNext = async (): Promise<Scan | null> => {
    await busy;
    // The pause comes before a scan: after the last scan, its timer would outlive the command. The clock may have been set back.
    await pause(Math.min(maxRestMs, restUntil - clock.now()), clock);
    // Later callers wait for the next scan, because this scan may have passed their process already.
    queued = null;
    const begun = clock.now();
    const scanning = scanProcesses(strangers);
    busy = scanning.then(() => (restUntil = clock.now() + Math.min(maxRestMs, clock.now() - begun)));
    return scanning;
  };
  return { find: (trace) => findIn(() => (queued ??= scanNext()), trace) };
}

async function findIn(scan: () => Promise<Scan | null>, trace: Trace): Promise<readonly number[] | null> {
  let unsure: ReadonlySet<number> = new Set();
  for (let round = 0; round < maxScans; round++) {
    const seen = await scan();
    if (seen === null) return null;
    const ours = seen.filter((found) => isOurs(found, trace));
    if (ours.length > 0) return ours.map(({ pid }) => pid);
    // A process that ended during the scan may have left a child that the scan did not list. Zombies, and processes
    // without an environment, may be about to end or may stay as they are, so each of them counts only once.
    const isUnsure = ({ state }: SeenProcess) => state === "zombie" || state === "unread";
    const isOpen = (found: SeenProcess) =>
      found.pid >= trace.pid && (found.state === "gone" || (isUnsure(found) && !unsure.has(found.pid)));
    if (!seen.some(isOpen)) return [];
    unsure = new Set(seen.filter(isUnsure).map(({ pid }) => pid));
  }
  return [];
}

/** Whether a process belongs to the command. While it starts a program it has no environment; its group then decides. */
function isOurs({ state, group, session, mark }: SeenProcess, trace: Trace): boolean {
  if (state === "gone" || state === "zombie") return false;
  return group === trace.pid || session === trace.pid || mark === trace.mark;
}

interface SeenProcess {
  readonly pid: number;
  /** `unread`: the environment of the process cannot be read, or not yet. `gone`: the process ended during the scan. */
  readonly state: "running" | "unread" | "zombie" | "gone";
  readonly group: number;
  readonly session: number;
  readonly mark: string | null;
}

type Scan = readonly SeenProcess[];

/** Reads every process once. `strangers` remembers processes without a mark, with their start times, to skip them later. */
async function scanProcesses(strangers: Map<number, string>): Promise<Scan | null> {
  const pids = listPids();
  if (pids === null) return null;
  const found: SeenProcess[] = [];
  for (const [at, pid] of pids.entries()) {
    if (at % perSlice === perSlice - 1) await new Promise<void>((resolve) => void setImmediate(resolve));
    found.push(readProcess(pid, strangers));
  }
  const all = new Set(pids);
  for (const pid of strangers.keys()) if (!all.has(pid)) strangers.delete(pid);
  return found;
}

function listPids(): readonly number[] | null {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return null;
  }
}

function readProcess(pid: number, strangers: Map<number, string>): SeenProcess {
  const stat = readOr(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything. After it: state, parent, group, session, …, start time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", , group, session] = fields;
  const place = { pid, group: Number(group), session: Number(session), mark: null };
  if (state === "") return { ...place, state: "gone" };
  if (state === "Z" || state === "X") return { ...place, state: "zombie" };
  const start = fields[19] ?? "";
  if (strangers.get(pid) === start) return { ...place, state: "running" };
  const environment = readOr(`/proc/${pid}/environ`);
  if (environment === "") return { ...place, state: "unread" };
  const mark = markIn(environment);
  if (mark === null) strangers.set(pid, start);
  return { ...place, state: "running", mark };
}

function markIn(environment: string): string | null {
  const head = `${markName}=`;
  const found = environment.split("\0").find((entry) => entry.startsWith(head));
  return found === undefined ? null : found.slice(head.length);
}

/** Returns the command lines of processes, each as one line. Processes without a command line are left out. */
export function commandLinesOf(pids: readonly number[]): readonly string[] {
  return pids.map((pid) => readOr(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()).filter(Boolean);
}

/** Reads a file; empty if the process has ended or belongs to another user. */
function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

async function pause(ms: number, clock: Clock): Promise<void> {
  if (ms > 0) await new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
}

/** Whether a group still has a process, on systems without `/proc`. */
export function hasGroup(leader: number): boolean {
  return signal(-leader, 0);
}

/** Sends a signal. False if no process received it. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
