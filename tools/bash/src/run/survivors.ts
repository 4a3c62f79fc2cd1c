import { readdir, readFile } from "node:fs/promises";

/** The variable by which the processes of one command are found again, also those that left its group. */
export const markName = "TOOLMOUNT_COMMAND_ID";

/** How the processes of a command are recognised. */
export interface Trace {
  /** Process id of what was started: the leader of its group and session. */
  readonly pid: number;
  /** Value of the mark in the environment. */
  readonly mark: string;
}

/**
 * Process ids that a command left: of its group, its session, or with its mark, zombies left out. Null where the system
 * does not tell (no /proc).
 *
 * A process that left the session *and* dropped the mark from its environment is not found.
 */
export async function survivorsOf(trace: Trace): Promise<readonly number[] | null> {
  const names = await readdir("/proc").catch(() => null);
  if (names === null) return null;
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await belongs(pid, trace)) ? [pid] : [])));
  return found.flat();
}

async function belongs(pid: number, { pid: leader, mark }: Trace): Promise<boolean> {
  const stat = await read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything; what follows it are state, parent, group, session.
  const [state, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || state === "" || state === "Z" || state === "X") return false;
  if (Number(group) === leader || Number(session) === leader) return true;
  const environment = await read(`/proc/${pid}/environ`);
  return environment.split("\0").includes(`${markName}=${mark}`);
}

/** Empty for a process that is gone, or another user's. */
async function read(path: string): Promise<string> {
  return await readFile(path, "latin1").catch(() => "");
}

/** Whether a group still has a process, where nothing better is known. */
export function groupLives(leader: number): boolean {
  return signal(-leader, 0);
}

/** Sends a signal; false when there is nobody to get it. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
