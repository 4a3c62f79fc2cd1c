import { adaptModule, recogniseModule, runMount } from "@toolmount/core/modules";
import type { HostOptions, JsonObject } from "@toolmount/core";
import {
  DynamicStructuredTool,
  DynamicTool,
  StructuredTool,
  tool as langChainTool,
} from "@langchain/core/tools";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createTool } from "@mastra/core/tools";
import { tool as agentsTool, webSearchTool } from "@openai/agents";
import { Type } from "@sinclair/typebox";
import { jsonSchema, tool as aiTool } from "ai";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { hostWithAdapters } from "../support/world.ts";

/** Mounts a module of these exports, as a plan does that names it. */
async function mounted(
  exports: Record<string, unknown>,
  { config = {}, chosen, ...options }: HostOptions & { config?: JsonObject; chosen?: string[] } = {},
) {
  const { host, lines } = await hostWithAdapters(options);
  const module = adaptModule(
    "./my-tools.ts",
    recogniseModule("./my-tools.ts", exports, chosen),
    host.coordinator,
  );
  await runMount("my-tools", module, host.coordinator, config, () => false);
  const call = async (name: string, args: unknown = {}) => {
    const { status, result } = await host.call({ name, arguments: args as JsonObject });
    return [status, result.error ?? result.data, ...(result.content === undefined ? [] : [result.content])];
  };
  return { host, lines, call, names: host.tools().map(({ name }) => name) };
}

const city = z.object({ city: z.string() });
const weather = aiTool({
  description: "Gets the weather.",
  inputSchema: city,
  execute: async ({ city: where }) => ({ where, sky: "clear" }),
});

describe("tools that a method of what an export makes returns", () => {
  class Toolkit {
    readonly #key: string;
    readonly group = { more: { weather } };
    constructor({ key = "none" }: { key?: string } = {}) {
      this.#key = key;
    }
    users() {
      return { [`of_${this.#key}`]: weather };
    }
    getTools() {
      return this.users();
    }
  }

  test.each<[string, Record<string, unknown>, string[], JsonObject, string[]]>([
    [
      "of a function",
      { make: (given?: object) => new Toolkit(given) },
      ["make.users"],
      { key: "k" },
      ["of_k"],
    ],
    ["of a function that waits", { make: async () => new Toolkit() }, ["make.users"], {}, ["of_none"]],
    ["of a class", { Toolkit }, ["Toolkit.users"], { key: "k" }, ["of_k"]],
    ["of a class, by the name that a toolkit has", { Toolkit }, ["Toolkit.getTools"], { key: "k" }, ["of_k"]],
    [
      "and of a member beside it",
      { Toolkit },
      ["Toolkit.users", "Toolkit.group.more"],
      {},
      ["of_none", "weather"],
    ],
  ])("%s", async (_, exports, chosen, config, names) => {
    expect((await mounted(exports, { chosen, config })).names).toEqual(names);
  });

  test("a method that is not there is refused by its path", async () => {
    await expect(mounted({ Toolkit }, { chosen: ["Toolkit.gone"] })).rejects.toMatchObject({
      code: "MODULE_INVALID",
      message: expect.stringContaining("its export Toolkit.gone made nothing") as string,
    });
  });
});

