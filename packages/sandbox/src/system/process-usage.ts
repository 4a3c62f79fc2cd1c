import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";

/** Bytes of a page of memory. Linux uses 4 KiB on x86-64, and `statm` counts in pages. */
const pageBytes = 4_096;

/** What a process and all that it started use. */
export interface ProcessUsage {
  /** Resident memory, with files in the `folders` that are in memory. */
  readonly bytes: number;
  readonly processes: number;
}

/**
 * What a process, its children and theirs use; nothing for a process that ended. `folders` are those of a sandbox whose
 * files are in memory. It stops counting at `maxProcesses`. Undefined where the system has no `/proc`.
 */
export function usageOf(
  pid: number,
  { maxProcesses, folders = [] }: { readonly maxProcesses: number; readonly folders?: readonly string[] },
  platform = process.platform,
): ProcessUsage | undefined {
  if (platform !== "linux") return undefined;
  const found = processesOf(pid, maxProcesses);
  const bytes = found
    .slice(0, maxProcesses)
    .reduce((sum, each) => sum + Number(readOr(`/proc/${each}/statm`).split(" ")[1] ?? 0) * pageBytes, 0);
  // The process of bubblewrap itself sees the machine's folders; those that it started are inside.
  const inside = found[1];
  const inFiles = inside === undefined ? [] : folders.map((folder) => bytesIn(folder, inside));
  return { bytes: inFiles.reduce((sum, each) => sum + each, bytes), processes: found.length };
}

/** A process, its children and theirs. It looks for the children of the first `most`. Linux only. */
export function processesOf(pid: number, most = Number.POSITIVE_INFINITY): readonly number[] {
  const found = [pid];
  for (let at = 0; at < found.length && at < most; at++) found.push(...childrenOf(found[at]!));
  return found;
}

/** The children of all threads of a process. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readOr(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/**
 * Bytes that the file system of a folder holds, as a process in a sandbox sees it; 0 for a process that ended. While a sandbox
 * is made, its process still sees the machine's folder: what a disk holds is not what the sandbox uses.
 */
function bytesIn(folder: string, inside: number): number {
  try {
    const seen = `/proc/${inside}/root${folder}`;
    if (statSync(seen).dev === statSync(folder, { throwIfNoEntry: false })?.dev) return 0;
    const { blocks, bfree, bsize } = statfsSync(seen);
    return (blocks - bfree) * bsize;
  } catch {
    return 0;
  }
}

/** The text of a file of the system. Empty for one that is not there, such as that of a process that ended. */
export function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** The command lines of some processes and of all that they started, without those that only wait for another one. */
export function commandsOf(isProgram: (pid: number) => boolean): readonly string[] {
  const parents = new Map(numbersIn("/proc").map((each) => [each, parentOf(each)]));
  const waiting = new Set(parents.values());
  // A program may have namespaces of its own, in which its children are.
  const isIn = (each: number): boolean => each > 1 && (isProgram(each) || isIn(parents.get(each) ?? 0));
  return [...parents.keys()].filter((each) => !waiting.has(each) && isIn(each)).map(commandOf);
}

/** The names in a folder that are numbers: those of the processes. */
export function numbersIn(folder: string): readonly number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  const stat = readOr(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function commandOf(pid: number): string {
  const words = readOr(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
  return textOf(words);
}

/** A command as it was written: what only begins another program, such as a wall, is shown as that one, and a shell as its script. */
export function textOf(words: readonly string[]): string {
  const [program = "", ...rest] = words;
  if (program.endsWith("/sh") && rest[0] === "-c" && rest.length > 3) return textOf(rest.slice(3));
  if (program.endsWith("bwrap") && rest.includes("--")) return textOf(rest.slice(rest.indexOf("--") + 1));
  if (program.endsWith("bash") && rest.at(-2) === "-c") return rest.at(-1)!;
  return words.join(" ").trim();
}
