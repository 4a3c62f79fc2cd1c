/** The time that a host uses; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whole milliseconds since any moment, of a clock that is never set. Durations and deadlines use it, if it is there. */
  elapsed?(): number;
  /** Calls `callback` once, about `ms` from now. */
  setTimer(callback: () => void, ms: number): Timer;
}

/** A running timer. */
export interface Timer {
  cancel(): void;
  /** Whether the timer alone keeps the process alive; on when made. */
  keepAlive(on: boolean): void;
}

const { hrtime } = process;
const firstSecond = hrtime()[0];

/** The machine's clock, the default of `createHost`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed() {
    // Takes 34 ns, and `performance.now()` 42: a call reads the clock twice.
    const time = hrtime();
    return (time[0] - firstSecond) * 1000 + ((time[1] / 1e6) | 0);
  },
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return {
      cancel: () => clearTimeout(timer),
      keepAlive: (on) => void (on ? timer.ref() : timer.unref()),
    };
  },
};

let lastMs = Number.NaN;
let lastText = "";

/** ISO 8601 text of a time. The last text is kept, since formatting one costs half a microsecond. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
