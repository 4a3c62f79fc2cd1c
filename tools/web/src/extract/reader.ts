import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock, Timer } from "@toolmount/core";
import type { ReadAnswer, ReadJob, ReadLimits } from "./job.ts";

/** Why a document was not read: it took too long, the call was cancelled, or the process ended, probably for lack of memory. */
export type ReadFailure = "timeout" | "memory" | "cancelled";

/** Reads documents in separate processes, which can be ended at any moment. */
export interface Reader {
  read(job: ReadJob, signal: AbortSignal): Promise<ReadAnswer | ReadFailure>;
  /** Ends every process. Jobs that run, wait or come later fail with `cancelled`. */
  close(): void;
}

/** Maximum number of processes that read at the same time; further jobs wait. */
const maxProcesses = 2;

/** Milliseconds after which an idle process is ended. */
const idleMs = 30_000;

/** Creates a reader. It starts no process before its first job. */
export function createReader(limits: ReadLimits, clock: Clock): Reader {
  const idle = new Map<ChildProcess, Timer>();
  const all = new Set<ChildProcess>();
  const waiting = new Set<() => void>();
  const closing = new AbortController();

  const take = async (signal: AbortSignal): Promise<ChildProcess | null> => {
    for (;;) {
      if (signal.aborted) return null;
      const [first] = idle;
      if (first !== undefined) {
        const [child, timer] = first;
        idle.delete(child);
        timer.cancel();
        if (child.connected) return child;
        // The process has ended while it was idle.
        continue;
      }
      if (all.size < maxProcesses) return startProcess(limits, all);
      await nextTurn(waiting, signal);
    }
  };
  /**
   * Puts a process back. A process that answered its job is kept for the next one. Any other is ended: it may still be busy, or
   * may be about to end.
   */
  const giveBack = (child: ChildProcess, hasRead: boolean) => {
    if (hasRead && child.connected && !closing.signal.aborted) {
      const timer = clock.setTimer(() => {
        idle.delete(child);
        endProcess(child, all);
      }, idleMs);
      timer.keepAlive(false);
      setKeepsAlive(child, false);
      idle.set(child, timer);
    } else endProcess(child, all);
    for (const resume of waiting) resume();
  };
  return {
    async read(job, given) {
      const signal = AbortSignal.any([given, closing.signal]);
      const child = await take(signal);
      if (child === null) return "cancelled";
      const answer = await runJob(child, job, { ...limits, signal, clock });
      giveBack(child, typeof answer !== "string");
      return answer;
    },
    close() {
      closing.abort();
      for (const timer of idle.values()) timer.cancel();
      for (const child of all) endProcess(child, all);
      for (const resume of waiting) resume();
    },
  };
}

/** Waits until a process is returned or the call is cancelled. */
function nextTurn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const resume = () => {
      waiting.delete(resume);
      signal.removeEventListener("abort", resume);
      resolve();
    };
    waiting.add(resume);
    signal.addEventListener("abort", resume, { once: true });
  });
}

/** Starts a process that may only read files: it cannot write or start programs, and has no environment. */
function startProcess({ memoryMb }: ReadLimits, all: Set<ChildProcess>): ChildProcess {
  const program = fileURLToPath(import.meta.resolve("#read-process"));
  const child = fork(program, [String(memoryMb)], {
    env: {},
    execArgv: ["--permission", "--allow-fs-read=*", "--allow-worker", "--no-warnings"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  all.add(child);
  child.on("exit", () => all.delete(child));
  // A process that cannot be started emits an error instead of an exit.
  child.on("error", () => all.delete(child));
  return child;
}

function endProcess(child: ChildProcess, all: Set<ChildProcess>): void {
  all.delete(child);
  child.kill("SIGKILL");
}

function setKeepsAlive(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) child.ref();
  else child.unref();
  const { channel } = child;
  if (isBusy) channel?.ref();
  else channel?.unref();
}

interface JobBounds extends ReadLimits {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Sends a job, and waits for its answer, the end of the process, the deadline or the caller's cancellation. */
function runJob(
  child: ChildProcess,
  job: ReadJob,
  { timeoutMs, signal, clock }: JobBounds,
): Promise<ReadAnswer | ReadFailure> {
  setKeepsAlive(child, true);
  return new Promise((resolve) => {
    const settle = (answer: ReadAnswer | ReadFailure) => {
      timer.cancel();
      signal.removeEventListener("abort", cancel);
      child.removeAllListeners("message");
      child.off("exit", crash);
      child.off("error", crash);
      resolve(answer);
    };
    const cancel = () => settle("cancelled");
    const crash = () => settle("memory");
    const timer = clock.setTimer(() => settle("timeout"), timeoutMs);
    signal.addEventListener("abort", cancel, { once: true });
    child.once("exit", crash).once("error", crash);
    child.once("message", (answer) => settle(answer as ReadAnswer));
    child.send(job, (error) => {
      if (error !== null) crash();
    });
  });
}
