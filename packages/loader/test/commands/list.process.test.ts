import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { listPlan } from "../../src/commands/list.ts";
import { installed, workspace } from "../workspace.ts";

const manifest = {
  type: "tool",
  mounts: ["tools"],
  static: true,
  tools: [
    { name: "read_note", description: "Reads a note.", inputSchema: { type: "object" }, category: "read" },
    { name: "drop_note", description: "Drops a note." },
  ],
};
const throws = "throw new Error('this module ran')";

test("AMP-7: a plan is listed from manifests, without importing a module or reading a variable", async () => {
  const { path, folder } = await workspace({
    ...installed("@toolmount/tool-notes", throws, { toolmount: manifest }),
    "one.ts": throws,
    "plan.yaml": `
name: mine
tools:
  - module: notes
    prefix: my_
    config: { key: "\${NOT_SET}" }
    tools: { exclude: [drop_note] }
  - module: ./one.ts
    required: false
hooks:
  - module: gone
`,
  });

  expect(await listPlan("plan.yaml", { cwd: folder })).toMatchObject({
    file: path("plan.yaml"),
    name: "mine",
    entries: [
      {
        id: "notes",
        section: "tools",
        required: true,
        package: { name: "@toolmount/tool-notes", version: "1.2.3" },
        tools: [{ name: "my_read_note", category: "read" }],
        position: { line: 4 },
      },
      { id: "./one.ts", required: false, package: undefined, tools: null },
      { id: "gone", section: "hooks", tools: null },
    ],
  });
});

test("a file that is not a plan cannot be listed", async () => {
  const { folder } = await workspace({
    "plan.yaml": "tools: [",
    "plan.json": "{",
  });

  for (const plan of ["plan.yaml", "plan.json"]) {
    await expect(listPlan(plan, { cwd: folder })).rejects.toMatchObject({ code: "PLAN_INVALID" });
  }
  await expect(listPlan("gone.yaml", { cwd: folder })).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
});

test.each([
  ['{ "tools": { "module": "notes" } }', true],
  ['{ "hooks": { "module": "notes" } }', true],
  ['{ "hooks": [{ "module": "notes", "colour": "red" }] }', true],
  ['{ "colour": "red" }', true],
  ['{ "hooks": [{ "command": ["guard"] }], "x-mine": 1 }', false],
])("of %s a listing says whether a check would find more: %s", async (plan, isDoubtful) => {
  const { folder } = await workspace({ "plan.json": plan });

  expect(await listPlan("plan.json", { cwd: folder })).toMatchObject({ isDoubtful });
});

test("a listing loads neither the logger nor the general finders of plans and packages", async () => {
  const { folder } = await workspace({
    ...installed("@toolmount/tool-notes", throws, { toolmount: manifest }),
    "plan.json": '{ "tools": [{ "module": "notes" }] }',
    "list.mjs": `
import { registerHooks } from "node:module";
const seen = [];
registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
const { listPlan } = await import(process.argv[2]);
const { entries } = await listPlan("plan.json", { cwd: process.cwd() });
console.log(JSON.stringify({ tools: entries[0].tools.length, heavy: seen.filter((name) => /^(exsolve|cosmiconfig|pino)$/.test(name)) }));
`,
  });
  const index = resolve(import.meta.dirname, "../../src/commands/list.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["-C", "@toolmount/source", "list.mjs", index],
    { cwd: folder },
  );

  expect(JSON.parse(stdout)).toEqual({ tools: 2, heavy: [] });
});

test("packages are found where Node finds them: above the plan, and the nearest first", async () => {
  const other = (description: string) => ({
    toolmount: { ...manifest, tools: [{ name: "note", description }] },
  });
  const { folder } = await workspace({
    ...installed("@toolmount/tool-notes", throws, other("above")),
    ...installed("toolmount-tool-far", throws, other("far")),
    "inner/plan.yaml": "tools: [{ module: notes }, { module: far }]",
    "inner/node_modules/@toolmount/tool-notes/package.json": JSON.stringify({ name: "x", ...other("near") }),
  });

  const { entries } = await listPlan("inner/plan.yaml", { cwd: folder });
  expect(entries.map(({ tools }) => tools?.[0]?.description)).toEqual(["near", "far"]);
});

test("a listing names the entry, where its module is, and what the plan has beside it", async () => {
  const { path, folder } = await workspace({
    "mine/package.json": JSON.stringify({ name: "mine", version: "2.0.0", toolmount: manifest }),
    "plan.yaml": `extends: ./base.yaml
x-note: 1
tools:
  - { module: label, id: own, source: ./mine, tools: { read_note: { description: Looks. } } }
  - { module: label, source: { colour: red } }
`,
    "base.yaml": "policy: { flows: on }",
    "plan.lock.json": "{}",
  });
  const listing = await listPlan("plan.yaml", { cwd: folder });

  expect(listing).toMatchObject({ name: undefined, isDoubtful: false, hasPolicy: true, isLocked: true });
  expect(listing.entries).toMatchObject([
    { id: "own", specifier: "./mine", required: true, package: { name: "mine", version: "2.0.0" } },
    { id: "label", specifier: "label", package: undefined, tools: null },
  ]);
  expect(listing.entries[0]?.tools?.map(({ name, description }) => `${name}: ${description}`)).toEqual([
    "read_note: Looks.",
    "drop_note: Drops a note.",
  ]);
  expect(await listPlan(path("base.yaml"), { cwd: folder })).toMatchObject({ entries: [], isLocked: false });
});

test("a summary of the author's description is not listed with the plan's own", async () => {
  const summary = "In short.";
  const toolmount = { ...manifest, tools: manifest.tools.map((tool) => ({ ...tool, summary })) };
  const { folder } = await workspace({
    ...installed("@toolmount/tool-notes", throws, { toolmount }),
    "plan.json":
      '{ "tools": [{ "module": "notes", "tools": { "read_note": { "description": "Looks." } } }] }',
  });
  const { entries } = await listPlan("plan.json", { cwd: folder });

  expect(entries[0]?.tools?.map((tool) => tool.summary)).toEqual([undefined, summary]);
});

test("a module whose config decides about its tools is listed without them, and one that mounts none has none", async () => {
  const pack = (name: string, mounts: string[]) =>
    installed(`@toolmount/tool-${name}`, throws, { toolmount: { mounts, tools: [] } });
  const { folder } = await workspace({
    ...pack("open", ["tools"]),
    ...pack("none", ["policies"]),
    "plan.json": '{ "tools": [{ "module": "open" }, { "module": "none" }] }',
  });
  const { entries, hasPolicy } = await listPlan("plan.json", { cwd: folder });

  expect(entries.map(({ tools }) => tools)).toEqual([null, []]);
  expect(hasPolicy).toBe(false);
});

test("a plan inside a package lists that package by its own name", async () => {
  const { folder } = await workspace({
    "package.json": JSON.stringify({ name: "toolmount-tool-own", exports: "./a.js", toolmount: manifest }),
    "a.js": throws,
    "plan.json": '{ "tools": [{ "module": "own" }] }',
  });
  const { entries } = await listPlan("plan.json", { cwd: folder });

  expect(entries).toMatchObject([
    { package: { name: "toolmount-tool-own" }, tools: [{ name: "read_note" }, {}] },
  ]);
});
