import type { Clock } from "@toolmount/core";

/** Calls again and again, without keeping the process. Returns what ends that. */
export function repeat(clock: Clock, everyMs: number, act: () => void): () => void {
  let timer = clock.setTimer(next, everyMs);
  function next() {
    act();
    timer = clock.setTimer(next, everyMs);
    timer.keepAlive(false);
  }
  timer.keepAlive(false);
  return () => timer.cancel();
}
