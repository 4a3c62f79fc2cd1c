import { data, type Host, type ToolDefinition } from "@toolmount/core";
import {
  fromAiSdkTool,
  fromAnthropicTool,
  fromGeminiFunction,
  fromLangChainTool,
  fromOpenAITool,
  toAiSdkTools,
  toAnthropic,
  toChatTools,
  toGemini,
  toLangChainTools,
  toOpenAI,
} from "@toolmount/interop";
import { createNameMap } from "@toolmount/interop/internal";
import { isLangGraphInterrupt } from "../../src/providers/graph-steps.ts";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { hostWithAdapters } from "../support/world.ts";

let host: Host;

beforeEach(async () => {
  ({ host } = await hostWithAdapters({ isInterrupt: isLangGraphInterrupt }));
  host.coordinator.mount("tools", {
    name: "math.add",
    description: "Adds two numbers.",
    origin: "mcp",
    schema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    execute: ({ a, b }: { a: number; b: number }) =>
      data({ sum: a + b }, { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }),
  });
});

const jsonSchema = { type: "object", properties: { amount: { type: "number" } } };
const work = () => "wiped";

const facts = { name: "wipe", description: "Wipes." };

/** Every converter of a tool that other libraries have. */
const converters: Readonly<Record<string, (flags: object) => ToolDefinition>> = {
  fromAiSdkTool: (flags) =>
    fromAiSdkTool("wipe", { ...facts, inputSchema: { jsonSchema }, execute: work, ...flags }),
  fromLangChainTool: (flags) => fromLangChainTool({ ...facts, schema: jsonSchema, invoke: work, ...flags }),
  fromOpenAITool: (flags) => fromOpenAITool({ ...facts, parameters: jsonSchema, ...flags }, work),
  fromAnthropicTool: (flags) => fromAnthropicTool({ ...facts, input_schema: jsonSchema, ...flags }, work),
  fromGeminiFunction: (flags) => fromGeminiFunction({ ...facts, parameters: jsonSchema, ...flags }, work),
};

describe.each(Object.keys(converters))("C43: a tool that needs an approval, through %s", (name) => {
  const statusOf = async (flags: object, amount = 1) => {
    host.coordinator.mount("tools", converters[name]!(flags));
    return (await host.call({ name: "wipe", arguments: { amount } })).status;
  };

  test.each([
    ["needsApproval of the AI SDK", { needsApproval: true }],
    ["requireApproval of Mastra", { requireApproval: true }],
    ["requires_approval of Amplifier", { requires_approval: true }],
    ["requiresConfirmation of our own contract", { requiresConfirmation: true }],
    ["require_approval in words", { require_approval: "always" }],
    ["a function", { needsApproval: ({ amount }: { amount: number }) => amount > 0 }],
    ["an asynchronous function", { needsApproval: async ({ amount }: { amount: number }) => amount > 0 }],
    ["a function that throws", { needsApproval: () => JSON.parse("{") as never }],
    ["a function that rejects", { needsApproval: () => Promise.reject(new Error("away")) }],
  ])("asks: %s", async (_, flags) => {
    expect(await statusOf(flags)).toBe("denied"); // this host has no approver
  });

  test.each([
    ["no flag", {}],
    ["false", { needsApproval: false, requireApproval: false }],
    ["a function that says no", { needsApproval: () => false }],
    ["an asynchronous function that says no", { needsApproval: async () => false }],
  ])("does not ask: %s", async (_, flags) => {
    expect(await statusOf(flags)).toBe("ok");
  });
});

test("a tool of OpenAI Agents is not taken for one of the AI SDK that runs at the client", () => {
  const agents = { type: "function", name: "wipe", parameters: jsonSchema, invoke: work };
  expect(() => fromAiSdkTool("wipe", agents)).toThrow(/invoke and no execute.*the plan mounts/);
});

const offeredName = /^[a-zA-Z0-9_-]{1,64}$/;

