import { describe, expect, test } from "vitest";
import { z } from "zod";
import { shapeOf } from "../../src/libraries/shape.ts";
import { mountLibrary } from "../support/library-module.ts";

const work = () => 1;
const object = { type: "object", properties: {} };
const parser = z.object({});

/** Which library a value is taken for; null where it is a tool of none. */
const libraryOf = (value: unknown) => shapeOf(value)?.shape.library ?? null;

const langChain = { lc_namespace: ["l"], name: "a", schema: object, invoke: work };
const openAi = { type: "function", name: "a", invoke: work, parameters: object };
const hosted = { type: "hosted_tool", name: "a", providerData: {} };
const anthropic = { name: "a", run: work, input_schema: object };
const handlers = { name: "a", handler: work, inputSchema: object };
const agentSdk = "Anthropic's agent SDK, or another with handlers";
const plain = "a schema with a function";
const sdk = { description: "d", inputSchema: object, execute: work };

describe("a value is taken for a tool of the library whose members it has", () => {
  test.each<[unknown, string | null]>([
    [langChain, "LangChain"],
    [{ ...langChain, lc_namespace: "l" }, plain],
    [{ ...langChain, name: "" }, null],
    [{ ...langChain, schema: undefined }, null],
    [{ ...langChain, invoke: "no" }, null],
    [openAi, "OpenAI Agents"],
    [{ ...openAi, type: "other" }, plain],
    [{ ...openAi, name: "" }, null],
    [{ ...openAi, invoke: undefined }, null],
    [{ ...openAi, parameters: undefined }, null],
    [hosted, "OpenAI Agents"],
    [{ ...hosted, type: "tool" }, null],
    [{ ...hosted, name: "" }, null],
    [{ ...hosted, providerData: "no" }, null],
    [anthropic, "Anthropic's SDK"],
    [{ name: "bash", run: work, type: "bash_20250124" }, "Anthropic's SDK"],
    [{ name: "bash", run: work, type: "bash_2025" }, null],
    [{ name: "bash", run: work }, null],
    [{ ...anthropic, name: "" }, null],
    [{ ...anthropic, run: undefined, call: work }, plain],
    [handlers, agentSdk],
    [{ name: "a", handler: work, parameters: object }, agentSdk],
    [{ name: "a", handler: work, inputSchema: null, parameters: object }, agentSdk],
    [{ name: "a", handler: work, inputSchema: null }, null],
    [{ ...handlers, name: "" }, null],
    [{ ...handlers, handler: undefined }, null],
    [{ name: "a", parameters: object, execute: work }, plain],
    [{ name: "a", args: parser, fn: work }, plain],
    // These are of a contract, whose adapter takes them.
    [{ name: "a", schema: object, execute: work }, null],
    [{ name: "a", input_schema: object, execute: work }, null],
    [{ name: "a", inputSchema: object, execute: work }, null],
    [{ name: "a", inputSchema: parser, execute: work }, plain],
    [{ name: "", input_schema: object, execute: work }, null],
    [{ name: "a", input_schema: object, execute: "no", func: work }, plain],
    [sdk, "the AI SDK"],
    [{ ...sdk, inputSchema: undefined, parameters: object }, "the AI SDK"],
    [{ inputSchema: { jsonSchema: object }, execute: work }, "the AI SDK"],
    [{ inputSchema: { a: z.string() }, execute: work }, "the AI SDK"],
    [{ inputSchema: () => parser, execute: work }, "the AI SDK"],
    [{ inputSchema: { type: "string" }, execute: work }, null],
    [{ inputSchema: { jsonSchema: "no" }, execute: work }, null],
    [{ inputSchema: 3, execute: work }, null],
    [{ inputSchema: {}, execute: work }, null],
    [{ description: "d", inputSchema: parser }, "the AI SDK"],
    [{ inputSchema: parser }, null],
    [{ description: "d", inputSchema: object }, null],
    [{ type: "provider", id: "p.search" }, "the AI SDK"],
    [{ type: "provider-defined", id: "p.search" }, "the AI SDK"],
    [{ type: "provider", id: "p.search", name: "search" }, "the AI SDK"],
    [{ type: "provider-defined", id: "p.search", name: "search" }, "the AI SDK"],
    [{ type: "provider" }, null],
    [{ type: "other", id: "p.search" }, null],
    [{ ...sdk, name: "" }, null],
    [Object.assign(() => 1, { description: "d", inputSchema: parser, execute: work }), "the AI SDK"],
    [() => 1, null],
    ["text", null],
    [null, null],
    [[sdk], null],
    [{}, null],
  ])("%o: %s", (value, library) => {
    expect(libraryOf(value)).toBe(library);
  });

  test("and one whose members throw is of none", () => {
    const throwing = Object.defineProperty({ ...sdk }, "name", {
      get: () => {
        throw new Error("no");
      },
    });

    expect(libraryOf(throwing)).toBeNull();
  });

  test("Mastra's by its mark, or by its class from before the mark", () => {
    const mark = Symbol.for("mastra.core.tool.Tool");
    class Tool {
      readonly id = "a";
      readonly inputSchema = object;
      execute = work;
    }
    class Other extends Tool {}

    expect(libraryOf({ [mark]: true, id: "a", execute: work })).toBe("Mastra");
    expect(libraryOf(new Tool())).toBe("Mastra");
    expect(libraryOf(new Other())).not.toBe("Mastra");
    expect(libraryOf({ [mark]: true, execute: work })).not.toBe("Mastra");
    expect(libraryOf({ [mark]: true, id: "a" })).not.toBe("Mastra");
    expect(libraryOf(Object.assign(new Tool(), { inputSchema: undefined }))).toBe("Mastra");
  });
});

