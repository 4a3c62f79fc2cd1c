import { APIError } from "openai";
import { expect, test } from "vitest";
import { ModelError, readModelError, reportedFailure } from "../../src/provider/model-error.ts";
import { hostOf, readResponse } from "../../src/provider/response.ts";
import { strictSchema } from "../../src/provider/strict-schema.ts";
import { costOf, readUsage } from "../../src/provider/usage.ts";
import { missingAnswer } from "../../src/turn/last-answer.ts";

const place = { provider: "models.example:8080", model: "m" };

test.each<[unknown, string | null]>([
  [{ status: "completed" }, null],
  [{ status: "completed", incomplete_details: { reason: "max_output_tokens" } }, null],
  [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "max_output_tokens"],
  [{ status: "incomplete", incomplete_details: null }, "unknown"],
  [{ status: "incomplete", incomplete_details: { reason: 7 } }, "unknown"],
  [{ output: [{ type: "function_call", status: "incomplete" }] }, "unknown"],
  [{ output: [{ type: "message", status: "incomplete" }] }, null],
])("a response of %o was cut for the reason %j", (given, reason) => {
  expect(readResponse({ output: [], ...(given as object) }, place).incomplete).toBe(reason);
});

test("of a response the items are read, with the server that sealed its reasoning; what it lacks is the request's", () => {
  const sealed = { type: "reasoning", encrypted_content: "x" };
  const open = { type: "reasoning", encrypted_content: "" };

  expect(readResponse({ output: [sealed, open, 7, "x", null] }, place)).toEqual({
    type: "finish",
    responseId: null,
    model: "m",
    items: [{ ...sealed, provider_metadata: { provider: "models.example", metadata: {} } }, open],
    usage: { requests: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    incomplete: null,
  });
  expect(readResponse({ id: "r", model: "m-2026", output: [] }, place)).toMatchObject({
    responseId: "r",
    model: "m-2026",
  });
  expect(hostOf("no host at all")).toBe("no host at all");
});

const kindOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ModelError) return error.failure;
    throw error;
  }
};

test.each<[unknown, object]>([
  ["text", { kind: "stream", problem: "the answer is not a response of the Responses API" }],
  [{ output: {} }, { kind: "stream" }],
  [
    { output: [], status: "failed" },
    { kind: "stream", problem: "the response failed" },
  ],
  [
    { output: [], status: "failed", error: { code: "server_error", message: "down" } },
    { kind: "unavailable", problem: "down", providerCode: "server_error", retryable: true },
  ],
])("the response %o fails as %o", (given, failure) => {
  expect(kindOf(() => readResponse(given, place))).toMatchObject({ ...failure, ...place });
});

test.each([
  ["insufficient_quota", "quota_exceeded"],
  ["context_length_exceeded", "context_length"],
  ["content_filter", "content_filter"],
  ["content_policy_violation", "content_filter"],
  ["rate_limit_exceeded", "rate_limit"],
  ["model_not_found", "not_found"],
  ["invalid_api_key", "authentication"],
  ["server_error", "unavailable"],
  ["server_is_overloaded", "unavailable"],
  ["another_code", "stream"],
  [undefined, "stream"],
])("the code %s of a failed response is %s", (code, kind) => {
  expect(reportedFailure(code, "it failed", place).failure).toMatchObject({ kind, providerCode: code });
});

const status = (number: number, error: object = {}) =>
  readModelError(
    APIError.generate(number, { error: { message: "no", ...error } }, undefined, new Headers()),
    place,
  ).failure;

test("a status of HTTP is a kind, with a hint where the plan can be wrong; a code says it more exactly", () => {
  expect(status(401)).toMatchObject({
    kind: "authentication",
    status: 401,
    problem: expect.stringMatching(/^no; the key is apiKey of the plan/) as string,
  });
  expect(status(404).problem).toMatch(/^no; .* write model: openai-compatible:m$/);
  expect(status(404, { code: "model_not_found" })).toMatchObject({ kind: "not_found", problem: "no" });
  expect(status(429, { code: "insufficient_quota" })).toMatchObject({ kind: "quota_exceeded" });
  expect(status(500)).toMatchObject({ kind: "unavailable", problem: "no" });
});

