import { expect, test } from "vitest";
import { z } from "zod";
import { createHost, data, failure, toolsFrom } from "../../src/index.ts";
import { adaptModule, recogniseModule, runMount } from "@toolmount/core/modules";

const order = z.strictObject({ customer: z.string() });
const tools = () =>
  toolsFrom(
    {
      findOrders: ({ customer }) => [{ customer, total: 3 }],
      refundOrder: async ({ customer }) => data({ refunded: customer }, { warnings: ["late"] }),
      HTTPPing: () => {},
      fail: ({ customer }) =>
        customer === "x" ? failure("no such customer", { code: "NOT_FOUND" }) : lost(),
    },
    {
      findOrders: { description: "Finds a customer's orders.", schema: order, category: "read" },
      refundOrder: { description: "Refunds an order.", schema: order, requiresConfirmation: false },
      HTTPPing: { description: "Pings.", schema: z.strictObject({}) },
      fail: { description: "Fails.", schema: order, category: "read" },
    },
  );
const lost = (): never => {
  throw new Error("gone");
};

test("a function is a tool: its name in snake case, what it returns as data, what it throws as a failure", async () => {
  const host = createHost({});
  const made = adaptModule(
    "./t.ts",
    recogniseModule("./t.ts", { tools: tools() }, undefined),
    host.coordinator,
  );
  await runMount("t", made, host.coordinator, {}, () => false);
  const call = async (name: string, args = {}) => (await host.call({ name, arguments: args })).result;

  expect(host.tools().map(({ name }) => name)).toEqual(["fail", "find_orders", "http_ping", "refund_order"]);
  expect(await call("find_orders", { customer: "a" })).toMatchObject({ data: [{ customer: "a", total: 3 }] });
  expect(await call("refund_order", { customer: "a" })).toMatchObject({
    data: { refunded: "a" },
    warnings: ["late"],
  });
  expect(await call("fail", { customer: "x" })).toMatchObject({
    error: "no such customer",
    code: "NOT_FOUND",
  });
  expect(await call("fail", { customer: "y" })).toMatchObject({ code: "TOOL_FAILED" });
  expect(await call("find_orders", {})).toMatchObject({ code: "INVALID_ARGUMENTS" });
});

test("what is not said of a function asks: only one that reads runs unasked", async () => {
  const facts = tools().map(({ name, category, consequenceLevel, requiresConfirmation }) => [
    name,
    category,
    consequenceLevel,
    requiresConfirmation,
  ]);

  expect(facts).toEqual([
    ["find_orders", "read", "low", false],
    ["refund_order", "side_effect", "medium", false],
    ["http_ping", "side_effect", "medium", true],
    ["fail", "read", "low", false],
  ]);
});

test("a function without a description, and a description without a function, are refused by name", () => {
  const about = { go: { description: "Goes.", schema: order } };
  const without = {} as { go: () => void };

  expect(() => toolsFrom({ go: () => {}, stop: () => {} } as { go: () => void }, about)).toThrow(
    'tool "stop" cannot be mounted: is a function without a description and a schema',
  );
  expect(() => toolsFrom(without, about)).toThrow(
    'tool "go" cannot be mounted: is described, but no function',
  );
});
