// test/evals.process.test.ts runs these with the runner, the judge and the reporter of vitest-evals itself.
import { readFileSync } from "node:fs";
import { createHost, data, defineTool } from "@toolmount/core";
import { config, createReasoner, settingsOf, startReplay } from "@toolmount/reasoner";
import { createEvalHarness } from "@toolmount/testing/evals";
import { afterAll, expect } from "vitest";
import { describeEval, toolCalls, ToolCallJudge } from "vitest-evals";
import { z } from "zod";

const reads = { category: "read", consequenceLevel: "low", requiresConfirmation: false } as const;
const host = createHost();
host.coordinator.mount(
  "tools",
  defineTool({
    ...reads,
    name: "get_order",
    description: "Gets one order with its items. Use when the order's id is known.",
    schema: z.strictObject({ id: z.string() }),
    execute: ({ id }) => data({ id, items: ["lamp"] }),
  }),
);
host.coordinator.mount(
  "tools",
  defineTool({
    ...reads,
    name: "find_orders",
    description: "Finds the orders of a customer. Use when only the customer's name is known.",
    schema: z.strictObject({ customer: z.string() }),
    execute: () => data(["7"]),
  }),
);
const exchange = new URL("exchange.json", import.meta.url);
const replay = await startReplay(readFileSync(exchange, "utf8"), "exchange.json");
const model = { model: "recorded", baseUrl: replay.baseUrl, apiKey: "unused", stream: replay.stream };
const reasoner = createReasoner(host.coordinator, {
  settings: settingsOf(config.parse(model)),
});
afterAll(async () => {
  await host.close();
  await replay.close();
});

const harness = createEvalHarness("shop", (prompt, options) => reasoner.run(host, { prompt, ...options }));

describeEval("shop", { harness }, (it) => {
  it("finds what is in an order", async ({ run }) => {
    const result = await run("What is in order 7?");
    expect(result.output).toContain("lamp");
    expect(toolCalls(result)).toMatchObject([{ name: "get_order", arguments: { id: "7" }, status: "ok" }]);
    await expect(result).toSatisfyJudge(ToolCallJudge(), { expectedTools: ["get_order"] });
  });

  // The recorded model confuses the two tools, and the report must show it.
  it("finds the orders of a customer", async ({ run }) => {
    const result = await run("Which orders has Ada?");
    await expect(result).toSatisfyJudge(ToolCallJudge(), { expectedTools: ["find_orders"] });
  });
});
