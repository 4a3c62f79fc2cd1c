import { silentLogger, type SchemaCompiler, type ToolDefinition } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost, type Problem } from "../../src/index.ts";

const search: ToolDefinition = {
  name: "search",
  description: "Searches. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({
    query: z.string().min(1).describe("What to look for"),
    limit: z.int().max(1000).default(100),
    root: z.string(),
    depth: z.int().default(3),
  }),
  execute: (params) => ({ data: params as Record<string, never> }),
};

const open = (shapes: object, tool: unknown = search, extensions = {}) =>
  openHost(
    {
      tools: [
        ...Object.keys(extensions).map((module) => ({ module })),
        { module: "m", tools: { search: { as: "find", arguments: shapes } } },
      ],
    },
    { logger: silentLogger, extensions: { ...extensions, m: { tool } } },
  );

const shapes = {
  query: { description: "A word." },
  limit: { default: 5 },
  root: { hidden: true, default: "/srv" },
  depth: { hidden: true },
};

test("C40: the model is shown other defaults and descriptions, and no hidden argument", async () => {
  await using host = await open(shapes);

  expect(host.tools()[0]?.inputSchema).toEqual({
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, description: "A word." },
      limit: { type: "integer", maximum: 1000, default: 5 },
    },
    required: ["query"],
    additionalProperties: false,
  });
});

