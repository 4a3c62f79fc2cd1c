import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Every point of a run with TOOLMOUNT_LONG=1; else so many of each kind, spread over the run. */
const isLong = process.env["TOOLMOUNT_LONG"] === "1";

/** A program of Node, and the files that are on a disk which can fail. */
export interface DiskProgram {
  /** Flags, file and words. */
  readonly words: readonly string[];
  readonly paths: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A system call, and from which one on or at which one it fails, or is answered four seconds late. */
export interface Fault {
  readonly call: string;
  readonly error: "EIO" | "ENOSPC" | "late";
  readonly at: number;
  /** Whether the disk stays broken. */
  readonly stays: boolean;
}

/** How a program ended, and how often it asked the disk for each thing. */
export interface DiskRun {
  readonly code: number;
  readonly stdout: string;
  readonly asked: ReadonlyMap<string, number>;
}

/** Runs a program under strace, which counts its calls on the paths and lets one fail. The program may end in any way. */
export async function runOnDisk(
  { words, paths, cwd, env }: DiskProgram,
  calls: readonly string[],
  fault?: Fault,
): Promise<DiskRun> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-strace-"));
  const log = join(folder, "log");
  const inject = fault === undefined ? [] : ["-e", printFault(fault)];
  const trace = ["-f", "--seccomp-bpf", "-qq", "-o", log, "-e", `trace=${calls.join()}`, ...inject];
  const on = paths.flatMap((path) => ["-P", path]);
  try {
    const run = await runFile([...trace, ...on, process.execPath, ...words], { cwd, env });
    const lines = (await readFile(log, "utf8")).split("\n");
    const count = (call: string) => lines.filter((line) => line.includes(` ${call}(`)).length;
    return { ...run, asked: new Map(calls.map((call) => [call, count(call)])) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function printFault({ call, error, at, stays }: Fault): string {
  const what = error === "late" ? "delay_enter=4000000" : `error=${error}`;
  return `inject=${call}:${what}:when=${at}${stays ? "+" : ""}`;
}

function runFile(
  words: readonly string[],
  options: Pick<DiskProgram, "cwd" | "env">,
): Promise<Pick<DiskRun, "code" | "stdout">> {
  return new Promise((resolve, reject) => {
    execFile("strace", [...words], options, (error, stdout) => {
      if (error === null) resolve({ code: 0, stdout });
      // A program that a signal ended has no code; without strace there is one of another kind.
      else if (typeof error.code === "string") reject(error);
      else resolve({ code: error.code ?? -1, stdout });
    });
  });
}

/** All faults of a kind, or some that are as far apart as they can be: `points` for each thing that the disk is asked. */
export function faultsOf(
  { asked }: Pick<DiskRun, "asked">,
  { error, stays }: Pick<Fault, "error" | "stays">,
  points: number,
): readonly Fault[] {
  return [...asked].flatMap(([call, count]) =>
    spread(count, points).map((at) => ({ call, error, stays, at })),
  );
}

function spread(count: number, points: number): readonly number[] {
  if (isLong || count <= points) return Array.from({ length: count }, (_, at) => at + 1);
  return Array.from({ length: points }, (_, at) => 1 + Math.round((at * (count - 1)) / (points - 1)));
}

/** How often the disk was asked for each thing, and how the runs with a fault ended. */
export function printCounts(
  title: string,
  { asked }: Pick<DiskRun, "asked">,
  ends: readonly string[],
): string {
  const calls = [...asked].map(([call, count]) => `${count} ${call}`).join(", ");
  const kinds = Map.groupBy(ends, (end) => end);
  const counts = [...kinds].map(([end, { length }]) => `${length} ${end}`).join(", ");
  return `${title}: ${calls}; ${ends.length} faults: ${counts}`;
}

/** A broken and a full disk. */
export const brokenDisks: readonly (readonly [string, Pick<Fault, "error" | "stays">])[] = [
  ["one answer of a broken disk", { error: "EIO", stays: false }],
  ["a disk that is full from then on", { error: "ENOSPC", stays: true }],
];

/** A test of all points takes long. */
export const timeout = isLong ? { timeout: 3_600_000 } : {};
