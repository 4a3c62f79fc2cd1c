// The composition root: the one file that reads the process. Everything else is handed what it needs.
import { stdout, stderr, argv, env, cwd } from "node:process";
import { runQuick } from "./fast-list.ts";
import { createScreen } from "./screen/screen.ts";
import { exitCodes, interruption, type ExitCode, type Shell } from "./process/shell.ts";

/** Longest time, in milliseconds, for work to end whose terminal was closed: nobody is there to press Ctrl-C again. */
const hangUpMs = 10_000;

let exitCode: ExitCode = exitCodes.done;

// What ends the process before the work is done is a failure, whatever code it chose: a module that calls
// `process.exit(0)` when it is imported, or one that waits for what never comes.
const endedEarly = (code: number) => {
  if (code === exitCodes.done) process.exitCode = exitCodes.failed;
  stderr.write(
    "toolmount: something ended the process before the work was done: a module that calls process.exit, or waits for what never comes\n",
  );
};
process.once("exit", endedEarly);

const shell: Shell = {
  env,
  cwd: cwd(),
  get input() {
    return process.stdin;
  },
  out: createScreen(stdout, env),
  err: createScreen(stderr, env),
  get terminal() {
    return process.stdin.isTTY && stderr.isTTY ? { input: process.stdin, output: stderr } : undefined;
  },
  end: (code) => void (exitCode = code),
  interruptible,
};

// A reader that has seen enough, such as `head`, is no failure. A terminal that was closed takes no more, and what runs
// is told by SIGHUP.
let isHungUp = false;
const lose = (error: NodeJS.ErrnoException) => {
  if (isHungUp || error.code === "EIO") return;
  endNow(error.code === "EPIPE" ? exitCodes.done : exitCodes.failed);
};
stdout.on("error", lose);
stderr.on("error", lose);

const words = argv.slice(2);
if (!(await runQuick(words, shell))) await (await import("./program.ts")).runProgram(words, shell);
await Promise.all([flush(stdout), flush(stderr)]);
process.off("exit", endedEarly);
// A tool that ignores its signal must not keep the command alive.
process.exit(exitCode);

/** Ctrl-C, an end asked for by another process, or a closed terminal aborts the work; the second time it ends the process. */
async function interruptible<Value>(work: (controller: AbortController) => Promise<Value>): Promise<Value> {
  const controller = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) endNow(exitCodes.failed);
    controller.abort(interruption(signal as "SIGINT" | "SIGTERM"));
  };
  const hangUp = () => {
    isHungUp = true;
    controller.abort(interruption("SIGHUP"));
    setTimeout(() => endNow(exitCodes.failed), hangUpMs).unref();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt).on("SIGHUP", hangUp);
  try {
    return await work(controller);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt).off("SIGHUP", hangUp);
  }
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write("", () => resolve()));
}

function endNow(code: ExitCode): never {
  process.off("exit", endedEarly);
  process.exit(code);
}
