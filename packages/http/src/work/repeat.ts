import type { Clock } from "@toolmount/core";

/** Calls at intervals, without keeping the process running. Returns a function that stops it. */
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
