import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { filterDescriptor, type SandboxLaunch } from "./bubblewrap.ts";
import { emptyDescriptor, inheritedDescriptors } from "./inherited-descriptors.ts";
import { spawnChild } from "./process-trees.ts";

/** What a program in a sandbox printed, and how it ended. */
export interface SandboxRun {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; null for a program that was ended by a signal. */
  readonly code: number | null;
}

/** What a program's descriptor leads to: a pipe, nothing, or the file of a descriptor of this process. */
type Behind = "pipe" | "ignore" | number;

/**
 * Returns the descriptors of a program: the given ones, a pipe for the filter of system calls if the launch has one, and none
 * of those with which this process itself was started.
 */
export function sandboxStdio(
  given: readonly Behind[],
  { filter }: Partial<Pick<SandboxLaunch, "filter">> = {},
): Behind[] {
  const inherited = inheritedDescriptors();
  const needed = [given.length, ...(filter === undefined ? [] : [filterDescriptor + 1])];
  const length = Math.max(...needed, ...inherited.map((each) => each + 1));
  const all = Array.from({ length }, (_, at) => given[at] ?? "ignore");
  if (filter !== undefined) all[filterDescriptor] = "pipe";
  // With "ignore" alone, the inherited descriptor would stay open in the program.
  for (const each of inherited) if (all[each] === "ignore") all[each] = emptyDescriptor();
  return all;
}

/** Passes the filter to bubblewrap, which starts the program after it has read the filter. */
export function passFilter(child: ChildProcess, { filter }: Partial<Pick<SandboxLaunch, "filter">>): void {
  if (filter === undefined) return;
  const stream = child.stdio[filterDescriptor] as Writable;
  // If the program cannot be started, nothing reads the filter.
  stream.on("error", () => {});
  stream.end(filter, () => stream.destroy());
}

/** Runs a program in a sandbox to its end, without input. Rejects if bubblewrap cannot be started. */
export async function runInSandbox(
  launch: SandboxLaunch,
  { cwd, timeoutMs }: { readonly cwd?: string; readonly timeoutMs: number },
): Promise<SandboxRun> {
  const { file, args, env } = launch;
  const child = spawnChild(file, args, {
    cwd,
    env,
    stdio: sandboxStdio(["ignore", "pipe", "pipe"], launch),
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  passFilter(child, launch);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { stdout, stderr, code };
}
