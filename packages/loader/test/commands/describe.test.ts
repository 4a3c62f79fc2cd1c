import type { Coordinator } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { describeModule } from "../../src/commands/index.ts";

const config = z.strictObject({ root: z.string() });
const tool = {
  name: "read_note",
  description: "Reads a note. Use when one is named.",
  schema: z.strictObject({ path: z.string() }),
  category: "read" as const,
  consequenceLevel: "low" as const,
  requiresConfirmation: () => true,
  execute: () => ({ data: null }),
};

test("AMP-7: a module is described by mounting it alone, and is undone again", async () => {
  let undone = 0;
  const mount = (coordinator: Coordinator) => {
    coordinator.registerCapability("notes.root", coordinator.config);
    coordinator.mount("tools", tool);
    return () => undone++;
  };

  const manifest = await describeModule(
    { config, mount },
    { config: { root: "." }, manifest: { static: true, needs: ["db"] } },
  );

  expect(manifest).toMatchObject({
    type: "tool",
    mounts: ["tools"],
    static: true,
    config: {
      type: "object",
      properties: { root: { type: "string" } },
      required: ["root"],
      additionalProperties: false,
    },
    provides: ["notes.root"],
    needs: ["db"],
    tools: [
      {
        name: "read_note",
        category: "read",
        consequenceLevel: "low",
        requiresConfirmation: "dynamic",
        inputSchema: { properties: { path: { type: "string" } } },
      },
    ],
  });
  expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
  expect(undone).toBe(1);
});

test("a module that refuses the config, or that is not a module, cannot be described", async () => {
  await expect(describeModule({ config, mount: () => null })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
  await expect(describeModule({})).rejects.toMatchObject({ code: "MODULE_INVALID" });
});
