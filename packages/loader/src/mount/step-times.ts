import type { Clock } from "@toolmount/core";

/**
 * Milliseconds that each step of one module took. Waiting is included, because modules are found and imported at the same time. A
 * step that did not run is absent.
 */
export interface StepTimes {
  readonly resolveMs?: number;
  readonly importMs?: number;
  readonly configMs?: number;
  readonly mountMs?: number;
}

export interface StepTimer {
  readonly times: StepTimes;
  measure<Value>(step: keyof StepTimes, work: () => Promise<Value>): Promise<Value>;
}

/** Creates a timer of steps; `before` has the times of steps that already ran. */
export function createStepTimer(clock: Clock, before: StepTimes = {}): StepTimer {
  const times: { -readonly [Step in keyof StepTimes]: StepTimes[Step] } = { ...before };
  return {
    times,
    async measure(step, work) {
      const start = clock.now();
      try {
        return await work();
      } finally {
        times[step] = clock.now() - start;
      }
    },
  };
}
