import { ToolmountError } from "@toolmount/core";
import { expect, test } from "vitest";
import { readAiSdkError } from "../../src/models/ai-sdk-error.ts";
import { knownContextTokens } from "../../src/models/context-windows.ts";
import { kindOfStatus, readRetryAfter } from "../../src/models/failure-table.ts";
import { modelError } from "../../src/models/model.ts";

const address = { provider: "acme", model: "m-1" };

test.each([
  ["gpt-5", 272_000],
  ["gpt-5.1-codex", 272_000],
  ["gpt-4.1-mini", 1_000_000],
  ["gpt-4o-mini", 128_000],
  ["chatgpt-4o-latest", 128_000],
  ["gpt-4-turbo", 128_000],
  ["gpt-4", undefined],
  ["o1", 200_000],
  ["o3-mini", 200_000],
  ["o4", 200_000],
  ["o2", undefined],
  ["o10", undefined],
  ["claude-opus-4-1", 200_000],
  ["gemini-2.5-pro", 1_048_576],
  ["grok-4-fast", 256_000],
  ["grok-3", undefined],
  ["mistral-large-latest", 128_000],
  ["mistral-medium", 128_000],
  ["mistral-small", 128_000],
  ["mistral-tiny", undefined],
  ["openai/gpt-5", 272_000],
  ["openrouter/anthropic/claude-x", 200_000],
  ["anthropic.claude-x", 200_000],
  ["openai.gpt-4o", 128_000],
  ["google.gemini-2", 1_048_576],
  ["my-gpt-5", undefined],
  ["qwen3:8b", undefined],
])("the model %s has a window of %s tokens", (model, tokens) => {
  expect(knownContextTokens(model)).toBe(tokens);
});

test.each([
  [undefined, "stream"],
  [302, "other"],
  [400, "invalid_request"],
  [401, "authentication"],
  [403, "access_denied"],
  [404, "not_found"],
  [408, "timeout"],
  [409, "invalid_request"],
  [410, "other"],
  [413, "context_length"],
  [422, "invalid_request"],
  [429, "rate_limit"],
  [499, "other"],
  [500, "unavailable"],
  [529, "unavailable"],
] as const)("the status %s means %s", (status, kind) => {
  expect(kindOfStatus(status)).toBe(kind);
});

const date = "Fri, 27 Nov 2026 04:00:00 GMT";

test.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ "retry-after-ms": "250" }, 250],
  [{ "retry-after-ms": "0", "retry-after": "3" }, 0],
  [{ "retry-after-ms": "-1", "retry-after": "3" }, 3_000],
  [{ "retry-after-ms": "soon", "retry-after": "3" }, 3_000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "1.5" }, 1_500],
  [{ "retry-after": "-3" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "Fri, 27 Nov 2026 04:00:02 GMT", date }, 2_000],
  [{ "retry-after": "Fri, 27 Nov 2026 03:59:02 GMT", date }, 0],
  [{ "retry-after": "Fri, 27 Nov 2026 04:00:02 GMT" }, undefined],
])("the headers %j ask to wait %s ms", (headers, ms) => {
  expect(readRetryAfter((name) => headers[name] ?? null)).toBe(ms);
  expect(readRetryAfter((name) => headers[name])).toBe(ms);
});

test("a failure is retried by its kind, unless it says otherwise, and its sentence has a bound", () => {
  const of = (kind: string, more: object = {}) =>
    modelError({ ...address, kind: kind as never, problem: "p".repeat(3_000), ...more }).details;
  const retried = ["rate_limit", "unavailable", "network", "timeout", "stream"];
  const final = ["authentication", "context_length", "invalid_request", "abort", "quota_exceeded", "other"];

  expect(retried.map((kind) => of(kind).retryable)).toEqual(retried.map(() => true));
  expect(final.map((kind) => of(kind).retryable)).toEqual(final.map(() => false));
  expect(of("rate_limit").delayMultiplier).toBe(4);
  expect(of("network").delayMultiplier).toBe(2);
  expect(of("network", { retryable: false, delayMultiplier: 9 })).toMatchObject({
    retryable: false,
    delayMultiplier: 9,
  });
  expect(of("network").problem).toBe("p".repeat(2_000));
  expect(modelError({ ...address, kind: "other", problem: "p" }, "why").cause).toBe("why");
});

const named = (name: string, message: string, members: object = {}) =>
  Object.assign(new Error(message), { name, ...members });
const call = (message: string, statusCode: number | undefined, members: object = {}) =>
  named("AI_APICallError", message, { statusCode, url: "https://a.test", ...members });
const groq = (error: unknown) => ({ responseBody: JSON.stringify({ error }) });
const keys =
  "; the key is apiKey of the plan's agent, or the environment variable ACME_KEY for a plan without one";

