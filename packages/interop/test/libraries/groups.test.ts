import type { ToolDefinition } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { toolsOf } from "../../src/libraries/groups.ts";
import { hostWithAdapters } from "../support/world.ts";

async function coordinatorOf() {
  const { host } = await hostWithAdapters();
  onTestFinished(async () => void (await host.close()));
  return host.coordinator;
}

class Toolkit {
  readonly tools: unknown;
  constructor(tools: unknown) {
    this.tools = tools;
  }
}
class Lazy {
  readonly made = ["a", "b"];
  async getTools() {
    return this.made;
  }
}
class Functions {
  readonly functions = new Set(["a", "b"]);
}

test.each<[string, unknown, unknown]>([
  ["a toolkit with a list", new Toolkit(["a", "b"]), ["a", "b"]],
  ["a toolkit with one tool", new Toolkit({ name: "a" }), [{ name: "a" }]],
  ["a toolkit with a text", new Toolkit("a"), null],
  ["a toolkit without tools", new Toolkit(undefined), null],
  ["a toolkit that makes its tools", new Lazy(), ["a", "b"]],
  ["a set of functions", new Functions(), ["a", "b"]],
  ["a plain object with getTools", { getTools: () => ["a"] }, ["a"]],
  ["a plain object with tools", { tools: ["a"] }, null],
  ["an object without a prototype", Object.assign(Object.create(null) as object, { tools: ["a"] }), null],
  ["a function", () => ["a"], null],
  ["null", null, null],
])("of %s the tools are known", async (_, value, expected) => {
  expect(await toolsOf(value, await coordinatorOf())).toEqual(expected);
});

const server = {
  connect: async () => undefined,
  close: async () => undefined,
  setRequestHandler: () => undefined,
};

test.each<[string, object]>([
  ["a server", server],
  ["one of the Claude Agent SDK", { type: "sdk", name: "x", instance: server }],
])("%s that does not listen is an error, so it was taken for a server", async (_, value) => {
  await expect(toolsOf(value, await coordinatorOf())).rejects.toThrow("the server is not connected");
});

test("an entry of another type with a server in it is not one", async () => {
  expect(await toolsOf({ type: "http", instance: server }, await coordinatorOf())).toBeNull();
});

/** A callable tool of Gemini's SDK that answers with these parts. */
async function callable(declared: unknown, parts: unknown) {
  const seen: unknown[] = [];
  const tools = (await toolsOf(
    { tool: async () => declared, callTool: async (calls: unknown) => (seen.push(calls), parts) },
    await coordinatorOf(),
  )) as ToolDefinition[];
  const context = { callId: "g1", abortSignal: new AbortController().signal };
  return { tools, seen, run: () => tools[0]!.execute({ a: 1 }, context as never) };
}

const declaration = { name: "f", description: "Tries f.", parameters: { type: "object", properties: {} } };
const functions = { functionDeclarations: [declaration] };
const answered = (response: unknown) => [{ functionResponse: { name: "f", response } }];

test.each<[string, unknown, object]>([
  ["an output", answered({ output: { b: 2 } }), { data: { b: 2 } }],
  ["an output that is null", answered({ output: null }), { data: null }],
  ["a whole response", answered({ b: 2 }), { data: { b: 2 } }],
  ["an error", answered({ error: "no such city" }), { error: "no such city" }],
  ["an error that is an object", answered({ error: { code: 7 } }), { error: '{"code":7}' }],
  ["an empty error", answered({ error: "" }), { error: '""' }],
  ["the first of two", [...answered({ output: 1 }), ...answered({ output: 2 })], { data: 1 }],
  ["parts without a response", [{ text: "hello" }], { data: [{ text: "hello" }] }],
  ["no parts", [], { data: [] }],
  ["parts in another form", "x", { data: [] }],
])("of a callable tool of Gemini's the answer is read: %s", async (_, parts, expected) => {
  const { run, seen } = await callable(functions, parts);

  expect(await run()).toMatchObject(expected);
  expect(seen).toEqual([[{ id: "g1", name: "f", args: { a: 1 } }]]);
});

test("images beside the response of a callable tool are content", async () => {
  const image = { inlineData: { mimeType: "image/png", data: "aGVsbG8=" } };
  const { run } = await callable(functions, [...answered({ output: "a cat" }), image, { inlineData: 1 }]);

  expect(await run()).toMatchObject({
    data: "a cat",
    content: [{ type: "image", mimeType: "image/png", data: "aGVsbG8=" }],
  });
});

test.each<[string, unknown, string[]]>([
  ["two functions", { functionDeclarations: [declaration, { ...declaration, name: "g" }, "x"] }, ["f", "g"]],
  ["none", { functionDeclarations: [] }, []],
  ["functions in another form", { functionDeclarations: declaration }, []],
  ["nothing", null, []],
])("a callable tool of Gemini's declares %s", async (_, declared, names) => {
  const { tools } = await callable(declared, []);

  expect(tools.map(({ name }) => name)).toEqual(names);
  if (names.length > 0) expect(tools[0]).toMatchObject({ description: "Tries f." });
});

test("a toolkit that wants to be opened first is opened, and any other error stays", async () => {
  class Closed {
    isOpen = false;
    async initialize() {
      this.isOpen = true;
    }
    getTools() {
      if (!this.isOpen) throw new Error("not initialized");
      return ["a"];
    }
  }
  const broken = { getTools: () => Promise.reject(new Error("no key")) };
  const closed = {
    initialize: () => Promise.reject(new Error("no network")),
    getTools: () => [].at(0)!["x"],
  };

  const coordinator = await coordinatorOf();

  expect(await toolsOf(new Closed(), coordinator)).toEqual(["a"]);
  await expect(toolsOf(broken, coordinator)).rejects.toThrow("no key");
  await expect(toolsOf(closed, coordinator)).rejects.toThrow("no network");
});
