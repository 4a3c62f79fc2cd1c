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

/** Looks repeated where a process went while it was being looked at; on a busy machine strangers come and go too. */
const maxLooks = 8;

/**
 * Process ids that a command left: of its group, its session, or with its mark, zombies left out. Null where the system
 * does not tell (no /proc).
 *
 * A process that left the session *and* dropped the mark from its environment is not found.
 */
export async function survivorsOf(trace: Trace): Promise<readonly number[] | null> {
  let unsure: ReadonlySet<number> = new Set();
  for (let look = 0; look < maxLooks; look++) {
    const names = await readdir("/proc").catch(() => null);
    if (names === null) return null;
    const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
    const seen = await Promise.all(pids.map(async (pid) => ({ pid, kind: await kindOf(pid, trace) })));
    const of = (wanted: Kind) => seen.flatMap(({ pid, kind }) => (kind === wanted ? [pid] : []));
    if (of("ours").length > 0) return of("ours");
    // One that went after the list was made may have left a child that is not in it. Zombies and what has no
    // environment may be on their way, or stay like that: it counts once.
    const open = [...of("gone"), ...of("unsure").filter((pid) => !unsure.has(pid))];
    if (!open.some((pid) => pid >= trace.pid)) return [];
    unsure = new Set(of("unsure"));
  }
  return [];
}

type Kind = "ours" | "strange" | "unsure" | "gone";

async function kindOf(pid: number, { pid: leader, mark }: Trace): Promise<Kind> {
  const stat = await read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything; what follows it are state, parent, group, session.
  const [state = "", , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "") return "gone";
  if (state === "Z" || state === "X") return "unsure";
  if (Number(group) === leader || Number(session) === leader) return "ours";
  const environment = await read(`/proc/${pid}/environ`);
  if (environment === "") return "unsure";
  return environment.split("\0").includes(`${markName}=${mark}`) ? "ours" : "strange";
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
