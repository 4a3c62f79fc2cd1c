import { findForeignPlace } from "./foreign-place.ts";
import type { EndSignal } from "./signals.ts";
import { cells, type WatchdogStart } from "./watchdog-memory.ts";

/** A call while it runs. */
export interface WatchedCall {
  readonly tool: string;
  /** The longest it may run, in milliseconds. */
  readonly timeoutMs: number;
  /** The error of the call when it blocks the thread past its deadline. */
  readonly error: () => Error & { readonly code: string; readonly details: object };
}

/** Reports the running calls to the watchdog. */
export interface CallWatch {
  /** A call begins. Returns the function that ends the watch. */
  begin(call: WatchedCall): () => void;
}

/** Milliseconds between two signs that the main thread is not blocked. */
const beatMs = 250;

/** The name under which the thread finds the functions below in the main thread. */
const hook = Symbol.for("toolmount.watchdog");

interface Running extends WatchedCall {
  /** In milliseconds since the epoch. */
  readonly deadline: number;
}

/**
 * Watches the main thread from a second thread, which the first call starts. A tool that never gives the thread back (an
 * endless loop) cannot be cancelled from the main thread: no timer fires there and no signal handler runs.
 *
 * The second thread enters the blocked thread through the inspector and does one of three things there. It gives signals
 * back their default action, so that the next one ends the process. It says on stderr which call blocks. Past the
 * deadline it calls `onExpired` with the place of the code that blocks, as `file:line:column`; that must not return. When
 * native code blocks even this, the thread kills the process. A thread that waits for the disk of a store is not blocked by
 * a tool: a disk that stalls ends no server, and neither does a machine that is too busy to run it.
 */
export function createWatchdog(
  write: (text: string) => void,
  onExpired: (call: WatchedCall, place: string | undefined) => never,
): CallWatch {
  const running = new Set<Running>();
  let memory: BigInt64Array | undefined;
  let soonest: Running | undefined;
  const update = () => {
    Atomics.store(memory!, cells.calls, BigInt(running.size));
    Atomics.store(memory!, cells.deadline, BigInt(soonest?.deadline ?? 0));
  };
  const start = () => {
    memory = startThread({
      release: releaseSignals,
      warn() {
        const { tool } = soonest ?? { tool: "a tool" };
        write(`toolmount: "${tool}" blocks the thread, so it cannot be cancelled; Ctrl-C ends the process\n`);
      },
      expire() {
        if (soonest !== undefined) onExpired(soonest, findForeignPlace());
      },
    });
  };
  return {
    begin(watched) {
      if (memory === undefined) start();
      const call = { ...watched, deadline: Date.now() + watched.timeoutMs };
      running.add(call);
      if (soonest === undefined || call.deadline < soonest.deadline) soonest = call;
      update();
      return () => {
        running.delete(call);
        if (call === soonest) soonest = firstToEnd(running);
        update();
      };
    },
  };
}

function firstToEnd(calls: Iterable<Running>): Running | undefined {
  let first: Running | undefined;
  for (const call of calls) if (first === undefined || call.deadline < first.deadline) first = call;
  return first;
}

function startThread(actions: object): BigInt64Array {
  const memory = new BigInt64Array(
    new SharedArrayBuffer(Object.keys(cells).length * BigInt64Array.BYTES_PER_ELEMENT),
  );
  Object.assign(globalThis, { [hook]: actions });
  const workerData: WatchdogStart = { memory, beatMs, cells };
  const file = new URL(import.meta.resolve("#watchdog-thread"));
  // Loaded with the first call: it takes 2 of the 28 ms that Node needs to start.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // Its stdout and stderr stay apart: to join them with the process's opens those. It writes to a descriptor.
  const worker = new Worker(file, { workerData, stdout: true, stderr: true });
  worker.unref();
  // Without the thread calls still run; they only cannot be ended while they block.
  worker.on("error", () => {});
  setInterval(() => void Atomics.add(memory, cells.beats, 1n), beatMs).unref();
  const { subscribe } = process.getBuiltinModule("node:diagnostics_channel");
  // The name is that of the store's channel.
  subscribe("toolmount:disk", (waits) => void Atomics.store(memory, cells.disk, waits === true ? 1n : 0n));
  return memory;
}

const released = new Map<EndSignal, readonly NodeJS.SignalsListener[]>();

/** Gives signals back their default action: a blocked thread runs no handler. The first turn of the free thread ends this. */
function releaseSignals(): void {
  setImmediate(restoreSignals);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    released.set(signal, process.listeners(signal));
    process.removeAllListeners(signal);
  }
}

/** Handles signals again, once the thread is free. */
function restoreSignals(): void {
  for (const [signal, listeners] of released) for (const listener of listeners) process.on(signal, listener);
  released.clear();
}
