import type { Clock } from "../src/index.ts";

/** A clock that stands still until it is moved. */
export interface FakeClock extends Clock {
  /** Moves time on, calling the timers that come due in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: number;
  /** Whether one of them keeps the process alive. */
  readonly keepsAlive: boolean;
}

export function createFakeClock(start = Date.parse("2026-01-01T00:00:00.000Z")): FakeClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly callback: () => void; keepsAlive: boolean }>();
  const next = (until: number) =>
    [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    setTimer(callback, ms) {
      const timer = { at: now + ms, callback, keepsAlive: true };
      timers.add(timer);
      return { cancel: () => timers.delete(timer), keepAlive: (on) => void (timer.keepsAlive = on) };
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        now = Math.max(now, timer.at);
        timers.delete(timer);
        timer.callback();
        await settle();
      }
      now = until;
      await settle();
    },
    get pending() {
      return timers.size;
    },
    get keepsAlive() {
      return [...timers].some((timer) => timer.keepsAlive);
    },
  };
}

/** Lets every promise that can settle do so. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
