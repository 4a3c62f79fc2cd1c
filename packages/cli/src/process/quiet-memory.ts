import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Host } from "@toolmount/core";

/** Milliseconds without a call after which memory is returned. */
const afterMs = 10_000;

/** Size of a heap in bytes that is too small to be worth a collection. */
const smallHeap = 48 * 1_048_576;

/**
 * Returns memory to the system when a server is quiet: no call of its hosts has begun or ended for `quietMs`. Under load V8 lets
 * its heap grow, by 128 MB for new objects alone, and does not collect garbage while nothing is allocated. This collection stops
 * the process for half a second or more. So it runs once after a load, and only if the heap has doubled since the last one.
 */
export function releaseMemoryWhenQuiet(
  hosts: readonly Pick<Host, "coordinator">[],
  {
    quietMs = afterMs,
    smallBytes = smallHeap,
  }: { readonly quietMs?: number; readonly smallBytes?: number } = {},
): void {
  let keptBytes = smallBytes;
  const timer = setTimeout(() => {
    if (getHeapStatistics().total_heap_size < 2 * keptBytes) return;
    collectAll();
    keptBytes = Math.max(smallBytes, getHeapStatistics().total_heap_size);
  }, quietMs).unref();
  const stir = () => void timer.refresh();
  for (const { coordinator } of hosts) {
    coordinator.hooks.observe("tool:pre", stir);
    coordinator.hooks.observe("tool:post", stir);
  }
}

/**
 * Collects all garbage and returns the memory to the system. V8 does this only with the `gc` function; the inspector's collection
 * runs too late.
 */
function collectAll(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (how: object) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
