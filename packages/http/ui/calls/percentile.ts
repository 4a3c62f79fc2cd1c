import type { CallSummary } from "../shapes.ts";

/** The durations of the calls that have ended, in milliseconds, shortest first. */
export function durationsOf(calls: readonly CallSummary[]): Float64Array {
  return Float64Array.from(calls.flatMap(({ durationMs }) => durationMs ?? [])).toSorted();
}

/** The duration that a part of the calls did not exceed, such as 0.95; null without calls. `sorted` is shortest first. */
export function percentileOf(sorted: Float64Array, part: number): number | null {
  return sorted[Math.ceil(sorted.length * part) - 1] ?? null;
}
