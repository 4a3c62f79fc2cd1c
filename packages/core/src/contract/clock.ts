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
