import type { Clock } from "@toolmount/core";
import { groupLives, signal, survivorsOf, type Trace } from "./find-processes.ts";

/** How long what a command left may take to end by itself, and after being asked to. */
export interface Patience {
  readonly lingerMs: number;
  readonly graceMs: number;
}

/**
 * Sees to it that nothing of a command is left: waits, asks with TERM, then kills, again and again until nothing is
 * found. With `soloPid`, a sandbox's own process, that one is spared the TERM, since its death ends all in it at once.
 */
export async function endAll(
  trace: Trace,
  { lingerMs, graceMs }: Patience,
  clock: Clock,
  soloPid: number | null = null,
): Promise<readonly number[]> {
  if (lingerMs > 0 && (await goneWithin(trace, lingerMs, clock))) return [];
  const left = await leftOf(trace);
  if (soloPid === null) signal(-trace.pid, "SIGTERM");
  for (const pid of left) if (pid !== soloPid) signal(pid, "SIGTERM");
  if (await goneWithin(trace, graceMs, clock)) return [];
  for (let round = 0; round < 50; round++) {
    signal(-trace.pid, "SIGKILL");
    for (const pid of await leftOf(trace)) signal(pid, "SIGKILL");
    if (await goneWithin(trace, 20, clock)) return [];
  }
  return await leftOf(trace);
}

async function leftOf(trace: Trace): Promise<readonly number[]> {
  return (await survivorsOf(trace)) ?? (groupLives(trace.pid) ? [trace.pid] : []);
}

/** Looks at once and then ever more seldom. */
async function goneWithin(trace: Trace, ms: number, clock: Clock): Promise<boolean> {
  for (let waited = 0, step = 2; ; step = Math.min(step * 2, 50)) {
    if ((await leftOf(trace)).length === 0) return true;
    if (waited >= ms) return false;
    const pause = Math.min(step, ms - waited);
    await wait(pause, clock);
    waited += pause;
  }
}

/** Waits for something, but not longer than so many milliseconds; leaves no timer behind. */
export async function waitAtMost(ms: number, what: Promise<void>, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(resolve, ms);
    void what.then(() => {
      timer.cancel();
      resolve();
    });
  });
}

function wait(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, ms));
}
