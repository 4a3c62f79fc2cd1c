import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { messageOf } from "@toolmount/core/errors";
import { programCommand, signalTree, spawnChild, treeOptions, type ProgramGuard } from "@toolmount/sandbox";

/** Maximum number of bytes that a hook may write to each of its outputs. */
const maxHookOutputBytes = 65_536;

/** How a hook is run. */
interface HookRun {
  /** The text that is written to the hook's standard input. */
  readonly input: string;
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Functions that kill the hooks that run now. */
  readonly running: Set<() => void>;
  /** Kills the hooks that run when this process ends. */
  readonly guard: ProgramGuard;
}

/** How a hook ended: with an exit code, or with a failure. */
export type HookEnd =
  | { readonly kind: "exit"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "failed"; readonly problem: string };

/** Runs a hook to its end. Never rejects. A hook that runs too long or writes too much is killed with its children. */
export function runHookProcess(
  command: string | readonly string[],
  { input, cwd, env, timeoutMs, running, guard }: HookRun,
): Promise<HookEnd> {
  return new Promise((resolve) => {
    guard.start();
    const child = tryStart(command, cwd, env);
    if ("problem" in child) return resolve({ kind: "failed", problem: child.problem });
    const { pid } = child;
    if (pid !== undefined) guard.add(pid);
    const kill = () => void (pid !== undefined && signalTree(pid, "SIGKILL"));
    let problem: string | undefined;
    const stop = (because: string) => {
      problem ??= because;
      kill();
    };
    const timer = setTimeout(() => stop(`it ran longer than ${timeoutMs} ms`), timeoutMs);
    const [stdout, stderr] = [child.stdout, child.stderr].map((stream) =>
      collect(stream, () => stop(`it wrote more than ${maxHookOutputBytes} bytes`)),
    );
    running.add(kill);
    const end = (ended: HookEnd) => {
      clearTimeout(timer);
      running.delete(kill);
      if (pid !== undefined) guard.remove(pid);
      resolve(ended);
    };
    child.on("error", (error) => end({ kind: "failed", problem: error.message }));
    child.on("close", (code, signal) => {
      if (problem !== undefined) return end({ kind: "failed", problem });
      if (code === null) return end({ kind: "failed", problem: `the signal ${signal} ended it` });
      end({ kind: "exit", code, stdout: stdout!(), stderr: stderr!() });
    });
    // A hook may end without reading its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Collects a stream up to the limit. Returns a function that reads the collected text. */
function collect(stream: NodeJS.ReadableStream, tooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxHookOutputBytes) tooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Starts a hook, or returns why it cannot be started. */
function tryStart(...how: Parameters<typeof start>): ReturnType<typeof start> | { readonly problem: string } {
  try {
    return start(...how);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Starts a hook. A text is run by the system's shell, /bin/sh or cmd.exe; a list is a program and its arguments. */
function start(
  command: string | readonly string[],
  cwd: string | undefined,
  env: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  const options = { cwd, env, ...treeOptions() };
  const [name = "", ...words] = command;
  const program =
    typeof command === "string"
      ? { file: command, args: [], options: { shell: true } }
      : programCommand(name, words, { platform: process.platform, env });
  const child = spawnChild(program.file, program.args, { ...options, ...program.options });
  return child as ChildProcessWithoutNullStreams;
}
