import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anthropicApi, chatApi, geminiApi, responsesApi } from "../src/providers.ts";

const apis = { anthropic: anthropicApi, chat: chatApi, gemini: geminiApi, responses: responsesApi };

/** What a model says, each with the answer of an API to it: its whole body, then its events. */
const cases = readFileSync(join(import.meta.dirname, "provider-answers.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [title = "", ...lines] = group.split("\n");
    const [, api = "", spoken = ""] = /^# (\w+) (.*)$/.exec(title)!;
    return { api: api as keyof typeof apis, spoken, lines };
  });

test.each(cases)("$api answers $spoken", ({ api, spoken, lines }) => {
  expect(answersOf(api, spoken)).toEqual(lines);
});

function answersOf(name: keyof typeof apis, spoken: string): string[] {
  const api = apis[name];
  const said = JSON.parse(spoken) as object;
  const line = (sign: string, value: object) =>
    `${sign} ${JSON.stringify(value)}`.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID");
  return [line("=", api.body(said)), ...api.events(said).map((event) => line("-", event))];
}

/** Requests, each with the outputs and the segments that an API reads of it. */
const requests = [
  [
    "anthropic",
    {
      system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "hi" },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c", content: "x" },
            { type: "text", text: "y" },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: 5, content: [{ text: "a" }, { text: 1 }, { text: "b" }] },
          ],
        },
      ],
    },
    [
      ["c", "x"],
      ["5", "ab"],
    ],
    [
      [],
      [{ type: "text", text: "s" }],
      { role: "user", content: "hi" },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c", content: "x" },
          { type: "text", text: "y" },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: 5, content: [{ text: "a" }, { text: 1 }, { text: "b" }] },
        ],
      },
    ],
  ],
  ["anthropic", { tools: [null, 1] }, [], [[null, 1], ""]],
  [
    "chat",
    {
      tools: [1],
      messages: [
        { role: "user" },
        { role: "tool", tool_call_id: "c", content: "x" },
        { role: "tool", content: ["y"] },
      ],
    },
    [
      ["c", "x"],
      ["undefined", '["y"]'],
    ],
    [
      [1],
      { role: "user" },
      { role: "tool", tool_call_id: "c", content: "x" },
      { role: "tool", content: ["y"] },
    ],
  ],
  ["chat", {}, [], [[]]],
  [
    "gemini",
    {
      systemInstruction: "s",
      contents: [
        {
          parts: [
            { text: "a" },
            { functionResponse: { id: "c", response: { a: 1 } } },
            { functionResponse: { response: {} } },
          ],
        },
      ],
    },
    [
      ["c", '{"a":1}'],
      ["", "{}"],
    ],
    [
      [],
      "s",
      {
        parts: [
          { text: "a" },
          { functionResponse: { id: "c", response: { a: 1 } } },
          { functionResponse: { response: {} } },
        ],
      },
    ],
  ],
  ["gemini", { tools: [1] }, [], [[1], ""]],
  [
    "responses",
    {
      instructions: "i",
      input: [
        { role: "user" },
        { type: "function_call_output", call_id: "c", output: "x" },
        { type: "function_call_output", output: [1] },
      ],
    },
    [
      ["c", "x"],
      ["undefined", "[1]"],
    ],
    [
      [],
      "i",
      { role: "user" },
      { type: "function_call_output", call_id: "c", output: "x" },
      { type: "function_call_output", output: [1] },
    ],
  ],
  ["responses", { tools: [1], input: "hi" }, [], [[1], ""]],
] as const;

test.each(requests)("%s reads %j", (api, request, outputs, segments) => {
  expect(apis[api].outputs(request)).toEqual(outputs);
  expect(apis[api].segments(request)).toEqual(segments);
});

test.each([
  [
    "anthropic",
    {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
    },
  ],
  [
    "chat",
    {
      error: {
        message:
          "This model's maximum context length is 8 tokens. However, your messages resulted in 9 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "gemini",
    {
      error: {
        code: 400,
        message: "The input token count (9) exceeds the maximum number of tokens allowed (8).",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  [
    "responses",
    {
      error: {
        message:
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    },
  ],
] as const)("%s says in its own words that a request is too long", (api, body) => {
  expect(apis[api].overflow(9, 8)).toEqual({ status: 400, body });
});

test("each API has a name, a model for plans, and a place below an origin", () => {
  expect(Object.values(apis).map(({ name, model, baseUrl }) => [name, model, baseUrl("http://a")])).toEqual([
    ["Anthropic Messages", "anthropic:m", "http://a/v1"],
    ["Chat Completions", "openai-compatible:m", "http://a/v1"],
    ["Gemini", "google:m", "http://a/v1beta"],
    ["Responses", "m", "http://a/v1"],
  ]);
});
