import { createAiSdkModel, type AiSdkLanguageModel, type ModelPart } from "@toolmount/interop";
import { readFailedToolCall } from "../../src/models/failure-table.ts";
import { describe, expect, test } from "vitest";

interface Said {
  /** Parts of a stream, or the answer in one piece. */
  readonly parts?: readonly object[];
  readonly answer?: object;
  readonly fails?: unknown;
  readonly version?: string;
}

const usage = { inputTokens: { total: 5, cacheRead: 2 }, outputTokens: { total: 7, reasoning: 3 } };
const stop = { unified: "stop", raw: "stop" };
const finish = { type: "finish", usage, finishReason: stop };

/** A language model of the SDK that says this, and what it was asked. */
function languageModel({ parts = [], answer, fails, version = "v4" }: Said) {
  const asked: Record<string, unknown>[] = [];
  const language = {
    specificationVersion: version,
    provider: "acme.chat",
    modelId: "m",
    doStream: async (options: Record<string, unknown>) => {
      asked.push(options);
      if (fails !== undefined) throw fails;
      return { stream: ReadableStream.from(parts) };
    },
    doGenerate: async (options: Record<string, unknown>) => {
      asked.push(options);
      if (fails !== undefined) throw fails;
      return answer;
    },
  } as unknown as AiSdkLanguageModel;
  return { language, asked };
}

const settings = { stream: true, parallelToolCalls: true, store: false };

async function respond(
  said: Said,
  request: {
    items?: readonly object[];
    settings?: object;
    tools?: readonly object[];
    instructions?: string;
  } = {},
  options: Parameters<typeof createAiSdkModel>[1] = {},
) {
  const { language, asked } = languageModel(said);
  const model = createAiSdkModel(language, { provider: "acme.test", ...options });
  const whole = { instructions: "", items: [], tools: [], previousResponseId: null, ...request };
  const asking = { ...whole, settings: { ...settings, ...request.settings } };
  const parts: ModelPart[] = [];
  const signal = new AbortController().signal;
  for await (const part of model.respond(asking as never, { signal })) parts.push(part);
  const [body] = asked as [{ prompt: unknown } & Record<string, unknown>];
  return { parts, body, end: parts.at(-1) };
}

const part = (type: string, more: object = {}) => ({ type, ...more });

