import type { Clock } from "@toolmount/core";

/** Settles as `work` does, or rejects with the error that `late` makes when `work` takes longer than `ms`. */
export function withTimeout<Value>(
  work: Promise<Value>,
  ms: number,
  clock: Clock,
  late: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => reject(late()), ms);
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
