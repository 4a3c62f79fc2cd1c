import { findForeignPlace } from "./foreign-place.ts";
import type { EndSignal } from "./signals.ts";
import { cells, type WatchdogStart } from "./watchdog-memory.ts";

/** A running call. */
export interface WatchedCall {
  readonly tool: string;
  /** Longest time that the call may run, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns the error of the call if it blocks the thread past its deadline. */
  readonly error: () => Error & { readonly code: string; readonly details: object };
}

/** Reports the running calls to the watchdog. */
export interface CallWatch {
  /** Starts watching a call. Returns a function that ends this. */
  begin(call: WatchedCall): () => void;
}

/** Milliseconds between two signs that the main thread is not blocked. */
const beatMs = 250;

/** The name under which the thread finds the functions of {@link createWatchdog} in the main thread. */
const hook = Symbol.for("toolmount.watchdog");

interface Running extends WatchedCall {
  /** In milliseconds since the epoch. */
  readonly deadline: number;
}

/**
 * Watches the main thread from a second thread, which the first call starts. A tool that never returns control (an
 * endless loop) cannot be cancelled from the main thread, because no timer and no signal handler runs there.
 *
 * The second thread enters the blocked thread through the inspector and does one of three things there. It restores the
 * default action of signals, so that the next one ends the process. It names the blocking call on stderr. Past the
 * deadline it calls `onExpired` with the place of the blocking code, as `file:line:column`; that must not return. If
 * native code blocks even this, the thread kills the process. A thread that waits for the disk of a store does not count as
 * blocked, so a stalled disk does not end a server, and neither does a machine that is too busy to run it.
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
  // Loaded with the first call, because it takes 2 of the 28 ms that Node needs to start.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // The worker's stdout and stderr are not joined with the process's, which would open those. It writes to a descriptor.
  const worker = new Worker(file, { workerData, stdout: true, stderr: true });
  worker.unref();
  // Without the thread calls still run, but cannot be ended while they block.
  worker.on("error", () => {});
  setInterval(() => void Atomics.add(memory, cells.beats, 1n), beatMs).unref();
  const { subscribe } = process.getBuiltinModule("node:diagnostics_channel");
  // The name of the store's channel.
  subscribe("toolmount:disk", (waits) => void Atomics.store(memory, cells.disk, waits === true ? 1n : 0n));
  return memory;
}

const released = new Map<EndSignal, readonly NodeJS.SignalsListener[]>();

/** Restores the default action of signals, because a blocked thread runs no handler. Undone as soon as the thread is free. */
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
