// The entry of the command. It passes the parts of `process` to the other code, which seldom uses `process` itself.
import { closeSync } from "node:fs";
import { runProgram } from "./program.ts";
import { takeStdout } from "./process/take-stdout.ts";
import { findForeignPlace } from "./process/foreign-place.ts";
import { createWatchdog, type WatchedCall } from "./process/watchdog.ts";
import { createScreen, type Sink } from "./screen/screen.ts";
import type { Shell } from "./process/shell.ts";
import { exitCodes, type ExitCode } from "./process/exit-codes.ts";
import { exitCodeOfSignal, interruption, signalOf, type EndSignal } from "./process/signals.ts";
import { isTerminal } from "./process/is-terminal.ts";
import { registerHooks } from "node:module";

const { argv, env } = process;
const stderr = takeStderr();

/**
 * Milliseconds that work has to end after its terminal was closed. Then the process ends, because its user can no longer press
 * Ctrl-C.
 */
const hangUpMs = 10_000;

let exitCode: ExitCode = exitCodes.done;

/** The signal that aborted the most recent work; undefined if no signal did. */
let interruptedBy: EndSignal | undefined;

// Node ends a process when nothing can happen any more, and a module may call `process.exit(0)` when it is imported. If this
// happens before the work is done, the command has failed, whatever the exit code.
const endedEarly = (code: number) => {
  if (code === exitCodes.done) process.exitCode = exitCodes.failed;
  const place = findForeignPlace();
  const why =
    place === undefined
      ? "a module waits for an event that never comes"
      : `process.exit was called at ${place}`;
  stderr.write(`toolmount: the process ended before the work was done: ${why}\n`);
};
process.once("exit", endedEarly);

const cwd = currentFolder();
const answers = takeStdout();
const words = argv.slice(2);
const shell: Shell = {
  env,
  cwd,
  settings: { verbosity: "normal", plan: undefined },
  get input() {
    return process.stdin;
  },
  out: createScreen(answers, env),
  err: createScreen(stderr, env),
  get terminal() {
    // The order matters: standard input is opened only if stderr is a terminal.
    return stderr.isTTY && process.stdin.isTTY ? { input: process.stdin, output: process.stderr } : undefined;
  },
  calls: createWatchdog((text) => void stderr.write(text), endBlocked),
  openAnswerStream: () => answers.openStream(),
  end: (code) => void (exitCode = code),
  interruptible,
};

shareZod();
await runProgram(words, shell);
await stderr.flush();
process.off("exit", endedEarly);
// A tool that does not react to its abort signal must not keep the command running.
process.exit(finalExitCode());

function finalExitCode(): ExitCode {
  if (exitCode === exitCodes.failed && interruptedBy !== undefined) return exitCodeOfSignal(interruptedBy);
  // If a reader such as `head` closes the output early (EPIPE), or the terminal is gone (EIO), the command has still succeeded.
  // With a full disk it has failed.
  const isLost = answers.lost !== undefined && answers.lost !== "EPIPE" && answers.lost !== "EIO";
  if (isLost) stderr.write(`toolmount: the answer could not be written: ${answers.lost}\n`);
  return isLost && exitCode === exitCodes.done ? exitCodes.failed : exitCode;
}

/** Returns the current folder. Ends the process if it was removed, because paths mean nothing then. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    stderr.write("toolmount: the current folder was removed; change to one that exists\n");
    process.off("exit", endedEarly);
    return process.exit(exitCodes.failed);
  }
}

/**
 * Runs work that Ctrl-C, SIGTERM or a closed terminal aborts. With `onHangUp`, a closed terminal calls that instead. A second
 * Ctrl-C or SIGTERM ends the process. If the aborted work fails, the exit code is that of the signal.
 */
async function interruptible<Value>(
  work: (controller: AbortController) => Promise<Value>,
  { onHangUp }: { readonly onHangUp?: () => void } = {},
): Promise<Value> {
  const controller = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) endNow(exitCodeOfSignal(signal as EndSignal));
    controller.abort(interruption(signal as EndSignal));
  };
  const hangUp = () => {
    if (onHangUp !== undefined) return onHangUp();
    controller.abort(interruption("SIGHUP"));
    setTimeout(() => endNow(exitCodes.hungUp), hangUpMs).unref();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt).on("SIGHUP", hangUp);
  try {
    return await work(controller);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt).off("SIGHUP", hangUp);
    interruptedBy = signalOf(controller.signal);
  }
}

/** Reports a call that blocks the main thread past its deadline, and ends the process. */
function endBlocked({ error: describe }: WatchedCall, place: string | undefined): never {
  const error = describe();
  const { code, details } = error;
  const at = place === undefined ? "" : ` at ${place}`;
  const message = `${error.message}; it blocks the thread${at}, so the command ended the process`;
  if (words.includes("--json")) shell.out.json({ error: { code, message, details: { ...details, place } } });
  else shell.err.line(`${shell.err.paint("red", code)} ${message}`);
  process.off("exit", endedEarly);
  // Closes stderr before Node writes there that it waits for a debugger. The watchdog's inspector session counts as a debugger.
  process.once("exit", () => closeSync(2));
  return process.exit(exitCodes.failed);
}

function endNow(code: ExitCode): never {
  process.off("exit", endedEarly);
  process.exit(code);
}

interface ErrorSink extends Sink {
  readonly isTTY: boolean;
  /** Waits until all written text has reached its destination. */
  flush(): Promise<void>;
}

/**
 * Takes the place of `process.stderr`. Its stream is created only when this command or a tool first writes, because that takes 4
 * ms.
 */
function takeStderr(): ErrorSink {
  const own = Object.getOwnPropertyDescriptor(process, "stderr")!;
  let stream: NodeJS.WriteStream | undefined;
  const open = (): NodeJS.WriteStream => {
    if (stream !== undefined) return stream;
    stream = own.get!() as NodeJS.WriteStream;
    // If the reader of stderr has gone, writing fails, but the command keeps its exit code.
    return stream.on("error", () => {});
  };
  Object.defineProperty(process, "stderr", { configurable: true, enumerable: true, get: open });
  const isTTY = isTerminal(2);
  return {
    isTTY,
    get columns() {
      return isTTY ? open().columns : undefined;
    },
    write: (text) => void open().write(text),
    flush: async () => {
      if (stream !== undefined) await new Promise<void>((resolve) => void stream!.write("", () => resolve()));
    },
  };
}

/**
 * Gives every module of this process the zod that is bundled with the command in one file, instead of the same version as an
 * installed package in 95 files. That saves 40 ms of processor time, about as much as Node needs to start. A module that depends
 * on another copy of zod still gets that copy.
 */
function shareZod(): void {
  if (import.meta.url.endsWith(".ts")) return; // run from its sources, the command has no bundled zod
  const carried = import.meta.resolve("#zod");
  const installed = new Set(["zod", "zod/v4"].map((specifier) => import.meta.resolve(specifier)));
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return installed.has(found.url) ? { ...found, url: carried } : found;
    },
  });
}
