import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { Clock } from "@toolmount/core";
import { passFilter, sandboxStdio, spawnChild } from "@toolmount/sandbox";
import { Capture } from "./capture.ts";
import { endAll, waitAtMost, type Patience } from "./end-processes.ts";
import { commandLinesOf, signal, type ProcessFinder } from "./find-processes.ts";
import type { Launch } from "./launch.ts";

/** How a command ended. */
export type Ending =
  /** The command ended by itself. After a signal, `code` is 128 plus the signal's number. */
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "timed_out" }
  | { readonly kind: "stopped" }
  | { readonly kind: "too_much_output" }
  | { readonly kind: "too_many_processes" }
  /** The command never ran, because the shell or the sandbox did not start. */
  | { readonly kind: "not_started"; readonly problem: string };

interface Ended {
  readonly ending: Ending;
  /** The ids of the processes that could not be ended. */
  readonly left: readonly number[];
  /** Command lines of processes that outlived the shell and were then ended; null if a sandbox ended them unseen. */
  readonly endedBehind: readonly string[] | null;
}

/** A command that is running or has ended. */
export interface RunningCommand {
  readonly pid: number | undefined;
  readonly stdout: Capture;
  readonly stderr: Capture;
  /** Resolves when all processes of the command have ended. */
  readonly done: Promise<Ended>;
  /** Ends the command with SIGTERM, and with SIGKILL after the grace period. */
  stop(): void;
  /** Kills the command's process group immediately, because the host is about to exit. */
  kill(): void;
  /** Calls `callback` at each output and at the end. Returns a function that stops this. */
  onChange(callback: () => void): () => void;
}

interface RunOptions {
  readonly timeoutMs: number | null;
  readonly keepBytes: number;
  readonly stopBytes: number;
  readonly maxProcesses: number;
  readonly clock: Clock;
  readonly patience: Patience;
  readonly finder: ProcessFinder;
}

/** Starts a command in a new session of the system, and captures a limited amount of its output. */
export function startCommand(
  command: string,
  launch: (command: string, mark: string) => Launch,
  options: RunOptions,
): RunningCommand {
  const mark = randomUUID();
  const { file, args, env, cwd, sandbox, filter } = launch(command, mark);
  const child = spawnChild(file, args, {
    cwd,
    env,
    detached: true,
    stdio: sandboxStdio(["ignore", "pipe", "pipe", sandbox ? "pipe" : "ignore"], { filter }),
  });
  passFilter(child, { filter });
  return follow(child, { ...options, mark, sandbox });
}

type FollowOptions = RunOptions & { readonly mark: string; readonly sandbox: boolean };

