import { silentLogger, type Coordinator, type Mount } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";

const schema = z.strictObject({});
const makeTool = (name: string) => ({
  name,
  description: "Does nothing. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema,
  execute: () => ({ data: name }),
});

async function open(mount: Mount) {
  return openHost({ tools: [{ module: "m" }] }, { logger: silentLogger, extensions: { m: { mount } } });
}

const one = makeTool("one");
const mountOne = (coordinator: Coordinator) => coordinator.mount("tools", one);

test.each<{ what: string; mount: Mount; tools: string[]; state: string }>([
  { what: "a tool", mount: () => one, tools: ["one"], state: "mounted" },
  { what: "tools", mount: () => [one, makeTool("two")], tools: ["one", "two"], state: "mounted" },
  { what: "{ tools }", mount: () => ({ tools: [one] }), tools: ["one"], state: "mounted" },
  { what: "a promise of tools", mount: async () => [one], tools: ["one"], state: "mounted" },
  { what: "a tool that it also mounted", mount: (c) => (mountOne(c), one), tools: ["one"], state: "mounted" },
  {
    what: "nothing, having mounted a tool",
    mount: (c) => void mountOne(c),
    tools: ["one"],
    state: "mounted",
  },
  {
    what: "nothing, having added a gate",
    mount: (c) => void c.hooks.gate("tool:pre", () => {}),
    tools: [],
    state: "mounted",
  },
  { what: "nothing at all", mount: () => {}, tools: [], state: "degraded" },
  { what: "null", mount: () => null, tools: [], state: "degraded" },
  { what: "an empty list", mount: () => [], tools: [], state: "degraded" },
  { what: "only a cleanup", mount: () => () => {}, tools: [], state: "degraded" },
])("C28, AMP-5, AMP-6: a module may return $what", async ({ mount, tools, state }) => {
  const host = await open(mount);

  expect(host.status().entries).toMatchObject([{ tools, state }]);
  expect(host.tools().map(({ name }) => name)).toEqual(tools);
  await host.close();
});

test.each<[string, Mount]>([
  ["a cleanup", (c) => (mountOne(c), () => seen.push("cleaned"))],
  ["{ cleanup }", (c) => (mountOne(c), { cleanup: () => seen.push("cleaned") })],
  ["{ tools, cleanup }", () => ({ tools: [one], cleanup: async () => seen.push("cleaned") })],
])("C28, AMP-N27: what came back as %s runs once, when the host closes", async (_, mount) => {
  seen.length = 0;
  const host = await open(mount);
  expect(seen).toEqual([]);

  await host.close();
  await host.close();

  expect(seen).toEqual(["cleaned"]);
});

const seen: string[] = [];

test.each<[string, unknown]>([
  ["a text", "tool"],
  ["a number", 1],
  ["true", true],
  ["a list with a hole", [one, null]],
  ["tools that are no list", { tools: one }],
  ["a cleanup that is no function", { cleanup: "x" }],
  ["another member", { tools: [], also: 1 }],
])("C28: a module that returns %s is refused", async (_, returned) => {
  const opening = open((() => returned) as Mount);

  await expect(opening).rejects.toMatchObject({ details: { problems: [{ code: "MODULE_INVALID" }] } });
});

test.each<[string, Record<string, unknown>]>([
  ["nothing", {}],
  ["no mount and no tool", { name: "x", version: 1 }],
  ["a mount that is no function", { mount: 1 }],
  ["a config that is no schema", { mount: () => {}, config: { type: "object" } }],
])("AMP-4, AMP-N24: a module that exports %s is refused before anything of it runs", async (_, exports) => {
  const opening = openHost(
    { tools: [{ module: "m" }] },
    { logger: silentLogger, extensions: { m: exports } },
  );

  await expect(opening).rejects.toMatchObject({ details: { problems: [{ code: "MODULE_INVALID" }] } });
});