describe("an answer of the AI SDK", () => {
  const reasoning = {
    type: "reasoning",
    summary: [{ type: "summary_text", text: "let me see" }],
    provider_metadata: { provider: "acme.chat", metadata: { acme: { sign: "s", more: 1 } } },
  };
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "hello" }] };
  const call = { type: "function_call", call_id: "c1", name: "pay", arguments: '{"to":"ann"}' };
  const end = {
    type: "finish",
    responseId: null,
    model: "m-2",
    incomplete: null,
    usage: { requests: 1, inputTokens: 5, cachedTokens: 2, outputTokens: 7, reasoningTokens: 3 },
  };

  test("is streamed in its order, and kept in the order in which its blocks began", async () => {
    const { parts } = await respond({
      parts: [
        part("stream-start", {
          warnings: [
            { type: "unsupported", feature: "seed" },
            { type: "other", message: "x" },
          ],
        }),
        part("response-metadata", { modelId: "m-2" }),
        part("reasoning-start", { id: "1", providerMetadata: { acme: { sign: "old" } } }),
        part("text-start", { id: "1" }),
        part("text-delta", { id: "1", delta: "hel" }),
        part("reasoning-delta", { id: "1", delta: "let me see", providerMetadata: { acme: { more: 1 } } }),
        part("text-delta", { id: "1", delta: "" }),
        part("text-delta", { id: "gone", delta: "without a begin" }),
        part("tool-call", { toolCallId: "c1", toolName: "pay", input: '{"to":"ann"}' }),
        part("tool-call", { toolCallId: "c2", toolName: "search", input: "{}", providerExecuted: true }),
        part("text-delta", { id: "1", delta: "lo" }),
        part("text-end", { id: "1" }),
        part("text-end", { id: "1" }),
        part("reasoning-end", { id: "1", providerMetadata: { acme: { sign: "s" } } }),
        part("source", { url: "https://a.test" }),
        finish,
      ],
    });

    expect(parts).toEqual([
      { type: "omitted", what: "seed" },
      { type: "begin", index: 0, kind: "reasoning" },
      { type: "begin", index: 1, kind: "message" },
      { type: "text", index: 1, text: "hel" },
      { type: "reasoning", index: 0, text: "let me see" },
      { type: "begin", index: 2, kind: "function_call" },
      { type: "item", index: 2, item: call },
      { type: "text", index: 1, text: "lo" },
      { type: "item", index: 1, item: message },
      { type: "item", index: 0, item: reasoning },
      { ...end, items: [reasoning, message, call] },
    ]);
  });

  test("in one piece has the same parts", async () => {
    const { parts } = await respond(
      {
        answer: {
          content: [
            { type: "reasoning", text: "let me see", providerMetadata: { acme: { sign: "s", more: 1 } } },
            { type: "text", text: "hello" },
            { type: "tool-call", toolCallId: "c1", toolName: "pay", input: { to: "ann" } },
          ],
          usage,
          finishReason: stop,
          warnings: [{ type: "unsupported", message: "no seed" }, { type: "unsupported" }],
          response: { modelId: "m-2" },
        },
      },
      { settings: { stream: false } },
    );

    expect(parts.filter(({ type }) => type === "omitted")).toEqual([
      { type: "omitted", what: "no seed" },
      { type: "omitted", what: "a setting" },
    ]);
    expect(parts.at(-1)).toEqual({ ...end, items: [reasoning, message, call] });
  });

  test("has no item for a text of nothing, but for reasoning that is only signed", async () => {
    const signed = { acme: { sign: "s" } };
    const { end: last } = await respond({
      parts: [
        part("text-start", { id: "1" }),
        part("text-end", { id: "1" }),
        part("reasoning-start", { id: "2" }),
        part("reasoning-end", { id: "2" }),
        part("reasoning-start", { id: "3" }),
        part("reasoning-end", { id: "3", providerMetadata: signed }),
        part("tool-call", { toolCallId: "c" }),
        { ...finish, usage: undefined },
      ],
    });

    expect(last).toMatchObject({
      items: [
        { type: "reasoning", summary: [], provider_metadata: { provider: "acme.chat", metadata: signed } },
        { type: "function_call", call_id: "c", name: "", arguments: "{}" },
      ],
      usage: { requests: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    });
  });

  test.each([
    [{ unified: "stop", raw: "stop" }, null],
    [{ unified: "tool-calls", raw: "tool_calls" }, null],
    [{ unified: "length", raw: "length" }, "max_output_tokens"],
    [{ unified: "content-filter", raw: "SAFETY" }, "content_filter"],
    [{ unified: "other", raw: "RECITATION" }, "RECITATION"],
    [{ unified: "other", raw: "whatever" }, null],
  ])("that ended as %j is incomplete: %j", async (finishReason, incomplete) => {
    expect((await respond({ parts: [{ ...finish, finishReason }] })).end).toMatchObject({ incomplete });
  });

  test.each([
    [[], "stream", "the stream ended before the answer did"],
    [
      [{ ...finish, finishReason: { unified: "other", raw: undefined } }],
      "stream",
      "ended before the answer",
    ],
    [
      [{ ...finish, finishReason: { unified: "interrupted", raw: "x" } }],
      "stream",
      "ended before the answer",
    ],
    [[{ ...finish, finishReason: undefined }], "finished", ""],
    [
      [{ ...finish, finishReason: { unified: "error", raw: undefined } }],
      "unavailable",
      "an error: no reason",
    ],
    [
      [{ ...finish, finishReason: { unified: "error", raw: "OOM" } }],
      "unavailable",
      "ended with an error: OOM",
    ],
    [
      [{ ...finish, finishReason: { unified: "error", raw: "MALFORMED_FUNCTION_CALL" } }],
      "invalid_tool_call",
      "MALFORMED_FUNCTION_CALL",
    ],
    [[part("error", { error: new Error("the server said no") })], "stream", "the server said no"],
  ])("of the parts %j fails: %s", async (parts, kind, problem) => {
    const answer = respond({ parts });
    if (kind === "finished") return expect((await answer).end).toMatchObject({ incomplete: null });
    return expect(answer).rejects.toMatchObject({
      code: "PROVIDER_FAILED",
      details: { kind, problem: expect.stringContaining(problem), provider: "acme.test", model: "m" },
    });
  });
});

