import { data, defineTool } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { createWorld, serve } from "./support/world.ts";

test("a user with a thousand calls that wait delays the first call of another one by one call", async () => {
  const { host, release } = createWorld({ limits: { concurrentTotal: 1 } });
  const order: unknown[] = [];
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "note",
      description: "Notes who called. Use in tests.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: (_, { userId }) => data(order.push(userId)),
    }),
  );
  const { ask } = await serve(host, { limits: { openPerToken: 2_000, connections: 4_000 } });
  const call = (tool: string, userId: string) =>
    ask("POST", "/api/v1/hosts/default/calls", { as: "caller", body: { tool, userId } });
  const arrived = async () => {
    const { body } = await ask("GET", "/api/v1/hosts/default/calls?status=running&limit=2000");
    return ((body as Record<string, unknown>)["calls"] as unknown[]).length;
  };
  const held = call("wait", "ana");
  await expect.poll(arrived, { interval: 500 }).toBe(1);
  const many = Array.from({ length: 1_000 }, () => call("note", "ana"));
  await expect.poll(arrived, { interval: 500 }).toBe(1_001);
  const first = call("note", "ben");
  await expect.poll(arrived, { interval: 500 }).toBe(1_002);
  release();
  const answers = await Promise.all([held, first, ...many]);
  expect(new Set(answers.map(({ body }) => body["status"]))).toEqual(new Set(["ok"]));
  expect(order.indexOf("ben")).toBeLessThanOrEqual(1);
  expect(order).toHaveLength(1_001);
});
