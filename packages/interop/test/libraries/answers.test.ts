import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromAiSdkTool } from "../../src/index.ts";
import { ended, mountLibrary, refusalOf } from "../support/library-module.ts";

const object = { type: "object", properties: {} };

const ok = (said: unknown) => ({ status: "ok", said });

describe("a tool of LangChain", () => {
  const tool = (returned: unknown, more: object = {}) => ({
    t: {
      lc_namespace: ["l"],
      name: "t",
      description: "T.",
      schema: object,
      invoke: async () => returned,
      ...more,
    },
  });
  const message = (content: unknown, status = "success") => ({ tool_call_id: "c", content, status });

  test.each<[unknown, object]>([
    [message("said"), ok("said")],
    [message("no", "error"), { status: "failed", said: "no" }],
    [
      message([{ type: "text", text: "no" }], "error"),
      { status: "failed", said: '[{"type":"text","text":"no"}]' },
    ],
    [{ content: "plain", status: "error" }, ok({ content: "plain", status: "error" })],
    ["text", ok("text")],
    [
      { lg_name: "Command" },
      {
        status: "failed",
        code: "COMMAND_REFUSED",
        said: "the tool returned a Command, which changes a graph of LangGraph, and this host runs no graph",
      },
    ],
    [{ lg_name: "Other" }, ok({ lg_name: "Other" })],
  ])("that returns %j", async (returned, end) => {
    expect(await ended(tool(returned))).toMatchObject(end);
  });

  test("gets a whole call, its signal and its session as the thread", async () => {
    const seen: unknown[][] = [];
    const invoke = async (...given: unknown[]) => void seen.push(given);
    await ended(tool(null, { invoke, schema: { type: "object", properties: { a: {} } } }), { a: 1 });

    expect(seen).toEqual([
      [
        { type: "tool_call", id: expect.any(String) as string, name: "t", args: { a: 1 } },
        { signal: expect.any(AbortSignal) as AbortSignal, configurable: { thread_id: "s" } },
      ],
    ]);
  });
});

describe("a tool of Anthropic's SDKs", () => {
  test("parses before it runs, and what it refuses is said", async () => {
    const parse = (given: { a?: number }) => {
      if (given.a === undefined) throw new Error("a is missing");
      if (given.a < 0) throw "a text";
      return { doubled: given.a * 2 };
    };
    const look = {
      name: "look",
      description: "Looks.",
      run: (input: object) => input,
      input_schema: object,
      parse,
    };

    expect(await ended({ look }, { a: 2 })).toMatchObject(ok({ doubled: 4 }));
    const refused = { status: "failed", code: "ARGUMENTS_REFUSED" };
    expect(await ended({ look }, {})).toMatchObject({ ...refused, said: "a is missing" });
    expect(await ended({ look }, { a: -1 })).toMatchObject({ ...refused, said: "a text" });
    expect(await ended({ look: { ...look, parse: "none" } }, { a: 2 })).toMatchObject(ok({ a: 2 }));
    expect((await ended({ look })).info.description).toBe("Looks.");
  });

  test("whose schema only its models know is refused", async () => {
    const bash = { name: "bash", type: "bash_20250124", run: () => "" };

    expect(await refusalOf({ bash })).toBe(
      "TOOL_INVALID its type is bash_20250124, whose schema only Anthropic's models know; leave it in the program that asks the model",
    );
  });

  test.each<[unknown, object]>([
    [{ content: [{ type: "text", text: "hi" }] }, ok("hi")],
    [
      { content: [{ type: "text", text: "no" }], isError: true },
      { status: "failed", said: "no" },
    ],
    [{ content: "text" }, ok({ content: "text" })],
    [undefined, ok(null)],
    [7, ok(7)],
  ])("with a handler that returns %j", async (returned, end) => {
    const tool = {
      name: "h",
      description: "Handles.",
      inputSchema: { a: z.string().optional() },
      handler: () => returned,
    };
    const result = await ended({ tool });

    expect(result).toMatchObject(end);
    expect(result.info.description).toBe("Handles.");
  });

  test("gets its signal, its session and its call", async () => {
    let extra: unknown;
    const handler = (_: object, given: object) => void (extra = given);
    await ended({ tool: { name: "h", description: "H.", parameters: object, handler } });

    expect(extra).toEqual({
      signal: expect.any(AbortSignal) as AbortSignal,
      sessionId: "s",
      requestId: expect.any(String) as string,
    });
  });
});

describe("a tool of the AI SDK", () => {
  const tool = (more: object) => ({
    t: { description: "T.", inputSchema: object, execute: () => 1, ...more },
  });

  test("that is another library's, or its provider's, is refused", async () => {
    const invoke = { description: "T.", inputSchema: object, invoke: () => 1 };
    expect(() => fromAiSdkTool("t", invoke)).toThrow(
      'tool "t" cannot be mounted: it has invoke and no execute, so it is not a tool of the AI SDK; export it, and the plan mounts a tool of LangChain or OpenAI Agents as it is',
    );
    expect(await refusalOf({ s: { type: "provider-defined", id: "openai.web_search" } })).toBe(
      "TOOL_INVALID it is openai.web_search, which its provider runs; leave it in the program that asks the model",
    );
    const own = { type: "provider", id: "p.run", inputSchema: object, execute: () => "ran here" };
    expect(await ended({ own })).toMatchObject(ok("ran here"));
  });

  test("whose description is a function is described once, and one that needs the program is refused", async () => {
    const described = tool({
      description: ({ context }: { context: object }) => `Has ${Object.keys(context).length}.`,
    });
    expect((await ended(described)).info.description).toBe("Has 0.");
    const needy = tool({
      description: ({ context }: { context: { user: { name: string } } }) => context.user.name,
    });
    expect(await refusalOf(needy)).toBe(
      "TOOL_INVALID its description is a function that needs the program's context",
    );
  });

  test("that yields reports each value but the first, and its last one is its result", async () => {
    const { host } = await mountLibrary(
      tool({
        async *execute() {
          yield* [1, 2, 3];
        },
      }),
    );
    const steps: unknown[] = [];
    const outcome = await host.call({ name: "t" }, { onProgress: (step) => steps.push(step) });

    expect(outcome.result.data).toBe(3);
    expect(steps).toEqual([{ progress: 1 }, { progress: 2 }]);
  });

  test("gets the call, its signal and no messages; without a form for a model its call fails", async () => {
    let seen: unknown;
    await ended(tool({ execute: (_: object, options: object) => void (seen = options) }));
    expect(seen).toEqual({
      toolCallId: expect.any(String) as string,
      abortSignal: expect.any(AbortSignal) as AbortSignal,
      messages: [],
      context: {},
    });
    const { lines, call } = await mountLibrary(tool({ toModelOutput: () => "no form" }));
    expect(await call("t")).toMatchObject({ status: "failed", said: "t failed" });
    expect(lines.at(-1)!.fields).toMatchObject({
      err: { message: "its toModelOutput returned no output for a model" },
    });
    expect(await ended(tool({ toModelOutput: "no function" }))).toMatchObject(ok(1));
  });
});
