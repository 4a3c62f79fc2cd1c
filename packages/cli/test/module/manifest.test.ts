import { expect, test } from "vitest";
import { oneTool, workspace } from "../support/workspace.ts";

const packageJson = `${JSON.stringify({ name: "greeter", version: "1.0.0", type: "module", exports: "./index.ts" }, null, 2)}\n`;
const greet = oneTool({ name: "greet", schema: "name: z.string()", body: "return data(params.name);" });

test("the manifest is written into package.json, and is true from then on", async () => {
  const { here: run, read } = await workspace({
    "greeter/package.json": packageJson,
    "greeter/index.ts": greet,
  });
  const before = await run(["manifest", "greeter", "--check"]);
  const untouched = await read("greeter/package.json");
  const wrote = await run(["manifest", "greeter"]);
  const after = await run(["manifest", "greeter", "--check"]);

  expect([before.code, wrote.code, after.code]).toEqual([1, 0, 0]);
  expect(before.stdout).toContain("the manifest differs from what the package mounts");
  expect(untouched).toBe(packageJson);
  expect(JSON.parse(await read("greeter/package.json"))).toMatchObject({
    name: "greeter",
    toolmount: { type: "tool", mounts: ["tools"], tools: [{ name: "greet", category: "side_effect" }] },
  });
});

/** A tool with a JSON Schema, and one as another library defines it. */
const others = `const input = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
const words = { description: "Greets a person by name. Use it in tests. Not for anything else." };
export const greet = { name: "greet", ...words, schema: input, ...facts, execute: async () => ({ data: "Hello" }) };
export const salute = { ...words, parameters: input, execute: async () => "Hello" };
`;

test("a package is described whose tools have JSON Schemas, or are of another library", async () => {
  const { here: run, read } = await workspace({
    "greeter/package.json": packageJson,
    "greeter/index.ts": others,
  });
  const { code, stderr } = await run(["manifest", "greeter"]);

  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(await read("greeter/package.json"))).toMatchObject({
    toolmount: { tools: [{ name: "greet", inputSchema: { required: ["name"] } }, { name: "salute" }] },
  });
});

test("a plan then lists the package without importing it", async () => {
  const { here: run } = await workspace({
    "greeter/package.json": packageJson,
    "greeter/index.ts": greet,
    "plan.yaml": "version: 1\ntools:\n  - module: ./greeter\n",
  });
  await run(["manifest", "greeter"]);

  expect((await run(["list", "plan.yaml", "--json"])).json()).toMatchObject({
    from: "manifests",
    tools: [{ name: "greet" }],
  });
});

test("as JSON: the manifest, whether it was true, and whether it was written", async () => {
  const { here: run } = await workspace({ "greeter/package.json": packageJson, "greeter/index.ts": greet });
  const { code, json } = await run(["manifest", "greeter", "--check", "--json"]);

  expect(code).toBe(1);
  expect(json()).toMatchObject({ same: false, written: false, manifest: { tools: [{ name: "greet" }] } });
});

test.each([
  { title: "a folder without a package", files: { "greeter/index.ts": greet }, said: "SOURCE_NOT_FOUND" },
  {
    title: "a package that throws when it is imported",
    files: { "greeter/package.json": packageJson, "greeter/index.ts": "throw new Error('not today');" },
    said: 'MODULE_IMPORT_FAILED module "greeter" cannot be imported: not today',
  },
  {
    title: "a package that mounts nothing",
    files: { "greeter/package.json": packageJson, "greeter/index.ts": "export const answer = 42;" },
    said: "MODULE_INVALID",
  },
])("$title ends with 1 and says so", async ({ files, said }) => {
  const { here: run } = await workspace(files);
  const { code, stderr } = await run(["manifest", "greeter"]);

  expect(code).toBe(1);
  expect(stderr).toContain(said);
});

test("a config that is no JSON is wrong usage", async () => {
  const { here: run } = await workspace({ "greeter/package.json": packageJson, "greeter/index.ts": greet });

  expect(await run(["manifest", "greeter", "--config", "{"])).toMatchObject({ code: 2 });
});

test("a missing setting is named, with the option that gives it", async () => {
  const needy = `import { z } from "zod";
export const config = z.strictObject({ root: z.string(), api: z.strictObject({ key: z.string() }) });
export async function mount() {}
`;
  const { here: run } = await workspace({ "needy/package.json": packageJson, "needy/index.ts": needy });
  const { code, stderr } = await run(["manifest", "needy"]);

  expect(code).toBe(1);
  expect(stderr).toMatch(/CONFIG_INVALID.*root.*; .*api/);
  expect(stderr).toContain("--config");
});