function follow(child: ChildProcess, options: FollowOptions): RunningCommand {
  const { clock, stopBytes, timeoutMs } = options;
  const [stdout, stderr] = [new Capture(options.keepBytes), new Capture(options.keepBytes)];
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  let cut: Ending | null = null;
  const asked = Promise.withResolvers<Ending>();
  const stopFor = (ending: Ending) => {
    cut ??= ending;
    asked.resolve(cut);
  };
  const kill = () => void (child.pid !== undefined && signal(-child.pid, "SIGKILL"));
  read(child.stdout, stdout, () => {
    tell();
    if (stdout.totalBytes > stopBytes) stopFor({ kind: "too_much_output" });
  });
  read(child.stderr, stderr, () => {
    tell();
    if (stderr.totalBytes > stopBytes) stopFor({ kind: "too_much_output" });
  });
  const timer = timeoutMs === null ? null : clock.setTimer(() => stopFor({ kind: "timed_out" }), timeoutMs);
  const exited = exitOf(child, options);
  const unwatch = watchProcesses({ pid: child.pid, mark: options.mark }, options, () => {
    stopFor({ kind: "too_many_processes" });
    kill();
  });
  const done = finish(child, { exited, asked: asked.promise, options }).then(
    ({ ending, left, endedBehind }) => {
      timer?.cancel();
      unwatch();
      queueMicrotask(tell);
      return { ending: ending.kind === "not_started" ? ending : (cut ?? ending), left, endedBehind };
    },
  );
  return {
    pid: child.pid,
    stdout,
    stderr,
    done,
    stop: () => stopFor({ kind: "stopped" }),
    kill,
    onChange(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
  };
}

function read(stream: Readable | null, capture: Capture, changed: () => void): void {
  stream?.on("data", (bytes: Buffer) => {
    capture.add(bytes);
    changed();
  });
  // A broken pipe only means that there is no more output.
  stream?.on("error", () => {});
}

interface Course {
  readonly exited: Promise<Ending>;
  /** Resolves to the reason if the command is to be ended before it ends by itself. */
  readonly asked: Promise<Ending>;
  readonly options: FollowOptions;
}

/** Waits until the command ends by itself or on request, and then ends all processes that it left. */
async function finish(child: ChildProcess, { exited, asked, options }: Course): Promise<Ended> {
  const closed = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const first = await Promise.race([exited, asked]);
  const { pid } = child;
  if (pid === undefined) return { ending: await exited, left: [], endedBehind: [] };
  const { clock, mark, sandbox, finder } = options;
  const patience = patienceAfter(first, options.patience);
  let endedBehind: readonly string[] = [];
  const left = await endAll(
    { pid, mark },
    {
      patience,
      clock,
      finder,
      sandboxPid: sandbox ? pid : null,
      notice: (pids) => (endedBehind = first.kind === "exited" ? behind(pids) : []),
    },
  );
  // A process that could not be found may still hold the pipes open.
  await waitAtMost(250, closed, clock);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const wasUnseen = sandbox && first.kind === "exited" && endedBehind.length === 0;
  return { ending: await exited, left, endedBehind: wasUnseen ? null : endedBehind };
}

/** Returns what a command started in the background, without the processes of the sandbox around it. */
function behind(pids: readonly number[]): readonly string[] {
  return commandLinesOf(pids).filter((line) => !/^(?:\S*\/)?bwrap\b/.test(line));
}

/** Returns how long the remaining processes may take. Only after a normal end may they end by themselves; too many are killed at once. */
function patienceAfter({ kind }: Ending, usual: Patience): Patience {
  if (kind === "too_many_processes") return { lingerMs: 0, graceMs: 0 };
  return kind === "exited" || kind === "not_started" ? usual : { ...usual, lingerMs: 0 };
}

/** Resolves to the end of the process itself. A sandbox reports on a separate pipe whether it ran the command. */
function exitOf(child: ChildProcess, { sandbox, clock }: FollowOptions): Promise<Ending> {
  const ran = sandbox ? reportOf(child.stdio[3] as Readable, clock) : null;
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ kind: "not_started", problem: error.message }));
    child.once("exit", (code, name) => {
      if (code === null) return resolve({ kind: "exited", code: 128 + constants.signals[name!] });
      if (ran === null) return resolve({ kind: "exited", code });
      void ran().then((did) =>
        resolve(
          did ? { kind: "exited", code } : { kind: "not_started", problem: "the sandbox did not start" },
        ),
      );
    });
  });
}

/** Returns a function that says whether bubblewrap reported an exit code. Without a report, the command never started. */
function reportOf(stream: Readable, clock: Clock): () => Promise<boolean> {
  let text = "";
  const ended = new Promise<void>((resolve) => void stream.once("close", () => resolve()));
  stream.on("data", (bytes: Buffer) => (text = (text + bytes.toString()).slice(0, 4096)));
  stream.on("error", () => {});
  return async () => {
    await waitAtMost(250, ended, clock);
    return text.includes('"exit-code"');
  };
}

/** Milliseconds between two counts of processes. */
const countMs = 250;

/** Options for counting processes. */
interface WatchOptions {
  readonly maxProcesses: number;
  readonly clock: Clock;
  readonly finder: ProcessFinder;
}

/**
 * Counts the processes of a command while it runs, including those whose parents have ended, as in a fork bomb. Calls back once
 * if there are too many. Returns a function that stops this. Counts nothing on systems that do not list processes as Linux does.
 */
function watchProcesses(
  { pid, mark }: { readonly pid: number | undefined; readonly mark: string },
  { maxProcesses, clock, finder }: WatchOptions,
  onTooMany: () => void,
): () => void {
  if (pid === undefined) return () => {};
  let isWatching = true;
  const count = async () => {
    const found = await finder.find({ pid, mark });
    if (!isWatching || found === null) return;
    if (found.length > maxProcesses) onTooMany();
    else timer = clock.setTimer(() => void count(), countMs);
  };
  let timer = clock.setTimer(() => void count(), countMs);
  return () => {
    isWatching = false;
    timer.cancel();
  };
}
