import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { filterDescriptor, type SandboxLaunch } from "./bubblewrap.ts";

/** What a program in a sandbox printed, and how it ended. */
export interface SandboxRun {
  readonly stdout: string;
  readonly stderr: string;
  /** Null for a program that a signal ended. */
  readonly code: number | null;
}

/** What is behind the four descriptors of a process in a sandbox: a pipe for the filter of system calls, where there is one. */
export function filterStdio({ filter }: Pick<SandboxLaunch, "filter">): readonly "pipe"[] {
  return filter === undefined ? [] : ["pipe"];
}

/** Passes the filter to bubblewrap, which starts the program when it has it. */
export function passFilter(child: ChildProcess, { filter }: Pick<SandboxLaunch, "filter">): void {
  if (filter === undefined) return;
  const stream = child.stdio[filterDescriptor] as Writable;
  // A program that cannot be started reads nothing.
  stream.on("error", () => {});
  stream.end(filter, () => stream.destroy());
}

/** Runs a program in a sandbox, without input, to its end. Rejects when bubblewrap cannot be started. */
export async function runInSandbox(
  launch: SandboxLaunch,
  { cwd, timeoutMs }: { readonly cwd?: string; readonly timeoutMs: number },
): Promise<SandboxRun> {
  const { file, args, env } = launch;
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe", "ignore", ...filterStdio(launch)],
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