describe("a request of the AI SDK", () => {
  const own = (metadata: object) => ({ provider_metadata: { provider: "acme.chat", metadata } });
  const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  const png = { type: "input_image", image_url: "data:image/png;base64,aGk=" };
  const pdf = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" };

  test("has the conversation, one message for parts of one role that follow each other", async () => {
    const { body, parts } = await respond(
      { parts: [finish] },
      {
        instructions: "Be brief.",
        items: [
          user("pay ann"),
          { type: "message", role: "developer", content: "and bob" },
          { type: "reasoning", summary: [{ text: "so " }, { text: "two" }], ...own({ acme: { sign: "s" } }) },
          {
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: "yes" }],
            ...own({ acme: {} }),
          },
          { type: "function_call", call_id: "c1", name: "pay", arguments: '{"to":"ann"}' },
          { type: "custom_tool_call", call_id: "c2", name: "note", input: "free text" },
          { type: "function_call", call_id: "c3", name: "pay", arguments: "7" },
          { type: "function_call", call_id: "c4", name: "pay", arguments: "" },
          { type: "function_call_output", call_id: "c1", output: "paid" },
          { type: "custom_tool_call_output", call_id: "c2", output: "Error: full" },
          {
            type: "function_call_output",
            call_id: "c9",
            output: [{ text: "a" }, { text: "" }, { text: "b" }, 7],
          },
          { type: "message", role: "user", content: ["x", { text: "" }, { refusal: "y" }, 7] },
        ],
      },
    );

    const call = (toolCallId: string, toolName: string, input: object) => ({
      type: "tool-call",
      toolCallId,
      toolName,
      input,
    });
    const result = (toolCallId: string, toolName: string, output: object) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output,
    });
    expect(body.prompt).toEqual([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "pay ann" },
          { type: "text", text: "and bob" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "so two", providerOptions: { acme: { sign: "s" } } },
          { type: "text", text: "yes", providerOptions: { acme: {} } },
          call("c1", "pay", { to: "ann" }),
          call("c2", "note", { invalid_json: "free text" }),
          call("c3", "pay", { value: 7 }),
          call("c4", "pay", {}),
        ],
      },
      {
        role: "tool",
        content: [
          result("c1", "pay", { type: "text", value: "paid" }),
          result("c2", "note", { type: "error-text", value: "Error: full" }),
          result("c9", "", { type: "text", value: "a\nb" }),
        ],
      },
      { role: "user", content: [{ type: "text", text: "xy" }] },
    ]);
    expect(parts.filter(({ type }) => type === "omitted")).toEqual([
      { type: "omitted", what: "a part of the type " },
    ]);
  });

  test("with a call of thousands of levels has it as a text", async () => {
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const items = [{ type: "function_call", call_id: "c", name: "pay", arguments: deep }];
    const { body } = await respond({ parts: [finish] }, { items });

    expect(body.prompt).toMatchObject([{ content: [{ input: { invalid_json: deep } }] }]);
  });

  test.each([
    { version: "v4", data: { type: "data", data: "aGk=" }, item: png, types: ["file", "image/png"] },
    { version: "v3", data: "aGk=", item: png, types: ["image-data", "image/png"] },
    { version: "v4", data: { type: "data", data: "aGk=" }, item: pdf, types: ["file", "application/pdf"] },
    { version: "v3", data: "aGk=", item: pdf, types: ["file-data", "application/pdf"] },
  ])(
    "of specification $version has $item.type of messages and of results",
    async ({ version, data, item, types }) => {
      const [type, mediaType] = types;
      const { body } = await respond(
        { parts: [finish], version },
        {
          items: [
            { type: "message", role: "user", content: [{ type: "input_text", text: "see" }, item] },
            { type: "function_call_output", call_id: "c", output: [item] },
            { type: "message", role: "user", content: [item] },
          ],
        },
      );
      const file = { type: "file", mediaType, ...(item === pdf && { filename: "a.pdf" }), data };

      expect(body.prompt).toEqual([
        { role: "user", content: [{ type: "text", text: "see" }, file] },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c",
              toolName: "",
              output: {
                type: "content",
                value: [
                  { type: "text", text: "(a file)" },
                  { ...file, type },
                ],
              },
            },
          ],
        },
        { role: "user", content: [file] },
      ]);
    },
  );

  test("leaves out what the model cannot read, says so once each, and never gives one provider another's data", async () => {
    const foreign = { provider_metadata: { provider: "other", metadata: { other: { sign: "s" } } } };
    const { body, parts } = await respond(
      { parts: [finish] },
      {
        items: [
          { type: "reasoning", summary: [], ...foreign },
          { type: "reasoning", summary: [], ...foreign },
          { type: "reasoning", encrypted_content: "x" },
          { type: "reasoning", summary: "none" },
          { type: "message", role: "assistant", content: [{ text: "kept" }], ...foreign },
          { type: "novelty" },
          {
            type: "message",
            role: "user",
            content: [{ type: "input_image", image_url: "https://a.test/i.png" }],
          },
          {
            type: "message",
            role: "user",
            content: [{ type: "input_file", file_url: "https://a.test/i.pdf" }],
          },
          { type: "message", role: "user", content: [{ type: "input_audio" }] },
        ],
      },
    );

    expect(body.prompt).toEqual([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "" },
          { type: "text", text: "kept" },
        ],
      },
    ]);
    expect(parts.flatMap((each) => (each.type === "omitted" ? [each.what] : []))).toEqual([
      "reasoning of another provider",
      "encrypted reasoning of another provider",
      "an item of the type novelty",
      "an image that is not in the message itself",
      "a file that is not in the message itself",
      "a part of the type input_audio",
    ]);
  });

  test("has the tools and the settings that the plan gives, and no others", async () => {
    const tools = [
      { name: "pay", description: "Pays.", schema: { type: "object" }, strict: true },
      { name: "see", description: "Sees.", schema: { type: "object" }, strict: false },
    ];
    const output = { schema: { type: "object" }, name: "x", strict: true };
    const all = {
      temperature: 0.5,
      maxOutputTokens: 9,
      reasoning: { effort: "low" },
      output,
      parallelToolCalls: false,
    };
    const oneCallOptions = { acme: { one: true } };
    const { body } = await respond({ parts: [finish] }, { tools, settings: all }, { oneCallOptions });
    const bare = await respond({ parts: [finish] });

    const { prompt: _, abortSignal: __, ...given } = body;
    expect(given).toEqual({
      tools: [
        {
          type: "function",
          name: "pay",
          description: "Pays.",
          inputSchema: { type: "object" },
          strict: true,
        },
        { type: "function", name: "see", description: "Sees.", inputSchema: { type: "object" } },
      ],
      toolChoice: { type: "auto" },
      includeRawChunks: true,
      temperature: 0.5,
      maxOutputTokens: 9,
      reasoning: "low",
      responseFormat: { type: "json", schema: { type: "object" }, name: "answer" },
      providerOptions: oneCallOptions,
    });
    expect(Object.keys(bare.body).toSorted()).toEqual(["abortSignal", "prompt"]);
  });

  test("says that an answer may have several calls where the provider has no option against it", async () => {
    const tools = [{ name: "pay", description: "Pays.", schema: {}, strict: false }];
    const one = { parallelToolCalls: false };
    const warned = await respond({ parts: [finish] }, { tools, settings: one });
    const quiet = await respond({ parts: [finish] }, { settings: one });

    expect(warned.parts[0]).toEqual({
      type: "omitted",
      what: "parallelToolCalls: false, so an answer may have several calls",
    });
    expect(quiet.parts.map(({ type }) => type)).toEqual(["finish"]);
  });

  test("marks the instructions and the last message for providers that cache what is marked", async () => {
    const cacheMark = { acme: { cache: true } };
    const asked = {
      instructions: "Be brief.",
      items: [user("a"), { type: "function_call", call_id: "c" }, user("b")],
    };
    const { body } = await respond({ parts: [finish] }, asked, { cacheMark });
    const alone = await respond({ parts: [finish] }, { items: [user("a")] }, { cacheMark });

    expect((body.prompt as object[]).map((each) => "providerOptions" in each)).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(alone.body.prompt).toMatchObject([{ role: "user", providerOptions: cacheMark }]);
  });
});

