import type { Clock } from "../contract/clock.ts";

/** Waits for `work` for at most `ms`, then settles with what `onTimeout` returns or throws. The work itself is not stopped. */
export function withTimeout<Value>(
  clock: Clock,
  ms: number,
  work: Promise<Value>,
  onTimeout: () => Value | Promise<never>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => resolve(onTimeout()), ms);
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
