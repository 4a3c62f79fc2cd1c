import { setTimeout as delay } from "node:timers/promises";
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
import { createHost, data, defineTool } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { releaseMemoryWhenQuiet } from "../../src/process/quiet-memory.ts";

const megabyte = 1_048_576;

test("a server that is quiet gives the memory of a load back", async () => {
  const host = createHost();
  // A text of its own for each call, which the next call replaces.
  let held: string[] = [];
  const fill = defineTool({
    name: "fill",
    description: "Fills the memory. Use it to make a load. Not for work.",
    schema: z.strictObject({ count: z.number() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: async ({ count }) => {
      held = Array.from({ length: count }, (_, at) => `${at} `.repeat(20));
      return data({ held: held.length });
    },
  });
  host.coordinator.mount("tools", fill);
  const call = (count: number) => host.call({ name: "fill", arguments: { count } });
  const heap = () => getHeapStatistics().total_heap_size;
  releaseMemoryWhenQuiet([createHost(), host], { quietMs: 300, smallBytes: heap() });

  await call(1_500_000);
  const loaded = heap();
  await call(0);
  // V8 itself, when it collects, leaves the space of new objects as large as it was.
  const young = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")!.space_size;
  while (young() !== megabyte) await delay(50);

  expect(held).toEqual([]);
  expect(heap()).toBeLessThan(loaded - 50 * megabyte);
  await host.close();
});