describe("exports that hold tools", () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ["a tool under its export's name", { weather }, ["weather"]],
    ["a default export, named for the file", { default: weather }, ["my_tools"]],
    ["a default export that has a name beside it", { default: weather, weather }, ["weather"]],
    ["a map", { tools: { weather } }, ["weather"]],
    ["a default export that is a map", { default: { weather } }, ["weather"]],
    ["a map in a map", { default: { tools: { weather }, more: 1 } }, ["weather"]],
    [
      "a list of tools with names",
      { tools: [langChainTool(() => "", { name: "one", schema: city })] },
      ["one"],
    ],
    ["a factory", { createTools: () => ({ weather }) }, ["weather"]],
    ["an asynchronous factory of one tool", { weather: async () => weather }, ["weather"]],
    [
      "a factory that is the default export",
      { default: () => [langChainTool(() => "", { name: "one", schema: city })] },
      ["one"],
    ],
    [
      "a toolkit",
      {
        kit: new (class {
          getTools() {
            return [langChainTool(() => "", { name: "one", schema: city })];
          }
        })(),
      },
      ["one"],
    ],
    ["a module of CommonJS", { default: { weather }, "module.exports": { weather }, weather }, ["weather"]],
  ])("%s", async (_, exports, names) => {
    expect((await mounted(exports)).names).toEqual(names);
  });

  test("a class is made with the config of the entry", async () => {
    class Greeter extends StructuredTool {
      override name = "greet";
      override description = "Greets.";
      override schema = z.object({ who: z.string() });
      readonly #word: string;
      constructor({ word = "Hi" } = {}) {
        super();
        this.#word = word;
      }
      protected override async _call({ who }: { who: string }) {
        return `${this.#word} ${who}`;
      }
    }

    expect(await (await mounted({ Greeter })).call("greet", { who: "Ada" })).toEqual(["ok", "Hi Ada"]);
    const given = await mounted({ Greeter, helper: () => 1 }, { config: { word: "Hello" } });
    expect(await given.call("greet", { who: "Ada" })).toEqual(["ok", "Hello Ada"]);
  });

  test("a function of several arguments gets the list of config.arguments, a key and settings for instance", async () => {
    const make = (key: string, { unit } = { unit: "C" }) => ({
      weather: aiTool({ description: "Says.", inputSchema: city, execute: () => `${key} ${unit}` }),
    });
    const makeAll = (key: string, options: { unit: string } | undefined) => make(key, options);
    const text = { city: "Rome" };
    const both = await mounted(
      { makeAll },
      { chosen: ["makeAll"], config: { arguments: ["k", { unit: "F" }] } },
    );
    expect(await both.call("weather", text)).toEqual(["ok", "k F"]);
    const one = await mounted({ makeAll }, { chosen: ["makeAll"], config: { arguments: ["k"] } });
    expect(await one.call("weather", text)).toEqual(["ok", "k C"]);
  });

  test("exports that the plan names are mounted alone, also a member of one", async () => {
    const made = (name: string) => () => langChainTool(() => name, { name, schema: city });
    expect(
      (await mounted({ a: made("a"), b: made("b"), c: made("c") }, { chosen: ["a", "c"] })).names,
    ).toEqual(["a", "c"]);
    expect((await mounted({ all: { weather, other: weather } }, { chosen: ["all.weather"] })).names).toEqual([
      "weather",
    ]);
    expect((await mounted({ a: made("a"), weather }, { chosen: ["a", "weather"] })).names).toEqual([
      "a",
      "weather",
    ]);
  });
});

