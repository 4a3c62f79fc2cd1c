import type { Clock } from "@toolmount/core";
import { hasGroup, signal, type ProcessFinder, type Trace } from "./find-processes.ts";

/** Milliseconds that the processes of a command get to end by themselves, and then to end after SIGTERM. */
export interface Patience {
  readonly lingerMs: number;
  readonly graceMs: number;
}

/** Options for ending processes. */
interface EndOptions {
  readonly patience: Patience;
  readonly clock: Clock;
  readonly finder: ProcessFinder;
  /** The process of a sandbox itself, or null. It gets no SIGTERM, because its end would kill all processes in it. */
  readonly sandboxPid: number | null;
  /** Receives the ids of the processes that did not end by themselves, before they get SIGTERM. */
  readonly notice?: ((pids: readonly number[]) => void) | undefined;
}

/**
 * Ends all processes of a command: waits, sends SIGTERM, then SIGKILL until no process is found. Resolves to the ids of the
 * processes that could not be ended.
 */
export async function endAll(trace: Trace, options: EndOptions): Promise<readonly number[]> {
  const { patience, sandboxPid } = options;
  if (patience.lingerMs > 0 && (await endWithin(trace, patience.lingerMs, options))) return [];
  const left = await leftOf(trace, options);
  if (left.length === 0) return [];
  options.notice?.(left);
  if (sandboxPid === null) signal(-trace.pid, "SIGTERM");
  for (const pid of left) if (pid !== sandboxPid) signal(pid, "SIGTERM");
  if (await endWithin(trace, patience.graceMs, options)) return [];
  for (let round = 0; round < 50; round++) {
    signal(-trace.pid, "SIGKILL");
    for (const pid of await leftOf(trace, options)) signal(pid, "SIGKILL");
    if (await endWithin(trace, 20, options)) return [];
  }
  return await leftOf(trace, options);
}

async function leftOf(trace: Trace, { finder }: EndOptions): Promise<readonly number[]> {
  return (await finder.find(trace)) ?? (hasGroup(trace.pid) ? [trace.pid] : []);
}

/** Whether all processes end within a time. It looks soon, and then less and less often. */
async function endWithin(trace: Trace, ms: number, options: EndOptions): Promise<boolean> {
  for (let waited = 0, step = 2; ; step = Math.min(step * 2, 50)) {
    if ((await leftOf(trace, options)).length === 0) return true;
    if (waited >= ms) return false;
    const pauseMs = Math.min(step, ms - waited);
    await wait(pauseMs, options.clock);
    waited += pauseMs;
  }
}

/** Waits for a promise, at most `ms` milliseconds. Leaves no timer behind. */
export async function waitAtMost(ms: number, settled: Promise<void>, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(resolve, ms);
    void settled.then(() => {
      timer.cancel();
      resolve();
    });
  });
}

function wait(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, ms));
}
