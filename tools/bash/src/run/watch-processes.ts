import type { Clock } from "@toolmount/core";
import type { ProcessFinder } from "./find-processes.ts";

/** Milliseconds between two counts. */
const countMs = 250;

/** What counting needs. */
interface WatchOptions {
  readonly maxProcesses: number;
  readonly clock: Clock;
  readonly finder: ProcessFinder;
}

/**
 * Counts the processes of a command while it runs, also those whose parents have ended: a fork bomb is made of them.
 * Calls back once when there are too many. Returns the undo. Counts nothing where the system does not list processes as Linux does.
 */
export function watchProcesses(
  { pid, mark }: { readonly pid: number | undefined; readonly mark: string },
  { maxProcesses, clock, finder }: WatchOptions,
  onTooMany: () => void,
): () => void {
  if (pid === undefined) return () => {};
  let isWatching = true;
  const count = async () => {
    const found = await finder.find({ pid, mark });
    if (!isWatching || found === null) return;
    if (found.length > maxProcesses) onTooMany();
    else timer = clock.setTimer(() => void count(), countMs);
  };
  let timer = clock.setTimer(() => void count(), countMs);
  return () => {
    isWatching = false;
    timer.cancel();
  };
}