describe("what cannot be mounted says what to write", () => {
  test.each<[string, Record<string, unknown>, { config?: JsonObject; chosen?: string[] }, RegExp]>([
    [
      "several factories",
      { a: () => weather, b: () => weather },
      {},
      /may make tools \(a, b\).*export: \[a, b\]/,
    ],
    [
      "a factory with parameters",
      { make: (key: string) => [key] },
      {},
      /makes tools from an argument; write export: make and config: \{ … \}.*call make in a file of your own/,
    ],
    [
      "a tool without a schema",
      { odd: { description: "Odd.", execute: () => 1, inputSchema: 3 } },
      {},
      /odd looks like a tool, but has no schema/,
    ],
    ["nothing", { limit: 3 }, {}, /exports no tool/],
    [
      "a factory of two parameters",
      { make: (key: string, options: object) => [key, options] },
      { chosen: ["make"], config: { a: 1 } },
      /takes 2 arguments; write export: make and config: \{ arguments.*file of your own/,
    ],
    [
      "a factory with parameters that is named without a config",
      { make: (key: string) => [key] },
      { chosen: ["make"] },
      /and config: \{/,
    ],
    [
      "a class that is no tool, though it has an execute",
      {
        Sandbox: class {
          name = "local";
          execute() {
            return 1;
          }
        },
      },
      {},
      /Sandbox made a value of type object, in which there is no tool/,
    ],
    ["a missing export", { weather }, { chosen: ["wether"] }, /no export "wether"; it exports weather/],
    ["a list of tools without names", { tools: [weather] }, {}, /have no names; export a map/],
    ["a config that nothing takes", { weather }, { config: { a: 1 } }, /takes no config/],
    [
      "a factory that throws",
      {
        make: () => {
          throw new Error("no key");
        },
      },
      {},
      /make throws: no key; what it needs goes into the entry's config.*call make in a file of your own/,
    ],
    [
      "a factory that makes no tool",
      { make: () => 3 },
      {},
      /make made a value of type number, in which there is no tool/,
    ],
    ["a tool that OpenAI runs", { search: webSearchTool() }, {}, /OpenAI runs it/],
    [
      "a tool that its provider runs",
      { search: { type: "provider", id: "openai.web_search", args: {}, inputSchema: city } },
      {},
      /its provider runs/,
    ],
  ])("%s", async (_, exports, options, message) => {
    await expect(mounted(exports, options)).rejects.toThrow(message);
  });
});

test("what the refusal of a class says mounts it: a file that makes the tool with a client", async () => {
  class Client {
    find = (word: string) => `found ${word}`;
  }
  class Search extends StructuredTool {
    override name = "search";
    override description = "Searches. Use it in tests. Not for anything else.";
    override schema = city;
    readonly #client: Client;
    constructor(fields: { readonly client?: Client }) {
      super();
      if (!(fields.client instanceof Client)) throw new Error("a client is needed");
      this.#client = fields.client;
    }
    override async _call({ city: where }: z.output<typeof city>) {
      return this.#client.find(where);
    }
  }
  await expect(mounted({ Search })).rejects.toThrow("call Search in a file of your own");
  // As the plan's entry says first; only code can make a client.
  await expect(mounted({ Search }, { chosen: ["Search"], config: { client: {} } })).rejects.toThrow(
    "Search throws: a client is needed",
  );

  const own = await mounted({ search: new Search({ client: new Client() }) });
  expect(await own.call("search", { city: "Rome" })).toEqual(["ok", "found Rome"]);
});

describe("schemas", () => {
  const of = (inputSchema: unknown) => ({
    double: {
      description: "Doubles.",
      inputSchema,
      execute: async ({ n }: { n: number }) => ({ doubled: n * 2 }),
    },
  });
  test.each<[string, unknown]>([
    ["Zod 4", z.object({ n: z.number() })],
    ["Zod 3", z3.object({ n: z3.number() })],
    ["a shape of Zod 3", { n: z3.number() }],
    ["Valibot", v.object({ n: v.number() })],
    ["ArkType", type({ n: "number" })],
    ["TypeBox", Type.Object({ n: Type.Number() })],
    ["plain JSON Schema", { type: "object", properties: { n: { type: "number" } }, required: ["n"] }],
    [
      "the AI SDK's jsonSchema",
      jsonSchema({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
    ],
    ["a schema that a function gives", () => z.object({ n: z.number() })],
  ])("%s: is printed, checks and runs", async (_, inputSchema) => {
    const { host, call } = await mounted(of(inputSchema));

    expect(host.tools()[0]!.inputSchema).toMatchObject({
      properties: { n: { type: "number" } },
      required: ["n"],
    });
    expect(await call("double", { n: 2 })).toEqual(["ok", { doubled: 4 }]);
    expect((await call("double", { n: "2" }))[0]).toBe("invalid");
  });

  test("a transform runs after the host's check of what arrives, and can refuse it", async () => {
    const inputSchema = z.object({
      n: z
        .string()
        .transform((text) => Number(text))
        .refine((n) => n < 10, { error: "is below 10" }),
    });
    const { call } = await mounted(of(inputSchema));

    expect(await call("double", { n: "4" })).toEqual(["ok", { doubled: 8 }]);
    expect(await call("double", { n: "40" })).toEqual(["failed", "n: is below 10"]);
    expect((await call("double", { n: 4 }))[0]).toBe("invalid");
  });

  test("defaults of Zod 3 reach the tool", async () => {
    const { call } = await mounted(of(z3.object({ n: z3.number().default(21) })));
    expect(await call("double")).toEqual(["ok", { doubled: 42 }]);
  });

  test("one of the AI SDK that is a promise is refused, and what the refusal says makes it work", async () => {
    const validate = (value: unknown) => ({ success: true as const, value });
    const schema = jsonSchema(
      async () => ({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
      { validate },
    );

    await expect(mounted(of(schema))).rejects.toThrow("jsonSchema(await schema.jsonSchema, schema)");
    const waited = jsonSchema(await schema.jsonSchema, schema);
    expect(await (await mounted(of(waited))).call("double", { n: 2 })).toEqual(["ok", { doubled: 4 }]);
  });

  test("one that cannot be printed is refused with what to do", async () => {
    const unknown = {
      "~standard": { version: 1, vendor: "homemade", validate: (value: unknown) => ({ value }) },
    };
    await expect(mounted(of(unknown))).rejects.toThrow(
      /homemade\) cannot print JSON Schema; print it yourself/,
    );
    await expect(mounted(of(z.object({ at: z.date() })))).rejects.toThrow(/SCHEMA|Date/);
  });
});

describe("the AI SDK", () => {
  test("asks where needsApproval says so", async () => {
    const risky = { ...weather, needsApproval: ({ city: where }: { city: string }) => where === "Rome" };
    const { call } = await mounted({ risky });
    expect((await call("risky", { city: "Rome" }))[0]).toBe("denied");
    expect((await call("risky", { city: "Oslo" }))[0]).toBe("ok");
  });

  const image = "iVBORw0KGgo=";
  test.each<[string, object, unknown[]]>([
    [
      "version 7",
      {
        toModelOutput: ({ output }: { output: { data: string } }) => ({
          type: "content",
          value: [
            { type: "text", text: "a chart" },
            { type: "file", mediaType: "image/png", data: { type: "data", data: output.data } },
          ],
        }),
      },
      ["ok", "a chart", [{ type: "image", data: image, mimeType: "image/png" }]],
    ],
    [
      "version 5",
      {
        toModelOutput: (output: { data: string }) => ({
          type: "content",
          value: [{ type: "media", mediaType: "image/png", data: output.data }],
        }),
      },
      ["ok", null, [{ type: "image", data: image, mimeType: "image/png" }]],
    ],
    [
      "version 4",
      {
        experimental_toToolResultContent: ({ data }: { data: string }) => [
          { type: "image", data, mimeType: "image/png" },
        ],
      },
      ["ok", null, [{ type: "image", data: image, mimeType: "image/png" }]],
    ],
    ["a text", { toModelOutput: () => ({ type: "text", value: "short" }) }, ["ok", "short"]],
    [
      "an error",
      { toModelOutput: () => ({ type: "error-text", value: "no chart" }) },
      ["failed", "no chart"],
    ],
  ])("a model reads what toModelOutput makes: %s", async (_, member, expected) => {
    const chart = {
      description: "Draws.",
      inputSchema: z.object({}),
      execute: async () => ({ data: image }),
      ...member,
    };
    expect(await (await mounted({ chart })).call("chart")).toEqual(expected);
  });

  test("version 4 has parameters; a date becomes its text; no execute runs at the client", async () => {
    const old = {
      description: "Now.",
      parameters: z3.object({}),
      execute: async () => ({ at: new Date(0), none: undefined }),
    };
    const ask = { description: "Asks.", inputSchema: z.object({ question: z.string() }) };
    const { host, call } = await mounted({ old, ask });

    expect(await call("old")).toEqual(["ok", { at: "1970-01-01T00:00:00.000Z" }]);
    expect(host.tools().find(({ name }) => name === "ask")?.execution).toBe("client");
  });
});

describe("LangChain", () => {
  test("tool, DynamicTool and DynamicStructuredTool run; images are content; an error message is a failure", async () => {
    const tools = [
      langChainTool(({ city: where }) => `clear in ${where}`, {
        name: "structured",
        description: "One.",
        schema: city,
      }),
      new DynamicTool({ name: "dynamic", description: "Two.", func: async (input) => `got ${input}` }),
      new DynamicStructuredTool({
        name: "plain",
        description: "Three.",
        schema: { type: "object", properties: { n: { type: "number" } } },
        func: async ({ n }: { n: number }) => String(n),
      }),
      langChainTool(
        () => [
          [
            { type: "text", text: "a chart" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
          null,
        ],
        { name: "chart", description: "Four.", schema: z.object({}), responseFormat: "content_and_artifact" },
      ),
    ];
    const { call } = await mounted({ tools });

    expect(await call("structured", { city: "Rome" })).toEqual(["ok", "clear in Rome"]);
    expect(await call("dynamic", { input: "two" })).toEqual(["ok", "got two"]);
    expect(await call("plain", { n: 3 })).toEqual(["ok", "3"]);
    expect(await call("chart")).toEqual([
      "ok",
      "a chart",
      [{ type: "image", data: "AAAA", mimeType: "image/png" }],
    ]);
  });
});

describe("OpenAI Agents", () => {
  test("invoke runs with the arguments; needsApproval is asked with them; isEnabled and timeoutMs count", async () => {
    const parameters = z.object({ n: z.number() });
    const half = agentsTool({
      name: "half",
      description: "Halves.",
      parameters,
      timeoutMs: 1234,
      needsApproval: async (_, { n }) => n > 10,
      execute: async ({ n }) => String(n / 2),
    });
    const off = agentsTool({
      name: "off",
      description: "Is off.",
      parameters,
      isEnabled: false,
      execute: async () => "ran",
    });
    const fails = agentsTool({
      name: "fails",
      description: "Fails.",
      parameters,
      errorFunction: null,
      execute: async () => {
        throw new Error("secret");
      },
    });
    const { host, call } = await mounted({ half, off, fails });

    expect(await call("half", { n: 4 })).toEqual(["ok", "2"]);
    expect((await call("half", { n: 12 }))[0]).toBe("denied");
    expect(host.tools().find(({ name }) => name === "half")?.timeoutMs).toBe(1234);
    expect(await call("off", { n: 1 })).toEqual(["failed", '"off" is not enabled now']);
    expect(await call("fails", { n: 1 })).toEqual(["failed", "fails failed"]);
  });
});

describe("Mastra", () => {
  test("createTool runs, asks, answers errors as failures, and its signal arrives", async () => {
    const seen: unknown[] = [];
    const add = createTool({
      id: "add",
      description: "Adds.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      execute: async ({ a, b }, context) => {
        seen.push(context.abortSignal instanceof AbortSignal);
        return { sum: a === 13 ? ("thirteen" as never) : a + b };
      },
    });
    const wipe = createTool({
      id: "wipe",
      description: "Wipes.",
      requireApproval: true,
      execute: async () => ({ gone: true }),
    });
    const ask = createTool({
      id: "ask",
      description: "Asks.",
      execute: async (_, context) => context.agent?.suspend({ why: "more" }),
    });
    const check = createTool({
      id: "check",
      description: "Checks.",
      execute: async () => ({ isError: true, content: "no memory" }),
    });
    const { call } = await mounted({ add, wipe, ask, check });

    expect(await call("add", { a: 1, b: 2 })).toEqual(["ok", { sum: 3 }]);
    expect(seen).toEqual([true]);
    expect((await call("add", { a: 13, b: 2 }))[0]).toBe("failed");
    expect((await call("wipe"))[0]).toBe("denied");
    expect(await call("check")).toEqual(["failed", "no memory"]);
    expect(await call("ask")).toEqual(["failed", expect.stringContaining("suspended") as string]);
  });
});

test("a name that is a sentence becomes one that providers take", async () => {
  const lookUp = createTool({
    id: "Look up: docs",
    description: "Looks up.",
    execute: async () => ({ found: 1 }),
  });
  expect((await mounted({ lookUp })).names).toEqual(["Look_up_docs"]);
});

describe("Anthropic, Gemini, MCP and plain functions", () => {
  test("betaZodTool parses, runs and answers with blocks", async () => {
    const look = betaZodTool({
      name: "look",
      description: "Looks.",
      inputSchema: z.object({ at: z.string() }),
      run: ({ at }) => [
        { type: "text", text: at },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      ],
    });
    expect(await (await mounted({ look })).call("look", { at: "sky" })).toEqual([
      "ok",
      "sky",
      [{ type: "image", data: "AAAA", mimeType: "image/png" }],
    ]);
  });

  test("a callable tool of Gemini's SDK gives each function that it declares", async () => {
    const callable = {
      tool: async () => ({
        functionDeclarations: [
          {
            name: "half",
            description: "Halves.",
            parameters: { type: "OBJECT", properties: { n: { type: "NUMBER" } }, required: ["n"] },
          },
        ],
      }),
      callTool: async ([{ args }]: [{ args: { n: number } }]) => [
        { functionResponse: { response: args.n < 0 ? { error: "too small" } : { output: args.n / 2 } } },
      ],
    };
    const { call } = await mounted({ callable });
    expect(await call("half", { n: 3 })).toEqual(["ok", 1.5]);
    expect(await call("half", { n: -3 })).toEqual(["failed", "too small"]);
  });

  test("a server object of MCP's SDK classifies its tools by its hints: a destructive one asks", async () => {
    const server = new McpServer({ name: "s", version: "1.0.0" });
    let runs = 0;
    const count = async () => ({ content: [{ type: "text" as const, text: String(++runs) }] });
    server.registerTool("list", { annotations: { readOnlyHint: true } }, count);
    server.registerTool("reset", { annotations: { destructiveHint: true } }, count);
    server.registerTool("delete_board", { annotations: { readOnlyHint: true } }, count);
    const { host, call } = await mounted({ server });

    expect(host.tools().map(({ name, category }) => [name, category])).toEqual([
      ["delete_board", "delete"],
      ["list", "read"],
      ["reset", "delete"],
    ]);
    expect((await call("list"))[0]).toBe("ok");
    expect((await call("reset"))[0]).toBe("denied");
    expect((await call("delete_board"))[0]).toBe("denied");
    expect(runs).toBe(1);
  });

  test("a server object of MCP's SDK gives its tools, and is closed with the host", async () => {
    const server = new McpServer({ name: "s", version: "1.0.0" });
    server.registerTool(
      "look",
      { description: "Looks.", inputSchema: { at: z.string() } },
      async ({ at }) => ({
        content: [
          { type: "text", text: at },
          { type: "image", data: "AAAA", mimeType: "image/png" },
        ],
      }),
    );
    server.registerTool(
      "sum",
      { description: "Adds.", inputSchema: { a: z.number() }, outputSchema: { sum: z.number() } },
      async ({ a }) =>
        a < 0
          ? { isError: true, content: [{ type: "text", text: "too small" }] }
          : { content: [], structuredContent: { sum: a } },
    );
    const { host, call, names } = await mounted({ server });

    expect(names).toEqual(["look", "sum"]);
    expect(host.tools().map(({ category }) => category)).toEqual([undefined, undefined]);
    expect(await call("look", { at: "sky" })).toEqual([
      "ok",
      "sky",
      [{ type: "image", data: "AAAA", mimeType: "image/png" }],
    ]);
    expect(await call("sum", { a: 1 })).toEqual(["ok", { sum: 1 }]);
    expect(await call("sum", { a: -1 })).toEqual(["failed", "too small"]);
    await host.close();
    expect(server.isConnected()).toBe(false);
  });

  const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const work = ({ n }: { n: number }) => n / 2;
  test.each<[string, unknown]>([
    ["execute", { name: "half", description: "Halves.", parameters, execute: work }],
    ["handler", { name: "half", description: "Halves.", inputSchema: parameters, handler: work }],
    [
      "a function in an envelope",
      { type: "function", function: { name: "half", description: "Halves.", parameters }, execute: work },
    ],
    [
      "a function with a spec",
      Object.assign(work.bind(null), {
        spec: { name: "half", description: "Halves.", parameters },
        execute: work,
      }),
    ],
    ["call, with metadata", { metadata: { name: "half", description: "Halves.", parameters }, call: work }],
    [
      "a Standard Schema beside execute",
      { name: "half", description: "Halves.", inputSchema: z.object({ n: z.number() }), execute: work },
    ],
  ])("a schema with a function: %s", async (_, half) => {
    const { call } = await mounted({ half });
    expect(await call("half", { n: 3 })).toEqual(["ok", 1.5]);
    expect((await call("half", {}))[0]).toBe("invalid");
  });
});

test("a module's own mount can mount a tool of the AI SDK by a name", async () => {
  const { call } = await mounted({
    mount: (coordinator: { mount(point: string, tool: object, name: object): void }) =>
      coordinator.mount("tools", weather, { name: "weather" }),
  });
  expect(await call("weather", { city: "Rome" })).toEqual(["ok", { where: "Rome", sky: "clear" }]);
});