test("C40: defaults and hidden values reach the tool, and the declared schema still validates", async () => {
  await using host = await open(shapes);
  const call = async (args: unknown) =>
    (await host.call({ name: "find", arguments: args as Record<string, unknown> })).result;

  expect(await call({ query: "x" })).toMatchObject({
    data: { query: "x", limit: 5, root: "/srv", depth: 3 },
  });
  expect(await call({ query: "x", limit: 7 })).toMatchObject({ data: { limit: 7 } });
  expect(await call({ query: "", limit: 7 })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(await call({ query: "x", limit: 1001 })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  expect(await call({ query: "x", root: "/etc" })).toMatchObject({
    code: "INVALID_ARGUMENTS",
    error: expect.stringContaining("root") as string,
  });
});

test("gates see the whole arguments and may hand them back", async () => {
  await using host = await open(shapes);
  const seen: unknown[] = [];
  host.coordinator.hooks.gate("tool:pre", (_, data) => {
    const input = (data as { tool_input: Record<string, unknown> }).tool_input;
    seen.push(input);
    return { action: "modify", data: { tool_input: { ...input, limit: 9 } } };
  });

  expect((await host.call({ name: "find", arguments: { query: "x" } })).result).toMatchObject({
    data: { query: "x", limit: 9, root: "/srv", depth: 3 },
  });
  expect(seen).toEqual([{ query: "x", limit: 5, root: "/srv", depth: 3 }]);
});

test("a tool of plain JSON Schema is shaped alike", async () => {
  const compiler: SchemaCompiler = {
    compile: (schema) => (value) => {
      const required = schema["required"] as string[];
      const given = value as Record<string, unknown>;
      const lacking = required.filter((name) => given[name] === undefined);
      const wrong = Object.keys(given).filter((name) => typeof given[name] !== "string");
      const issues = [...lacking, ...wrong].map((name) => ({ path: [name], message: `${name} is wrong` }));
      return issues.length === 0 ? { ok: true, value: given } : { ok: false, issues };
    },
  };
  const ajv = {
    mount: (coordinator: { mount(point: string, thing: unknown): void }) =>
      coordinator.mount("schema-compiler", compiler),
  };
  const tool = {
    ...search,
    schema: {
      type: "object",
      properties: { query: { type: "string" }, root: { type: "string" } },
      required: ["query", "root"],
    },
  };
  await using host = await open({ root: { hidden: true, default: "/srv" } }, tool, { ajv });

  expect(host.tools()[0]?.inputSchema).toMatchObject({
    required: ["query"],
    properties: { query: { type: "string" } },
  });
  expect((await host.call({ name: "find", arguments: { query: "x" } })).result).toMatchObject({
    data: { query: "x", root: "/srv" },
  });
  expect((await host.call({ name: "find", arguments: {} })).status).toBe("invalid");
});

test.each<[string, object, string, string]>([
  ["an argument that the tool does not have", { qery: { default: "x" } }, "qery", 'did you mean "query"?'],
  ["a default that the schema does not take", { limit: { default: 1001 } }, "limit.default", "does not fit"],
  [
    "a hidden default that the schema does not take",
    { root: { hidden: true, default: 7 } },
    "root.default",
    "does not fit",
  ],
  ["a hidden argument that is required", { root: { hidden: true } }, "root", "needs a default"],
])("%s is reported at its place", async (_, wrong, path, message) => {
  const problem = await open(wrong).then(
    () => undefined,
    (error: unknown) => (error as { details: { problems: Problem[] } }).details.problems[0],
  );

  expect(problem).toMatchObject({
    code: "TOOL_INVALID",
    path: `tools[0].tools.search.arguments.${path}`,
    message: expect.stringContaining(message) as string,
  });
});

const caller = (name: string, calls: string): ToolDefinition => ({
  name,
  description: "Calls another tool. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  dependsOn: [calls],
  execute: async (_, context) => ({ data: (await context.call({ name: calls })).tool }),
});
const leaf = (name: string): ToolDefinition => ({
  name,
  description: "Ends here. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  execute: () => ({ data: null }),
});

test.each<[string, object, string]>([
  ["its own module's tool, renamed", { prefix: "my_" }, "my_save"],
  ["another's by `uses`", { prefix: "my_", uses: { save: "ws_save" } }, "ws_save"],
])("C40: a tool that calls a tool by its declared name reaches %s", async (_, entry, reached) => {
  await using host = await openHost(
    {
      tools: [
        { module: "own", ...entry },
        { module: "other", prefix: "ws_" },
      ],
    },
    {
      logger: silentLogger,
      extensions: { own: { a: caller("go", "save"), b: leaf("save") }, other: { b: leaf("save") } },
    },
  );

  expect((await host.call({ name: "my_go" })).result).toMatchObject({ data: reached });
  expect(await host.call({ name: "save" })).toMatchObject({ status: "not_found" });
});

test("C40: a declared name that one other module has under a new name is found", async () => {
  await using host = await openHost(
    { tools: [{ module: "own" }, { module: "other", prefix: "ws_" }] },
    { logger: silentLogger, extensions: { own: { a: caller("go", "save") }, other: { b: leaf("save") } } },
  );

  expect((await host.call({ name: "go" })).result).toMatchObject({ data: "ws_save" });
});

test("`uses` that names a tool which is not offered is reported at its place", async () => {
  await expect(
    openHost(
      {
        tools: [
          { module: "own", uses: { save: "ws_svae" } },
          { module: "other", prefix: "ws_" },
        ],
      },
      { logger: silentLogger, extensions: { own: { a: caller("go", "save") }, other: { b: leaf("save") } } },
    ),
  ).rejects.toMatchObject({
    details: {
      problems: [
        { path: "tools[0].uses.save", message: expect.stringContaining('did you mean "ws_save"?') as string },
      ],
    },
  });
});

test("C40: a tool that depends on a missing tool causes a warning when it is mounted", async () => {
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
  const openWith = (entry: object) =>
    openHost(
      {
        tools: [
          { module: "own", ...entry },
          { module: "other", prefix: "ws_" },
        ],
      },
      { logger, extensions: { own: { a: caller("go", "save") }, other: { b: leaf("store") } } },
    );
  await (await openWith({})).close();
  await (await openWith({ uses: { save: "ws_store" } })).close();

  expect(warned).toEqual([{ tool: "go", needs: "save" }]);
});