describe("a failure of the AI SDK", () => {
  const callError = (more: object) => Object.assign(new Error("it said no"), more);
  const named = (name: string) => Object.assign(new Error("it said no"), { name });

  test.each([
    [
      "a wrong key",
      callError({ statusCode: 401 }),
      { kind: "authentication", retryable: false, status: 401 },
    ],
    [
      "a request that is refused",
      callError({ statusCode: 400 }),
      { kind: "invalid_request", retryable: false },
    ],
    [
      "a busy server",
      callError({ statusCode: 503 }),
      { kind: "unavailable", retryable: true, delayMultiplier: 2 },
    ],
    [
      "too many requests",
      callError({ statusCode: 429, responseHeaders: { "retry-after": "2", "x-odd": 7 } }),
      { kind: "rate_limit", retryable: true, retryAfterMs: 2_000, delayMultiplier: 4 },
    ],
    [
      "an account without money",
      callError({ statusCode: 429, data: { error: { code: "insufficient_quota" } } }),
      { kind: "quota_exceeded", retryable: false, providerCode: "insufficient_quota" },
    ],
    [
      "a conversation that is too long",
      Object.assign(new Error("prompt is too long: 9 tokens"), {
        statusCode: 400,
        data: { error: { type: "invalid" } },
      }),
      { kind: "context_length", providerCode: "invalid" },
    ],
    ["an answer that cannot be read", callError({ statusCode: 200 }), { kind: "stream", retryable: true }],
    [
      "a call that the server could not read",
      callError({
        statusCode: 400,
        responseBody: JSON.stringify({
          error: { code: "tool_use_failed", failed_generation: '<function=pay>{"to":' },
        }),
      }),
      { kind: "invalid_tool_call", toolName: "pay", rawArguments: '<function=pay>{"to":' },
    ],
    [
      "a body that is no JSON",
      callError({ statusCode: 500, responseBody: "<html>" }),
      { kind: "unavailable" },
    ],
    ["a body that is no object", callError({ statusCode: 500, responseBody: "7" }), { kind: "unavailable" }],
    [
      "a server that is not there",
      callError({ url: "https://a.test" }),
      { kind: "network", problem: "acme.test: it said no" },
    ],
    ["a lost connection", callError({ cause: new Error("reset") }), { kind: "network", retryable: true }],
    ["a cancelled request", named("AbortError"), { kind: "abort", problem: "the request was cancelled" }],
    ["a cancelled answer", named("ResponseAborted"), { kind: "abort", retryable: false }],
    ["a missing key", named("AI_LoadAPIKeyError"), { kind: "configuration", problem: "it said no" }],
    ["something else that is thrown", "no", { kind: "stream", problem: "no" }],
  ])("%s has a kind of its own", async (_, fails, details) => {
    await expect(respond({ fails })).rejects.toMatchObject({ code: "PROVIDER_FAILED", details });
  });

  test("with a key names where the key comes from", async () => {
    const options = { keyVariable: "ACME_KEY" };
    const fails = callError({ statusCode: 401 });
    await expect(respond({ fails }, {}, options)).rejects.toMatchObject({
      details: {
        problem: expect.stringContaining("or the environment variable ACME_KEY for a plan without one"),
      },
    });
    await expect(respond({ fails })).rejects.toMatchObject({ details: { problem: "it said no" } });
  });

  test("that is late says after how long", async () => {
    const { language } = languageModel({});
    const doStream = ({ abortSignal }: { abortSignal?: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        abortSignal?.addEventListener("abort", () => reject(abortSignal.reason));
      });
    const model = createAiSdkModel({ ...language, doStream }, { timeoutMs: 1 });
    const request = { instructions: "", items: [], tools: [], previousResponseId: null, settings };
    const read = async () => {
      for await (const each of model.respond(request, { signal: new AbortController().signal })) void each;
    };
    await expect(read()).rejects.toMatchObject({
      details: {
        kind: "timeout",
        retryable: true,
        problem: expect.stringContaining("no complete answer within 1 ms"),
      },
    });
  });
});

test.each([
  [null, null],
  [{ code: "other" }, null],
  [{ code: "tool_use_failed" }, {}],
  [{ code: "tool_use_failed", failed_generation: "hm" }, { rawArguments: "hm" }],
  [
    { code: "tool_use_failed", failed_generation: '{"name": "pay", "arguments": {' },
    { toolName: "pay", rawArguments: '{"name": "pay", "arguments": {' },
  ],
])("the error %j names the call that could not be read", (error, expected) => {
  expect(readFailedToolCall(error)).toEqual(expected);
});
