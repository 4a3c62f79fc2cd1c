/** The time that a host uses; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whole milliseconds since any moment, from a clock that is never set back. If present, durations and deadlines use it. */
  elapsed?(): number;
  /** Calls `callback` once, about `ms` from now. */
  setTimer(callback: () => void, ms: number): Timer;
}

/** A running timer. */
export interface Timer {
  cancel(): void;
  /** Sets whether this timer alone keeps the process alive. It does so by default. */
  keepAlive(on: boolean): void;
}

let lastMs = Number.NaN;
let lastText = "";

/** Returns a time as ISO 8601 text. The last text is kept, because formatting takes half a microsecond. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
