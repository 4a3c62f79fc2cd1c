import { expect, test } from "vitest";
import { ModelError } from "../../src/provider/model-error.ts";
import { readStream } from "../../src/provider/stream.ts";

const place = { provider: "models.example:8080", model: "m" };
const usage = { requests: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** The parts of an answer whose events are these; the failure where it has failed. */
async function read(...events: readonly unknown[]) {
  const parts: unknown[] = [];
  try {
    for await (const part of readStream(
      (async function* () {
        yield* events;
      })(),
      place,
    ))
      parts.push(part);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { kind, problem, providerCode } = error.failure;
    parts.push({ kind, problem, ...(providerCode !== undefined && { providerCode }) });
  }
  return parts;
}

const done = (response: object = {}) => ({ type: "response.completed", response });
const finish = (items: readonly object[], more: object = {}) => ({
  type: "finish",
  responseId: null,
  model: "m",
  items,
  usage,
  incomplete: null,
  ...more,
});
const item = (at: number, given: unknown) => ({
  type: "response.output_item.done",
  output_index: at,
  item: given,
});
const message = { type: "message", role: "assistant", content: [] };
const call = (more: object = {}) => ({ type: "function_call", call_id: "c", name: "t", ...more });

test.each<[string, readonly unknown[], readonly unknown[]]>([
  [
    "the final event has the name that realtime servers give it",
    [item(0, message), { type: "response.done", response: {} }],
    [{ type: "item", index: 0, item: message }, finish([message])],
  ],
  [
    "text comes in pieces only",
    [
      { type: "response.output_text.delta", output_index: 0, delta: "hello " },
      { type: "response.output_text.delta", output_index: 0, delta: "there" },
      item(1, call({ arguments: "{}" })),
      done(),
    ],
    [
      { type: "text", index: 0, text: "hello " },
      { type: "text", index: 0, text: "there" },
      { type: "item", index: 1, item: call({ arguments: "{}" }) },
      finish([{ type: "message", role: "assistant", content: "hello there" }, call({ arguments: "{}" })]),
    ],
  ],
  [
    "an item begins, has text and reasoning, and is done",
    [
      { type: "response.output_item.added", output_index: 1, item: { type: "message" } },
      { type: "response.output_text.delta", output_index: 1, delta: "a" },
      { type: "response.refusal.delta", delta: "no" },
      { type: "response.reasoning_summary_text.delta", output_index: 2, delta: "s" },
      { type: "response.reasoning_text.delta", output_index: 2, delta: 7 },
      item(1, message),
      done(),
    ],
    [
      { type: "begin", index: 1, kind: "message" },
      { type: "text", index: 1, text: "a" },
      { type: "text", index: 0, text: "no" },
      { type: "reasoning", index: 2, text: "s" },
      { type: "reasoning", index: 2, text: "" },
      { type: "item", index: 1, item: message },
      finish([message]),
    ],
  ],
  [
    "what is no event, and what is not known, has no part",
    [
      7,
      null,
      "text",
      { type: 7 },
      { type: "response.other" },
      { type: "response.output_item.added", item: "odd" },
      item(0, "odd"),
      done(),
    ],
    [finish([])],
  ],
  [
    "items are in the order of their places, and those of the final event are used where it has all",
    [item(1, call()), item(0, message), done({ output: [message] })],
    [
      { type: "item", index: 1, item: call() },
      { type: "item", index: 0, item: message },
      finish([message, call({ arguments: "null" })]),
    ],
  ],
  [
    "the final event repeats the answer",
    [item(0, message), done({ output: [{ ...message, id: "final" }, "odd"] })],
    [{ type: "item", index: 0, item: message }, finish([{ ...message, id: "final" }])],
  ],
  [
    "arguments of a call that come in an event of their own, or with the item, fill those that the final event lacks",
    [
      { type: "response.function_call_arguments.done", output_index: 1, arguments: '{"b":1}' },
      item(0, call({ arguments: '{"a":1}' })),
      done({ output: [call(), call(), call({ arguments: "" })] }),
    ],
    [
      { type: "item", index: 0, item: call({ arguments: '{"a":1}' }) },
      finish([call({ arguments: '{"a":1}' }), call({ arguments: '{"b":1}' }), call({ arguments: "" })]),
    ],
  ],
  [
    "events after the final one are not read",
    [done({ id: "r" }), { type: "error", message: "late" }],
    [finish([], { responseId: "r" })],
  ],
  [
    "an answer may be cut",
    [
      {
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason: "length" } },
      },
    ],
    [finish([], { incomplete: "length" })],
  ],
  [
    "an answer may fail",
    [{ type: "response.failed", response: { status: "failed", error: { message: "down" } } }],
    [{ kind: "stream", problem: "down" }],
  ],
  ["a final event may have no response", [{ type: "response.completed", response: "odd" }], [finish([])]],
  [
    "a stream may end early",
    [item(0, message)],
    [
      { type: "item", index: 0, item: message },
      { kind: "stream", problem: "the stream ended before the answer did" },
    ],
  ],
  [
    "an error has its words and code, around it or in it",
    [{ type: "error", code: "rate_limit_exceeded", message: "slow" }],
    [{ kind: "rate_limit", problem: "slow", providerCode: "rate_limit_exceeded" }],
  ],
  [
    "an error may be inside",
    [{ type: "error", error: { code: "server_error", message: "down" } }],
    [{ kind: "unavailable", problem: "down", providerCode: "server_error" }],
  ],
  [
    "an error may say nothing",
    [{ type: "error", code: 7, message: 7 }],
    [{ kind: "stream", problem: "the server ended the stream with an error" }],
  ],
])("%s", async (_, events, parts) => {
  expect(await read(...events)).toEqual(parts);
});
