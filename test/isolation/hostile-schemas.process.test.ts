import { join } from "node:path";
import { createHost } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import { inspectPlan } from "@toolmount/loader/commands";
import * as mcp from "@toolmount/mcp";
import * as workers from "@toolmount/workers";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { behind, folderOf, open, problemsOf } from "../workers/world.ts";

/** A schema of 1.5 KB, which compares one value with 16 million parts. */
const doubling = {
  type: "object",
  $ref: "#/$defs/l0",
  $defs: Object.fromEntries([
    ...Array.from({ length: 24 }, (_, at) => {
      const next = { $ref: `#/$defs/l${at + 1}` };
      return [`l${at}`, { anyOf: [next, next] }];
    }),
    ["l24", { type: "object", properties: { name: { type: "string" } } }],
  ]),
};

const refusal = "its references expand to more than 10000 parts for one value";

const moduleOf = (tools: Readonly<Record<string, object>>) =>
  Object.entries(tools)
    .map(
      ([name, schema]) => `export const ${name} = {
  name: "${name}", description: "Counts. Use it in tests. Not for anything else.", schema: ${JSON.stringify(schema)},
  category: "read", consequenceLevel: "low", requiresConfirmation: false,
  async execute() { return { data: "ran" }; },
};
`,
    )
    .join("");

const harmless = { type: "object", properties: {} };

test("of an MCP server, a tool whose schema doubles at each level is refused, and such an output schema is left out", async () => {
  const description = "Counts.";
  const tools = [
    { name: "doubles", description, inputSchema: doubling },
    { name: "doubles_out", description, inputSchema: harmless, outputSchema: doubling },
    { name: "other", description, inputSchema: harmless },
  ];
  const folder = await folderOf({
    "server.mjs": serverOf(tools),
    "counts.mjs": moduleOf({ counts: harmless }),
  });
  const source = {
    mcp: { command: process.execPath, args: [join(folder, "server.mjs")], startTimeoutMs: 900_000 },
  };
  const entries = [{ module: "served", source, required: false }, { module: join(folder, "counts.mjs") }];
  const host = await open({ version: 1, tools: entries }, { extensions });

  expect(host.tools().map(({ name }) => name)).toEqual(["counts", "doubles_out", "other"]);
  expect(host.tools().find(({ name }) => name === "doubles_out")?.outputSchema).toBeUndefined();
  for (const name of ["other", "doubles_out"])
    expect(await host.call({ name, arguments: {} })).toMatchObject({ result: { data: "served" } });
});

test.each(["permission", "bubblewrap"])(
  "such a tool of a module behind %s is refused, and the host lives",
  async (border) => {
    const folder = await folderOf({
      "doubles.mjs": moduleOf({ doubles: doubling }),
      "counts.mjs": moduleOf({ counts: harmless }),
    });
    const entries = [
      { module: join(folder, "doubles.mjs"), run: behind(border), required: false },
      { module: join(folder, "counts.mjs"), run: behind(border) },
    ];
    const host = await open({ version: 1, tools: entries });

    expect(host.tools().map(({ name }) => name)).toEqual(["counts"]);
    expect(await host.call({ name: "counts", arguments: {} })).toMatchObject({ result: { data: "ran" } });
    expect(await problemsOf({ version: 1, tools: [{ ...entries[0], required: true }] })).toEqual([
      expect.objectContaining({ code: "TOOL_INVALID", message: expect.stringContaining(refusal) }),
    ]);
  },
);

