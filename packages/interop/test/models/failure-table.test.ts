import { expect, test } from "vitest";
import { judgeFailure, type ServerFailure } from "../../src/models/failure-table.ts";

const of = (status: number | undefined, message: string, more: Partial<ServerFailure> = {}) =>
  judgeFailure({ status, message, ...more });

test.each([
  "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "prompt token count of 136000 exceeds the limit of 128000",
  "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
  "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
  "request (124071 tokens) exceeds the available context size (123904 tokens), try increasing it",
  "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length",
  "invalid params, context window exceeds limit (2013)",
  "total message size 10176584 exceeds limit 2097152",
  "Prompt exceeds max length",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Please reduce the length of the messages or completion.",
])("a request is too long: %s", (message) => {
  for (const status of [400, 413, 422, 500, undefined])
    expect(of(status, message).kind, String(status)).toBe("context_length");
});

const perMinute = {
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }],
};
const perDay = {
  ...perMinute,
  violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }],
};
const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.2s" };
const exceeded = "You exceeded your current quota, please check your plan and billing details.";

test.each<[number | undefined, string, Partial<ServerFailure>, object]>([
  // A limit for a time is never an overflow, whatever it says of tokens.
  [429, "Too many tokens, please wait before trying again.", {}, { kind: "rate_limit" }],
  [undefined, "Too many tokens, please wait before trying again.", {}, { kind: "rate_limit" }],
  [
    429,
    "Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000.",
    { code: "rate_limit_exceeded" },
    { kind: "rate_limit" },
  ],
  [429, "Rate limit reached. Please try again in 1m3.5s.", {}, { kind: "rate_limit", retryAfterMs: 63_500 }],
  [429, "Please try again in 350ms.", {}, { kind: "rate_limit", retryAfterMs: 350 }],
  [429, "Retry after 30 seconds.", {}, { kind: "rate_limit", retryAfterMs: 30_000 }],
  [429, "Please wait 5 seconds and try again", {}, { kind: "rate_limit", retryAfterMs: 5_000 }],
  [
    429,
    "slow down",
    { header: (name) => (name === "retry-after" ? "3600" : null) },
    { kind: "rate_limit", problem: "slow down; the server asks to wait 3600 s", retryAfterMs: 3_600_000 },
  ],
  [
    429,
    "Please try again in 350ms.",
    { header: (name) => (name === "retry-after" ? "2" : null) },
    { kind: "rate_limit", retryAfterMs: 2_000 },
  ],
  // Gemini has one sentence for all its limits. What ends when is in the details.
  [429, exceeded, {}, { kind: "quota_exceeded" }],
  [429, exceeded, { error: { details: [perDay, retryInfo] } }, { kind: "quota_exceeded" }],
  [
    429,
    exceeded,
    { error: { details: [perMinute, retryInfo] } },
    { kind: "rate_limit", retryAfterMs: 1_200 },
  ],
  [429, exceeded, { error: { details: [retryInfo] } }, { kind: "rate_limit", retryAfterMs: 1_200 }],
  [429, "slow", { code: "insufficient_quota" }, { kind: "quota_exceeded" }],
  [402, "Insufficient Balance", {}, { kind: "quota_exceeded" }],
  // The status says more than words.
  [401, "context length", {}, { kind: "authentication" }],
  [403, "too many tokens", {}, { kind: "access_denied" }],
  [404, "no such model", { code: "model_not_found" }, { kind: "not_found" }],
  [529, "Overloaded", {}, { kind: "unavailable" }],
  [undefined, "Overloaded", { code: "overloaded_error" }, { kind: "unavailable" }],
  [413, "too big", {}, { kind: "context_length" }],
  [400, "bad", { code: "constructor" }, { kind: "invalid_request" }],
])("%s %s is %j %j", (status, message, more, expected) => {
  expect(of(status, message, more)).toMatchObject(expected);
});

test.each<[string, string | undefined, string]>([
  ["Could not process image", undefined, "image"],
  ["At least one of the image dimensions exceed max allowed size: 8000 pixels", undefined, "image"],
  ["The image data you provided does not represent a valid image.", "invalid_image", "image"],
  ["bad request", "invalid_image_format", "image"],
  ["Invalid MIME type for image_url", undefined, "image"],
  ["This model does not support image input", undefined, "images"],
  ["image input is not supported - hint: you may need to provide the mmproj", undefined, "images"],
  ["No endpoints found that support image input", undefined, "images"],
  ["m is not a multimodal model", undefined, "images"],
  ["The PDF specified was not valid.", undefined, "file"],
  ["messages.3.content.0: Invalid `signature` in `thinking` block", undefined, "reasoning"],
  ["The encrypted content for item rs_1 could not be verified.", "invalid_encrypted_content", "reasoning"],
  [
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    undefined,
    "reasoning",
  ],
  ["Thought signature is not valid.", undefined, "reasoning"],
  ["Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.", undefined, "call_id"],
  ["messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", undefined, "call_id"],
  [
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40",
    undefined,
    "call_id",
  ],
  ["Invalid schema for function 'x': In context=(), 'oneOf' is not permitted.", undefined, "schema"],
  ["tools.0.custom.input_schema: JSON schema is invalid.", undefined, "schema"],
  [
    `Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
    undefined,
    "schema",
  ],
  ["JSON schema conversion failed: Unsupported pattern", undefined, "schema"],
])("a server refuses a part of the conversation: %s", (message, code, refused) => {
  expect(of(400, message, { code })).toMatchObject({ kind: "invalid_request", refused });
  expect(of(500, message, { code })).not.toHaveProperty("refused");
});

test.each([
  "Function call is missing a thought_signature in functionCall parts.",
  "The `reasoning_content` in the thinking mode must be passed back to the API.",
  "Expected `thinking` or `redacted_thinking`, but found `text`.",
  "No tool call found for function call output with call_id call_1.",
])("a server that misses a part refuses none: %s", (message) => {
  expect(of(400, message)).not.toHaveProperty("refused");
});

test("the reason of the server behind a router is a part of the sentence, and counts", () => {
  const error = (raw: unknown) => ({ message: "Provider returned error", metadata: { raw } });
  const sentence = "Provider returned error: prompt is too long: 9 tokens";
  const inner = { error: { message: "prompt is too long: 9 tokens" } };
  for (const raw of ["prompt is too long: 9 tokens", JSON.stringify(inner), inner, inner.error])
    expect(of(400, "Provider returned error", { error: error(raw) })).toMatchObject({
      kind: "context_length",
      problem: sentence,
    });
  for (const raw of [undefined, 7, "", [], {}])
    expect(of(400, "Provider returned error", { error: error(raw) }).problem).toBe("Provider returned error");
});
