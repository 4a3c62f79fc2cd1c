/** Time as the host sees it; tests give their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once, about `ms` from now. */
  setTimer(callback: () => void, ms: number): Timer;
}

/** A running timer. */
export interface Timer {
  cancel(): void;
  /** Whether the timer alone keeps the process alive; on when made. */
  keepAlive(on: boolean): void;
}

/** The machine's clock: the default where a host is put together. */
export const systemClock: Clock = {
  now: () => Date.now(),
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

/** ISO 8601 text of a time, kept for as long as the millisecond lasts: formatting anew costs half a microsecond. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