const named = (name: string) => ({ name, description: `Does ${name}.`, parameters: object, execute: work });

describe("tools are looked for", () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ["in the member tools, and beside it at the top", { tools: { a: sdk }, b: { ...sdk } }, ["a", "b"]],
    ["only in the member tools of a deeper map", { kit: { tools: { a: sdk }, b: { ...sdk } } }, ["a"]],
    ["beside an empty member tools", { kit: { tools: {}, b: sdk } }, ["b"]],
    ["in four levels of maps", { a: { b: { c: { d: sdk } } } }, ["d"]],
    ["once, under the first name", { first: sdk, second: sdk }, ["first"]],
    ["not under default, where another export has it", { default: sdk, other: sdk }, ["other"]],
    [
      "in a map without a prototype",
      { kit: Object.assign(Object.create(null) as object, { a: sdk }) },
      ["a"],
    ],
    ["in a list in a map", { kit: [named("a"), [named("b")]] }, ["a", "b"]],
    [
      "in a set of tools of a toolkit",
      {
        kit: new (class {
          readonly tools = new Set([named("a"), named("b")]);
        })(),
      },
      ["a", "b"],
    ],
    [
      "in the functions of a toolkit",
      {
        kit: new (class {
          readonly functions = named("a");
        })(),
      },
      ["a"],
    ],
    [
      "in a class of Aptix's instances",
      { a: { ...named("a"), parameters: undefined, get_schema: () => object } },
      ["a"],
    ],
  ])("%s", async (_, exports, names) => {
    expect((await mountLibrary(exports)).names).toEqual(names);
  });

  test.each([
    ["./my-tools.ts", "my_tools"],
    ["./src/getWeather.mjs", "get_weather"],
    ["@acme/HTTPTools2go", "httptools2go"],
    ["./--x--.js", "x"],
    ["./....ts", "tool"],
    ["./a.b.cts", "a_b"],
  ])("and a default export of %s is named %s", async (path, name) => {
    expect((await mountLibrary({ default: sdk }, { path })).names).toEqual([name]);
  });

  test("what looks like a tool beside one, and has no schema, is warned of", async () => {
    const { lines, names } = await mountLibrary({ a: sdk, odd: { description: "Odd.", handler: work } });

    expect(names).toEqual(["a"]);
    expect(
      lines.filter(({ level }) => level === "warn").map(({ fields, message }) => [fields, message]),
    ).toContainEqual([
      { module: "./my-tools.ts" },
      "odd looks like a tool, but has no schema of its arguments that can be read",
    ]);
  });
});