test("names go to a provider and back, none is lost and no two become one", () => {
  const rule = { allowed: /[a-zA-Z0-9_-]/, first: /[a-zA-Z_]/, maxLength: 24 };
  const name = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/),
    fc.constantFrom("a.b", "a_b", "a-b", "a b", "ä"),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const map = createNameMap(names, rule);
      const given = names.map((one) => map.toProvider(one));

      expect(new Set(given).size).toBe(names.length);
      expect(given.every((one) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,23}$/.test(one))).toBe(true);
      expect(given.map((one) => map.fromProvider(one))).toEqual(names);
      expect(
        names.toReversed().map((one) => createNameMap(names.toReversed(), rule).toProvider(one)),
      ).toEqual(given.toReversed());
    }),
  );
});

describe("OpenAI", () => {
  test("APTIX-N31, APTIX-58: tools go out under allowed names, not strict; a call comes back, runs and is answered", async () => {
    const there = toOpenAI(host.tools());
    const [tool] = there.tools;
    expect(tool).toMatchObject({ type: "function", parameters: { required: ["a", "b"] }, strict: false });
    expect(tool!.name).toMatch(offeredName);
    expect(toChatTools(there)).toMatchObject([{ type: "function", function: { name: tool!.name } }]);
    const call = there.readCall({
      type: "function_call",
      call_id: "c-1",
      name: tool!.name,
      arguments: '{"a":1,"b":2}',
    });
    expect(call).toEqual({ id: "c-1", name: "math.add", arguments: '{"a":1,"b":2}' });

    expect(there.writeOutput(await host.call(call))).toEqual({
      type: "function_call_output",
      call_id: "c-1",
      output: [
        { type: "input_text", text: '{"sum":3}' },
        { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AA==" },
      ],
    });
  });

  test("a call of chat completions is read; arguments that are no JSON are for the host to refuse", async () => {
    const there = toOpenAI(host.tools());
    const call = there.readCall({
      id: "c-2",
      type: "function",
      function: { name: there.tools[0]!.name, arguments: "{" },
    });

    expect(there.writeOutput(await host.call(call)).output).toMatch(/^Error: .*\[INVALID_ARGUMENTS\]$/);
  });

  test("a definition comes in, in any envelope, with types of other languages repaired", async () => {
    const parameters = { type: "dict", properties: { n: { type: "float" } }, required: ["n"] };
    for (const definition of [
      { name: "half", description: "Halves.", parameters },
      { type: "function", function: { name: "half", description: "Halves.", parameters } },
    ]) {
      const { host: other } = await hostWithAdapters();
      other.coordinator.mount(
        "tools",
        fromOpenAITool(definition, ({ n }) => Number(n) / 2),
      );
      expect((await other.call({ name: "half", arguments: { n: 5 } })).result.data).toBe(2.5);
    }
  });
});

test("Anthropic: tools go out, a tool_use comes back, runs and is answered with its image", async () => {
  const there = toAnthropic(host.tools());
  const call = there.readCall({
    type: "tool_use",
    id: "t-1",
    name: there.tools[0]!.name,
    input: { a: 1, b: 2 },
  });

  expect(there.tools[0]!.name).toMatch(offeredName);
  expect(there.writeResult(await host.call(call))).toEqual({
    type: "tool_result",
    tool_use_id: "t-1",
    content: [
      { type: "text", text: '{"sum":3}' },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
    ],
  });
  expect(there.writeResult(await host.call({ ...call, arguments: {} }))).toMatchObject({ is_error: true });
});

test("Anthropic: a definition comes in, and a union at its top is in its description when it goes out", () => {
  const schema = { properties: { a: {} }, anyOf: [{ required: ["a"] }] };
  const { name, schema: kept } = fromAnthropicTool(
    { name: "one", description: "One.", input_schema: schema },
    () => 1,
  );

  expect(kept).toEqual(schema);
  expect(toAnthropic([{ name, description: "One.", inputSchema: schema }]).tools[0]!.input_schema).toEqual({
    type: "object",
    properties: { a: {} },
    required: ["a"],
    description: 'The arguments also have to fit {"anyOf":[{"required":["a"]}]}',
  });
});

test("Gemini: functions go out, a functionCall comes back, runs and is answered", async () => {
  const there = toGemini(host.tools());
  const [declared] = there.tools[0].functionDeclarations;
  expect(declared).toMatchObject({ name: "math.add", parametersJsonSchema: { required: ["a", "b"] } });
  const call = there.readCall({ functionCall: { name: "math.add", args: { a: 1, b: 2 } } });

  expect(there.writeResponse(await host.call(call))).toEqual({
    functionResponse: { name: "math.add", response: { output: { sum: 3 } } },
  });
  expect(there.writeResponse(await host.call({ ...call, id: "g-1", arguments: {} }))).toMatchObject({
    functionResponse: {
      id: "g-1",
      response: { error: expect.stringContaining('"a" is required') as string },
    },
  });
  const back = fromGeminiFunction({ ...declared, parameters: { type: "OBJECT" } }, () => 1);
  expect(back.schema).toEqual(declared!.parametersJsonSchema);
});

describe("AI SDK", () => {
  test("tools go out by name and run in the host; a failure is thrown, with its code", async () => {
    const tools = toAiSdkTools(host, host.tools(), { sessionId: "s" });

    expect(await tools["math.add"]!.execute({ a: 1, b: 2 }, { toolCallId: "x" })).toEqual({ sum: 3 });
    await expect(tools["math.add"]!.execute({})).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  });

  test("a tool comes in: schema, execute with its options, the last of what it yields", async () => {
    const tool = {
      description: "Counts.",
      inputSchema: z.object({ to: z.number() }),
      async *execute({ to }: { to: number }, { toolCallId }: { toolCallId: string }) {
        for (let at = 1; at <= to; at++) yield `${toolCallId}:${at}`;
      },
    };
    host.coordinator.mount("tools", fromAiSdkTool("count", tool));

    expect((await host.call({ id: "c", name: "count", arguments: { to: 3 } })).result.data).toBe("c:3");
    expect(
      fromAiSdkTool("client", { description: "Asks.", inputSchema: { jsonSchema: { type: "object" } } }),
    ).toMatchObject({ execution: "client", schema: { type: "object" } });
  });

  test("what goes out comes in again", async () => {
    const tools = toAiSdkTools(host, host.tools());
    const { host: other } = await hostWithAdapters();
    other.coordinator.mount("tools", fromAiSdkTool("add", tools["math.add"] as never));

    expect((await other.call({ name: "add", arguments: { a: 2, b: 3 } })).result.data).toEqual({ sum: 5 });
  });
});

describe("LangChain", () => {
  test("tools go out, and take arguments or a whole tool call; the thread is the session", async () => {
    const [tool] = toLangChainTools(host, host.tools());

    const answer = expect.stringMatching(
      /^\{"sum":3\}\n\(an image of the type image\/png is left out/,
    ) as string;
    expect(await tool!.invoke({ a: 1, b: 2 }, { configurable: { thread_id: "t" } })).toEqual(answer);
    expect(
      await tool!.invoke({ type: "tool_call", id: "c", name: "math.add", args: { a: 1, b: 2 } }),
    ).toEqual(answer);
    expect(await tool!.invoke({})).toMatch(/^Error: /);
  });

  test("a tool comes in; an interrupt of LangGraph bubbles through the host", async () => {
    const interrupt = Object.assign(new Error("interrupt"), { is_bubble_up: true });
    const tool = {
      name: "ask",
      description: "Asks.",
      schema: z.object({ how: z.string() }),
      invoke: async ({ how }: { how: string }) =>
        how === "stop" ? Promise.reject(interrupt) : `asked ${how}`,
    };
    host.coordinator.mount("tools", fromLangChainTool(tool as never));

    expect((await host.call({ name: "ask", arguments: { how: "kindly" } })).result.data).toBe("asked kindly");
    await expect(host.call({ name: "ask", arguments: { how: "stop" } })).rejects.toBe(interrupt);
  });
});