/** What a person reads of a request that failed: its kind, its sentence, and what the server said. */
test.each<[unknown, object]>([
  [named("AbortError", "aborted"), { kind: "abort", problem: "the request was cancelled" }],
  [named("ResponseAborted", "gone"), { kind: "abort", problem: "the request was cancelled" }],
  [named("AI_LoadAPIKeyError", "no key"), { kind: "configuration", problem: "no key" }],
  ["broken", { kind: "stream", problem: "broken" }],
  [undefined, { kind: "stream", problem: "undefined" }],
  [{ type: "error" }, { kind: "stream", problem: "[object Object]" }],
  [new Error("cut"), { kind: "stream", problem: "cut" }],
  [call("refused", undefined), { kind: "network", problem: "acme: refused" }],
  [
    Object.assign(new Error("fetch failed"), { cause: new Error("ECONNREFUSED") }),
    { kind: "network", problem: "acme: fetch failed" },
  ],
  [call("bad", 400), { kind: "invalid_request", problem: "bad", status: 400 }],
  [call("who", 401), { kind: "authentication", problem: `who${keys}`, status: 401 }],
  [call("slow", 429), { kind: "rate_limit", problem: "slow", status: 429 }],
  [call("broken off", 200), { kind: "stream", problem: "broken off", status: 200 }],
  [call("moved", 300), { kind: "other", problem: "moved", status: 300 }],
  [
    call("slow", 429, { responseHeaders: { "retry-after": "2" } }),
    { kind: "rate_limit", problem: "slow", status: 429, retryAfterMs: 2_000 },
  ],
  [
    call("slow", 429, { responseHeaders: { "retry-after": 2 } }),
    { kind: "rate_limit", problem: "slow", status: 429 },
  ],
  [
    call("pay", 429, { data: { error: { code: "insufficient_quota" } } }),
    { kind: "quota_exceeded", problem: "pay", status: 429, providerCode: "insufficient_quota" },
  ],
  [
    call("You exceeded your current quota", 429),
    { kind: "quota_exceeded", problem: "You exceeded your current quota", status: 429 },
  ],
  [
    call("prompt is too long: 9 tokens", 400),
    { kind: "context_length", problem: "prompt is too long: 9 tokens", status: 400 },
  ],
  [
    call("no", 400, { data: { error: { type: "t", status: "s" } } }),
    { kind: "invalid_request", problem: "no", status: 400, providerCode: "t" },
  ],
  [
    call("no", 400, { data: { error: { status: "s" } } }),
    { kind: "invalid_request", problem: "no", status: 400, providerCode: "s" },
  ],
  [
    call("no", 400, { data: { error: { code: 7 } } }),
    { kind: "invalid_request", problem: "no", status: 400 },
  ],
  [call("no", 400, { data: { error: "text" } }), { kind: "invalid_request", problem: "no", status: 400 }],
  [
    call("no", 400, groq({ code: "tool_use_failed", failed_generation: '<function=read>{"a"' })),
    {
      kind: "invalid_tool_call",
      problem: "no",
      status: 400,
      toolName: "read",
      rawArguments: '<function=read>{"a"',
    },
  ],
  [
    call(
      "no",
      400,
      groq({ code: "tool_use_failed", failed_generation: `{"name" : "a.b-c_1" ${"x".repeat(3_000)}` }),
    ),
    {
      kind: "invalid_tool_call",
      problem: "no",
      status: 400,
      toolName: "a.b-c_1",
      rawArguments: `{"name" : "a.b-c_1" ${"x".repeat(3_000)}`.slice(0, 2_000),
    },
  ],
  [
    call("no", 400, groq({ code: "tool_use_failed", failed_generation: "text" })),
    { kind: "invalid_tool_call", problem: "no", status: 400, rawArguments: "text" },
  ],
  [
    call("no", 400, groq({ code: "tool_use_failed" })),
    { kind: "invalid_tool_call", problem: "no", status: 400 },
  ],
  [call("no", 400, groq({ code: "other" })), { kind: "invalid_request", problem: "no", status: 400 }],
  [call("no", 400, groq("text")), { kind: "invalid_request", problem: "text", status: 400 }],
  [call("no", 400, { responseBody: "[1]" }), { kind: "invalid_request", problem: "no", status: 400 }],
  [call("no", 400, { responseBody: "<html>" }), { kind: "invalid_request", problem: "no", status: 400 }],
])("%o is reported as %j", (error, details) => {
  const read = readAiSdkError(
    error,
    { ...address, keyVariable: "ACME_KEY" },
    { isLate: false, timeoutMs: 5 },
  );

  expect(read).toMatchObject({ code: "PROVIDER_FAILED", cause: error });
  const { retryable, delayMultiplier, ...said } = read.details;
  expect(said).toEqual({ ...address, ...details });
  expect(delayMultiplier).toBe(said["kind"] === "rate_limit" ? 4 : 2);
  expect(retryable).toBe(["rate_limit", "network", "stream"].includes(String(said["kind"])));
});

test("an answer that took too long says so, whatever broke, and without a variable no key is named", () => {
  const late = readAiSdkError(call("cut", undefined), address, { isLate: true, timeoutMs: 500 });
  const unknown = readAiSdkError(call("who", 401), address, { isLate: false, timeoutMs: 5 });

  expect(late.details).toMatchObject({
    kind: "timeout",
    problem: "no complete answer within 500 ms; raise the timeout if the model needs longer",
  });
  expect(unknown.details["problem"]).toBe("who");
});

test("our own error comes back as it was, also where a package wrapped it", () => {
  const own = modelError({ ...address, kind: "stream", problem: "too large" });
  const wrap = (times: number): Error =>
    times === 0 ? own : new Error("wrapped", { cause: wrap(times - 1) });
  const read = (error: unknown) => readAiSdkError(error, address, { isLate: true, timeoutMs: 5 });

  for (const times of [0, 1, 3]) expect(read(wrap(times))).toBe(own);
  expect(read(wrap(4))).not.toBe(own);
  const other = new ToolmountError("HOST_CLOSED", {});
  expect(read(other).code).toBe("PROVIDER_FAILED");
});
