import type { Clock } from "@toolmount/core";

/** Calls `act` every `everyMs` milliseconds. The timer does not keep the process running. Returns a function that ends this. */
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
