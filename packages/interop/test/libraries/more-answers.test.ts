import { describe, expect, test } from "vitest";
import { ended } from "../support/library-module.ts";

const object = { type: "object", properties: {} };

const ok = (said: unknown) => ({ status: "ok", said });

describe("a tool of Mastra", () => {
  const mark = Symbol.for("mastra.core.tool.Tool");
  const tool = (more: object) => ({
    t: { [mark]: true, id: "t", description: "T.", inputSchema: object, ...more },
  });

  test.each<[unknown, object]>([
    [
      { error: true, message: "bad" },
      { status: "failed", said: "bad" },
    ],
    [{ error: "yes", message: "bad" }, ok({ error: "yes", message: "bad" })],
    [
      { isError: true, content: "no memory" },
      { status: "failed", said: "no memory" },
    ],
    [{ isError: false, content: "fine" }, ok({ isError: false, content: "fine" })],
    [{ error: true, message: "" }, ok({ error: true, message: "" })],
    [{ error: true, message: 7 }, ok({ error: true, message: 7 })],
  ])("that returns %j", async (returned, end) => {
    expect(await ended(tool({ execute: async () => returned }))).toMatchObject(end);
  });

  test("answers in the form that it makes for a model, and fails where it makes none", async () => {
    const shown = tool({ execute: () => 1, toModelOutput: () => ({ type: "text", value: "one" }) });
    expect(await ended(shown)).toMatchObject(ok("one"));
    expect(await ended(tool({ execute: () => 1, toModelOutput: () => 7 }))).toMatchObject({
      status: "failed",
    });
    expect((await ended(shown)).info).toMatchObject({ description: "T.", inputSchema: object });
  });

  test("gets its arguments, an agent's context, and before version 1 both in one", async () => {
    const seen: unknown[][] = [];
    const execute = (...given: unknown[]) => void seen.push(given);
    await ended(tool({ execute }), {});
    class Tool {
      readonly id = "old";
      readonly description = "Is old.";
      readonly inputSchema = object;
      readonly execute = execute;
    }
    await ended({ old: new Tool() }, {});
    const common = {
      abortSignal: expect.any(AbortSignal) as AbortSignal,
      toolCallId: expect.any(String) as string,
      messages: [],
    };

    expect(seen).toEqual([
      [
        {},
        {
          ...common,
          agent: {
            agentId: "",
            toolCallId: expect.any(String) as string,
            messages: [],
            suspend: expect.any(Function) as () => void,
            threadId: "s",
          },
          suspend: expect.any(Function) as () => void,
        },
      ],
      [{ context: {}, ...common }, common],
    ]);
  });
});

test("a tool of OpenAI Agents gets a run of one call, and is asked whether it is enabled", async () => {
  const seen: unknown[][] = [];
  const tool = (isEnabled: unknown) => ({
    t: {
      type: "function",
      name: "t",
      description: "T.",
      parameters: { type: "object", properties: { a: {} } },
      invoke: (...given: unknown[]) => void seen.push(given),
      isEnabled,
    },
  });
  expect((await ended(tool(true), { a: 1 })).info).toMatchObject({
    description: "T.",
    inputSchema: { properties: { a: {} } },
  });
  for (const off of [false, () => false, async () => false])
    expect(await ended(tool(off), { a: 1 })).toMatchObject({ status: "failed", code: "NOT_ENABLED" });
  for (const on of [undefined, () => true, () => undefined])
    expect(await ended(tool(on), { a: 1 })).toMatchObject({ status: "ok" });

  const signal = expect.any(AbortSignal) as AbortSignal;
  expect(seen).toHaveLength(4);
  expect(seen[0]).toEqual([
    { context: {}, signal, isToolApproved: expect.any(Function) as () => void, usage: {} },
    '{"a":1}',
    {
      signal,
      toolCall: {
        type: "function_call",
        callId: expect.any(String) as string,
        name: "t",
        arguments: '{"a":1}',
        status: "in_progress",
      },
    },
  ]);
});

test("a plain tool gets its signal and call, and its facts are those of its specification", async () => {
  let seen: unknown;
  const work = (_: object, options: object) => void (seen = options);
  for (const member of ["function", "spec", "metadata", "toolSpec"]) {
    const tool = { [member]: { name: "p", description: "Plain.", parameters: object }, run: work };
    expect((await ended({ tool })).info).toMatchObject({ name: "p", description: "Plain." });
  }
  expect(seen).toEqual({
    signal: expect.any(AbortSignal) as AbortSignal,
    abortSignal: expect.any(AbortSignal) as AbortSignal,
    toolCallId: expect.any(String) as string,
  });
});

describe("a callable tool of Gemini's SDK", () => {
  const callable = (parts: unknown, declaration: object = {}) => ({
    kit: {
      tool: () => ({ functionDeclarations: [{ name: "g", description: "G.", ...declaration }, "odd"] }),
      callTool: () => parts,
    },
  });
  const response = (value: unknown) => [{ functionResponse: { response: value } }];

  test.each<[unknown, object]>([
    [response({ output: 7 }), ok(7)],
    [response({ a: 1 }), ok({ a: 1 })],
    [response("text"), ok("text")],
    [response({ error: "no" }), { status: "failed", said: "no" }],
    [response({ error: { why: 1 } }), { status: "failed", said: '{"why":1}' }],
    [response({ error: "" }), { status: "failed", said: '""' }],
    [[{ text: "a" }], ok([{ text: "a" }])],
    ["none", ok([])],
    [
      [{ inlineData: { data: "AAAA", mimeType: "image/png" } }, { inlineData: "odd" }],
      { status: "ok", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] },
    ],
  ])("that answers with %j", async (parts, end) => {
    expect(await ended(callable(parts))).toMatchObject(end);
  });

  test("has the schema of its declaration, as JSON Schema where it has that", async () => {
    const parameters = { type: "OBJECT", properties: { n: { type: "NUMBER" } } };
    const parametersJsonSchema = { type: "object", properties: { m: { type: "string" } } };

    expect((await ended(callable([], { parameters }))).info.inputSchema).toMatchObject({
      properties: { n: { type: "number" } },
    });
    expect((await ended(callable([], { parameters, parametersJsonSchema }))).info.inputSchema).toMatchObject({
      properties: { m: { type: "string" } },
    });
  });
});