test("other errors of a request say what kind they are", () => {
  const lost = Object.assign(new TypeError("terminated"), {
    cause: Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" }),
  });

  expect(readModelError(lost, place).failure).toMatchObject({
    kind: "network",
    problem: "models.example:8080 closed the connection in the middle of its answer",
  });
  expect(readModelError(new TypeError("of our own"), place).failure).toMatchObject({
    kind: "other",
    problem: "of our own",
  });
  expect(readModelError(new SyntaxError("Unexpected token"), place).failure.kind).toBe("stream");
  expect(readModelError("a text", place).failure).toMatchObject({ kind: "other", problem: "a text" });
});

test.each<[readonly object[], string | null]>([
  [[], "empty"],
  [[{ type: "message", content: [{ type: "output_text", text: " \n" }] }], "empty"],
  [[{ type: "message", content: [{ type: "output_text", text: "hi" }] }], null],
  [[{ type: "message", content: "hi" }], null],
  [[{ type: "message", content: [{ type: "refusal", refusal: "no" }] }], "refusal"],
  [[{ type: "message", content: [{ type: "refusal", refusal: "no" }, { text: "but this" }] }], null],
  [[{ type: "custom_tool_call", name: "x" }], null],
  [[{ type: "reasoning" }, { type: "function_call", name: "x" }], null],
])("in the answer %j what is missing is %j", (items, missing) => {
  expect(missingAnswer(items as never)).toBe(missing);
});

const text = { type: "string" };
const closed = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});

test.each<[object, object | null]>([
  [closed({}), closed({}, { required: [] })],
  [closed({ a: text }, { required: ["a"], $schema: "x" }), closed({ a: text }, { required: ["a"] })],
  [
    closed({ a: { ...text, default: "x" } }),
    closed({ a: { anyOf: [text, { type: "null" }] } }, { required: ["a"] }),
  ],
  [
    closed({ a: { type: "array", items: closed({}) } }, { required: ["a"] }),
    closed({ a: { type: "array", items: closed({}, { required: [] }) } }, { required: ["a"] }),
  ],
  [
    closed({ a: { anyOf: [text, { enum: [1, 2] }] } }, { required: ["a"] }),
    closed({ a: { anyOf: [text, { enum: [1, 2] }] } }, { required: ["a"] }),
  ],
  [{ type: "object", properties: {} }, null],
  [closed({ a: { type: "object" } }), null],
  [closed({ a: { ...text, minLength: 1 } }), null],
  [closed({ a: {} }), null],
  [closed({ a: true }), null],
  [closed({ a: { type: "array" } }), null],
  [closed({ a: { anyOf: [text, { $ref: "#" }] } }), null],
  [text, null],
])("in strict mode the schema %j is %j", (schema, strict) => {
  expect(strictSchema(schema as never)).toEqual(strict);
});

test("what a usage costs counts cached input at its own price, or at that of other input", () => {
  const usage = readUsage({
    input_tokens: 3_000_000,
    output_tokens: 1_000_000,
    input_tokens_details: { cached_tokens: 2_000_000 },
    output_tokens_details: { reasoning_tokens: 5 },
  });
  const prices = { input: 10, output: 20, currency: "EUR" };

  expect(usage).toMatchObject({ requests: 1, cachedTokens: 2_000_000, reasoningTokens: 5 });
  expect(costOf(usage, { ...prices, cachedInput: 1 })).toEqual({ amount: 32, currency: "EUR" });
  expect(costOf(usage, prices)).toEqual({ amount: 50, currency: "EUR" });
  expect(costOf(usage, undefined)).toBeNull();
});

test("a count of tokens that is no number, or below zero, is 0", () => {
  const usage = readUsage({ input_tokens: -1, output_tokens: "5", input_tokens_details: null });

  expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0, cachedTokens: 0 });
  expect(readUsage(undefined)).toMatchObject({ requests: 1, inputTokens: 0 });
});
