import { createHost, data, type ToolDefinition } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeTool } from "../../src/far/describe-tool.ts";

const least = {
  name: "pay",
  description: "Pays. Use in tests.",
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  execute: () => data(1),
} as unknown as ToolDefinition;

/** How a process describes a tool, with what a host knows of it. */
async function described(more: object = {}) {
  const host = createHost();
  const definition = { ...least, ...more } as ToolDefinition;
  host.coordinator.mount("tools", definition);
  const [info] = host.tools({ includeDeprecated: true });
  await host.close();
  return describeTool(definition, info!);
}
const common = {
  name: "pay",
  description: "Pays. Use in tests.",
  category: "side_effect",
  consequenceLevel: "high",
  requiresConfirmation: false,
  inputSchema: expect.objectContaining({ type: "object", additionalProperties: false }),
};

test("a tool is described by its facts, without its code", async () => {
  expect(await described()).toEqual(common);
  const facts = {
    timeout: 5,
    maxTimeout: 9,
    usage: "Pay once.",
    summary: "Pays.",
    modes: ["build"],
    alwaysOffered: true,
    tags: ["money"],
    version: "1.2.3",
    idempotent: true,
    control: [],
  };
  expect(await described(facts)).toEqual({ ...common, ...facts });
});

test("a tool that asks by its arguments is dynamic, and one with an undo or a preview says so", async () => {
  const undo = () => data(1);
  const preview = () => ({ effects: [], result: data(1) });
  expect(await described({ requiresConfirmation: () => true, undo, preview })).toEqual({
    ...common,
    requiresConfirmation: "dynamic",
    undoable: true,
    previews: true,
  });
  const failures = { className: "PayError", describe: () => ({ error: "no" }) };
  expect(await described({ requiresConfirmation: true, failures })).toEqual({
    ...common,
    requiresConfirmation: true,
    failuresOf: "PayError",
  });
});
