import { createHost, data, defineTool } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { watchCalls } from "../../src/host/open-plan.ts";

test("a call is watched with the timeout of its tool, and no other tool is looked at", async () => {
  const host = createHost();
  onTestFinished(async () => void (await host.close()));
  for (const [name, timeout] of [
    ["slow", 9_000],
    ["quick", 1_000],
  ] as const)
    host.coordinator.mount(
      "tools",
      defineTool({
        name,
        description: "Answers. Use in tests.",
        schema: z.strictObject({}),
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: false,
        timeout,
        execute: () => data(name),
      }),
    );
  const lists: unknown[] = [];
  const coordinator: typeof host.coordinator = {
    ...host.coordinator,
    get: (point, name?: string) => {
      if (name === undefined) lists.push(point);
      return host.coordinator.get(point, name ?? "");
    },
  };
  const watched: unknown[] = [];
  watchCalls(
    { coordinator },
    { begin: ({ tool, timeoutMs }) => (watched.push([tool, timeoutMs]), () => void watched.push("end")) },
  );

  await host.call({ name: "slow", arguments: {} });
  await host.call({ name: "quick", arguments: {} });
  await host.close();

  expect(watched).toEqual([["slow", 9_000], "end", ["quick", 1_000], "end"]);
  expect(lists).toEqual([]);
});