test("such a schema in a manifest is refused when the module is first called", async () => {
  const facts = { category: "read", consequenceLevel: "low", requiresConfirmation: false };
  const description = "Counts. Use it in tests. Not for anything else.";
  const tools = [{ name: "doubles", description, inputSchema: doubling, ...facts }];
  const manifest = { type: "tool", mounts: ["tools"], static: true, tools };
  const cwd = await folderOf({
    "node_modules/acme-doubles/package.json": JSON.stringify({
      name: "acme-doubles",
      version: "1.0.0",
      type: "module",
      main: "index.js",
      toolmount: manifest,
    }),
    "node_modules/acme-doubles/index.js": moduleOf({ doubles: doubling }),
    "counts.mjs": moduleOf({ counts: harmless }),
  });
  const entry = { module: "doubles", source: "npm:acme-doubles", wake: "call", run: { in: "inline" } };
  const host = await open({ version: 1, tools: [entry, { module: join(cwd, "counts.mjs") }] }, { cwd });
  const { result } = await host.call({ name: "doubles", arguments: { name: "x" } });

  expect(result).toMatchObject({ code: "INVALID_ARGUMENTS", error: expect.stringContaining(refusal) });
});

test("such a schema of a config in a manifest is not used to check the config", async () => {
  const { $ref, $defs } = doubling;
  const config = { type: "object", properties: { a: { $ref } }, $defs };
  const manifest = { type: "tool", mounts: ["tools"], config };
  const cwd = await folderOf({
    "node_modules/acme-counts/package.json": JSON.stringify({
      name: "acme-counts",
      version: "1.0.0",
      type: "module",
      main: "index.js",
      toolmount: manifest,
    }),
    "node_modules/acme-counts/index.js": `export function mount() {}`,
  });
  const entry = { module: "counts", source: "npm:acme-counts", config: { a: { name: 1 } } };

  expect((await inspectPlan({ version: 1, tools: [entry] }, { cwd })).problems).toEqual([]);
});

test("a tool of the host's own code with such a schema is refused, also when Zod prints it", async () => {
  const host = createHost();
  onTestFinished(() => void host.close());
  await interop.mount(host.coordinator, {});
  const facts = { description: "Counts.", category: "read", consequenceLevel: "low" } as const;
  const execute = () => ({ data: "ran" });
  let shared: z.ZodType = z.object({ name: z.string() });
  for (let level = 0; level < 24; level++) shared = z.union([shared, shared]);

  const mount = (name: string, schema: object) =>
    host.coordinator.mount("tools", {
      name,
      schema: schema as never,
      ...facts,
      requiresConfirmation: false,
      execute,
    });
  expect(() => mount("doubles", doubling)).toThrow(refusal);
  expect(() => mount("doubles", z.object({ shared }))).toThrow("its schema prints as more than 100000 parts");
  mount("counts", harmless);

  expect(host.tools().map(({ name }) => name)).toEqual(["counts"]);
});

test("arguments that a recursive schema would check for ever are refused", async () => {
  const node = {
    anyOf: ["left", "right"].map((side) => ({
      type: "object",
      required: ["next"],
      properties: { [side]: { type: "string" }, next: { $ref: "#/$defs/node" } },
    })),
  };
  const schema = { type: "object", properties: { tree: { $ref: "#/$defs/node" } }, $defs: { node } };
  const folder = await folderOf({ "walks.mjs": moduleOf({ walks: schema }) });
  const host = await open({ version: 1, tools: [{ module: join(folder, "walks.mjs") }] });
  const tree = Array.from({ length: 50 }).reduce((next: object) => ({ next }), {});

  expect(await host.call({ name: "walks", arguments: { tree } })).toMatchObject({
    status: "invalid",
    result: { code: "INVALID_ARGUMENTS", error: expect.stringContaining("refers to itself too often") },
  });
});

const extensions = { "@toolmount/interop": interop, "@toolmount/workers": workers, "@toolmount/mcp": mcp };

/** An MCP server over stdio with these tools. */
function serverOf(tools: readonly object[]): string {
  return `import { createInterface } from "node:readline";
const answers = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "hostile", version: "1.0.0" },
  },
  "tools/list": { tools: ${JSON.stringify(tools)} },
  "tools/call": { content: [{ type: "text", text: "served" }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method];
  const answer = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;
}
