import { findForeignPlace } from "./foreign-place.ts";
import type { EndSignal } from "./signals.ts";
import { cells, type WatchdogStart } from "./watchdog-memory.ts";

export interface WatchedCall {
  readonly tool: string;
  /** Milliseconds that the call may run. */
  readonly timeoutMs: number;
  /** Creates the error for a call that blocks the thread past its deadline. */
  readonly error: () => Error & { readonly code: string; readonly details: object };
}

/** Learns when each call begins and ends. */
export interface CallWatch {
  /** Begins to watch a call. The caller runs the returned function when the call ends. */
  begin(call: WatchedCall): () => void;
}

/** Milliseconds between two beats, with which the main thread shows that it is not blocked. */
const beatMs = 250;

/** The global name under which the main thread keeps its functions for the second thread. */
const hook = Symbol.for("toolmount.watchdog");

interface Running extends WatchedCall {
  /** In milliseconds since the epoch. */
  readonly deadline: number;
}

/**
 * Watches the main thread from a second thread, which starts with the first call. The main thread cannot cancel a tool that never
 * returns, for example in an endless loop, because no timer and no signal handler runs then.
 *
 * The second thread runs code in the blocked thread through the inspector. First it restores the default action of signals, so
 * that the next signal ends the process. Then it names the blocking call on stderr. Past the deadline it calls `onExpired` with
 * the place of the blocking code, as `file:line:column`; `onExpired` must not return. If native code blocks even this, it kills
 * the process. A thread that waits for the disk of a store, or for a processor of a busy machine, does not count as blocked.
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
  // Loaded only with the first call, because loading takes 2 of the 28 ms that Node needs to start.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // With `true`, the worker's output is not passed to the process's streams, which would open them. The worker writes to
  // descriptor 2.
  const worker = new Worker(file, { workerData, stdout: true, stderr: true });
  worker.unref();
  // If the thread cannot run, calls still work, but a blocking one cannot be ended.
  worker.on("error", () => {});
  setInterval(() => void Atomics.add(memory, cells.beats, 1n), beatMs).unref();
  const { subscribe } = process.getBuiltinModule("node:diagnostics_channel");
  // @toolmount/store reports on this channel whether it waits for a disk.
  subscribe("toolmount:disk", (waits) => void Atomics.store(memory, cells.disk, waits === true ? 1n : 0n));
  return memory;
}

const released = new Map<EndSignal, readonly NodeJS.SignalsListener[]>();

/**
 * Restores the default action of signals, because a blocked thread runs no handler. The handlers return as soon as the thread is
 * free.
 */
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
