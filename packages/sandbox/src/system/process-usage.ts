import { readdirSync, readFileSync, readlinkSync, statfsSync, statSync } from "node:fs";

/** Bytes of a page of memory, in which `statm` counts: 4 KiB with Linux on x86-64. */
const pageBytes = 4_096;

/** Resources that a process and everything that it started use. */
export interface ProcessUsage {
  /** Resident memory, including files in those `folders` that are in memory. */
  readonly bytes: number;
  readonly processes: number;
}

/**
 * Returns the resources of a process, its children and their children; a process that has ended counts as nothing. `folders`
 * are folders of a sandbox whose files are in memory. Counting stops at `maxProcesses`. Undefined if the system has no `/proc`.
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
  // Bubblewrap's own process sees the machine's folders; the processes that it started are inside.
  const inside = found[1];
  const inFiles = inside === undefined ? [] : folders.map((folder) => bytesIn(folder, inside));
  return { bytes: inFiles.reduce((sum, each) => sum + each, bytes), processes: found.length };
}

/** Returns a process, its children and their children. Children of only the first `most` are searched. Linux only. */
export function processesOf(pid: number, most = Number.POSITIVE_INFINITY): readonly number[] {
  const found = [pid];
  for (let at = 0; at < found.length && at < most; at++) found.push(...childrenOf(found[at]!));
  return found;
}

/** Returns the children of all threads of a process. */
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
 * Returns the bytes that the file system of a folder holds, as a process in a sandbox sees it; 0 if the process has ended.
 * While a sandbox is being made, its process still sees the machine's folder, whose bytes do not count.
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

/** Returns the text of a system file; empty if it does not exist, for example because its process has ended. */
export function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/**
 * Returns the command lines of the processes for which `isProgram` is true and of everything that they started, without those
 * that only wait for another one.
 */
export function commandsOf(isProgram: (pid: number) => boolean): readonly string[] {
  const parents = new Map(numbersIn("/proc").map((each) => [each, parentOf(each)]));
  const waiting = new Set(parents.values());
  // A program may make namespaces, in which `isProgram` does not find its children.
  const isIn = (each: number): boolean => each > 1 && (isProgram(each) || isIn(parents.get(each) ?? 0));
  return [...parents.keys()].filter((each) => !waiting.has(each) && isIn(each)).map(commandOf);
}

/** Returns the names in a folder that are numbers, which are processes in `/proc`. */
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

/** Returns a command as it was written: of a sandbox or a starting shell, the inner command; of `bash -c`, the script. */
export function textOf(words: readonly string[]): string {
  const [program = "", ...rest] = words;
  if (program.endsWith("/sh") && rest[0] === "-c" && rest.length > 3) return textOf(rest.slice(3));
  if (program.endsWith("bwrap") && rest.includes("--")) return textOf(rest.slice(rest.indexOf("--") + 1));
  if (program.endsWith("bash") && rest.at(-2) === "-c") return rest.at(-1)!;
  return words.join(" ").trim();
}

/** Returns the process namespace of a process; empty if the process has ended or belongs to another user. */
export function namespaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return "";
  }
}
