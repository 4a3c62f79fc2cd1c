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
    contract: 1,
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

test("a module is described with its hooks, its members of the context, and why it needs the host", async () => {
  const mount = (coordinator: Coordinator) => {
    coordinator.hooks.observe("tool:post", () => undefined);
    coordinator.provide("notes", () => 1);
  };
  const ready = { mount, onSessionReady: () => undefined };

  expect(await describeModule({ mount })).toEqual({
    type: "tool",
    contract: 1,
    mounts: [],
    static: false,
    provides: [],
    needs: [],
    hooks: ["tool:post"],
    context: ["notes"],
    tools: [],
  });
  expect(await describeModule(ready)).toMatchObject({ hostOnly: "it exports onSessionReady" });
  expect(
    await describeModule(ready, { manifest: { hostOnly: "it reads keys", type: "hook" } }),
  ).toMatchObject({
    hostOnly: "it reads keys",
    type: "hook",
  });
});

test("a module is described with adapters and in a working directory, and all that its config gets wrong is said", async () => {
  const seen: unknown[] = [];
  const mount = (coordinator: Coordinator) => {
    seen.push(coordinator.getCapability("session.working_dir"), coordinator.getCapability("adapted"));
  };
  const adapters = (coordinator: Coordinator) => coordinator.registerCapability("adapted", true);
  await describeModule({ mount }, { adapters, workingDir: "/here" });

  expect(seen).toEqual(["/here", true]);
  const strict = z.strictObject({ root: z.string(), depth: z.number() });
  await expect(
    describeModule({ config: strict, mount }, { name: "notes", config: { root: 1 } }),
  ).rejects.toMatchObject({
    details: { module: "notes", problem: expect.stringMatching(/root.*; .*depth/) as string },
  });
});
