import { createMemoryStore } from "@toolmount/core";
import { expect, test } from "vitest";
import { tool, world, type Answer, type Request } from "../support/world.ts";

interface Message {
  readonly role: string;
  readonly reasoning_content?: string;
  readonly reasoning_details?: unknown;
  readonly tool_calls?: readonly Readonly<Record<string, unknown>>[];
}

const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const choice = (of: object) => ({
  id: "r",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, ...of }],
});

/** The answers of a server of Chat Completions: whole, or in these chunks. */
const whole = (message: object, reason = "stop"): Answer => ({
  body: {
    ...choice({ message: { role: "assistant", content: null, ...message }, finish_reason: reason }),
    usage,
  },
});
const streamed = (deltas: readonly object[], reason = "stop"): Answer => ({
  stream: [
    ...deltas.map((delta) => choice({ delta, finish_reason: null })),
    { ...choice({ delta: {}, finish_reason: reason }), usage },
  ]
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .join("")
    .concat("data: [DONE]\n\n"),
});

const chat = (answers: Parameters<typeof world>[0], more: Parameters<typeof world>[1] = {}) =>
  world(answers, {
    ...more,
    tools: [tool("look", () => "seen")],
    settings: { model: "openai-compatible:m", apiKey: "k", retries: 0, ...more.settings },
  });
const messagesOf = (request: Request | undefined) =>
  (request as unknown as { messages: readonly Message[] }).messages;
const assistantsOf = (request: Request | undefined) =>
  messagesOf(request).filter(({ role }) => role === "assistant");

const thought = { type: "reasoning.text", text: "I think", format: "f", index: 0 };
const sealed = { type: "reasoning.encrypted", data: "SEALED", id: "c1", format: "f", index: 1 };

test.each([
  [
    "whole",
    false,
    whole(
      {
        reasoning: "I think",
        reasoning_details: [thought, sealed],
        odd: { a: 1 },
        tool_calls: [{ ...call, mark: "m", function: { ...call.function, seal: "s" } }],
      },
      "tool_calls",
    ),
  ],
  [
    "streamed",
    true,
    streamed(
      [
        { role: "assistant", content: "", reasoning: "I ", reasoning_details: [{ ...thought, text: "I " }] },
        { reasoning_details: [{ ...thought, text: "think" }], odd: { a: 1 } },
        { tool_calls: [{ ...call, index: 0, mark: "m", function: { ...call.function, seal: "s" } }] },
        { reasoning_details: [sealed] },
      ],
      "tool_calls",
    ),
  ],
])("unknown members of a message and of a call go back to their server (%s)", async (_, stream, first) => {
  const store = createMemoryStore();
  const last = stream ? streamed([{ content: "done" }]) : whole({ content: "done" });
  const { run, requests } = await chat([first, last], { store, settings: { stream } });
  expect(await run("go")).toMatchObject({ status: "done", text: "done" });
  const [asked] = assistantsOf(requests[1]);
  expect(asked).toMatchObject({
    reasoning_details: [thought, sealed],
    odd: { a: 1 },
    tool_calls: [{ id: "c1", mark: "m", function: { name: "look", arguments: "{}", seal: "s" } }],
  });

  const other = await chat([whole({ content: "hello" })], { store });
  expect(await other.run("and you?")).toMatchObject({ status: "done" });
  expect(JSON.stringify(other.requests)).not.toMatch(/SEALED|odd|mark|seal/);
});

/** A server that refuses a conversation without its reasoning in each message. */
const strict =
  (answers: readonly Answer[]) =>
  (request: Request, at: number): Answer => {
    const isWhole = assistantsOf(request).every((one) => typeof one.reasoning_content === "string");
    const message = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    return isWhole
      ? (answers[at] ?? whole({ content: "ok" }))
      : { status: 400, body: { error: { message } } };
  };

test.each([
  ["whole", false, whole({ reasoning_content: "", tool_calls: [call] }, "tool_calls")],
  [
    "streamed",
    true,
    streamed(
      [{ role: "assistant", reasoning_content: "" }, { tool_calls: [{ ...call, index: 0 }] }],
      "tool_calls",
    ),
  ],
])("an empty reasoning that a server sent goes back to it (%s)", async (_, stream, first) => {
  const last = stream
    ? streamed([{ reasoning_content: "hm", content: "ok" }])
    : whole({ content: "ok", reasoning_content: "hm" });
  const { run, requests } = await chat(strict([first, last, last]), { settings: { stream } });
  expect(await run("one")).toMatchObject({ status: "done" });
  expect(await run("two")).toMatchObject({ status: "done" });
  expect(requests).toHaveLength(3);
});

test("a session of another model continues with a server that wants reasoning in each message, at the price of one refusal", async () => {
  const store = createMemoryStore();
  const first = await chat([whole({ tool_calls: [call] }, "tool_calls"), whole({ content: "ok" })], {
    store,
  });
  await first.run("one");
  const { run, requests } = await chat(strict([]), { store });
  expect(await run("two")).toMatchObject({ status: "done" });
  expect(await run("three")).toMatchObject({ status: "done" });
  expect(requests).toHaveLength(3);
});

test("any other refusal is the server's own", async () => {
  const { run, requests } = await chat([{ status: 400, body: { error: { message: "no" } } }]);
  expect(await run("one")).toMatchObject({ status: "failed", error: { details: { problem: "no" } } });
  expect(requests).toHaveLength(1);
});
