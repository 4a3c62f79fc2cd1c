import { allEvents } from "@toolmount/core";
import { expect, test } from "vitest";
import { call, response, say, tool, world, type Answer } from "../support/world.ts";

const thought = { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "I count." }] };

/** An answer that thinks, speaks and calls, piece by piece. */
const streamed: Answer = {
  stream: [
    { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } },
    { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "I " },
    { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "count." },
    { type: "response.output_item.done", output_index: 0, item: thought },
    { type: "response.output_item.added", output_index: 1, item: { ...say(""), content: [] } },
    { type: "response.output_text.delta", output_index: 1, delta: "Let me see" },
    { type: "response.output_item.done", output_index: 1, item: say("Let me see") },
    {
      type: "response.completed",
      response: {
        id: "resp_s",
        model: "m-2",
        status: "completed",
        output: [thought, say("Let me see"), call("c1", "count"), call("c2", "broken")],
        usage: { input_tokens: 100, output_tokens: 5 },
      },
    },
  ],
};

const limited: Answer = {
  status: 429,
  body: { error: { message: "slow down" } },
  headers: { "retry-after-ms": "3" },
};

/** A session of two turns with a retry, a stream, a failed call, a compaction, a fork and an end; what it reported. */
async function reported() {
  const { run, reasoner, host, heard, server } = await world(
    [limited, streamed, { stream: completed("Two.") }, { stream: completed("Bye.") }],
    {
      tools: [
        tool("count", () => 2),
        tool("broken", () => {
          throw new Error("no such thing");
        }),
      ],
      settings: { stream: true, compaction: 50, keepTurns: 1, summary: false },
    },
  );
  const first = await run("count");
  const second = await run("thanks");
  expect([first.status, second.status]).toEqual(["done", "done"]);
  await reasoner.fork(host, "s", "s2");
  await reasoner.leave(host, "s");
  return { heard, turnId: first.turnId, provider: new URL(server.baseUrl).host };
}

function completed(text: string): object[] {
  const { body } = response([say(text)], { usage: { input_tokens: 100, output_tokens: 1 } }) as {
    readonly body: object;
  };
  return [{ type: "response.completed", response: body }];
}

test("each event of sessions, prompts, providers, models and tools is reported with what it speaks of", async () => {
  const { heard, turnId, provider } = await reported();
  const ids = { session_id: "s", turn_id: turnId };
  const asked = { ...ids, provider, model: "m" };
  const answered = { ...ids, provider, model: "m-2", response_id: "resp_s", incomplete: null };
  const rows: Readonly<Record<string, object>> = {
    "session:start": { session_id: "s" },
    "session:resume": { session_id: "s" },
    "session:fork": { session_id: "s2", parent_id: "s" },
    "session:end": { session_id: "s" },
    "prompt:submit": { session_id: "s", prompt: "count" },
    "prompt:complete": { ...ids, status: "done", response: "Two." },
    "execution:start": ids,
    "execution:end": ids,
    "provider:resolve": asked,
    "provider:request": { ...asked, iteration: 1, iterations_remaining: 31, tools: ["broken", "count"] },
    "provider:error": { ...asked, attempt: 1, status: 429, retryable: true, retry_after_ms: 3 },
    "provider:throttle": { ...ids, delay_ms: 3 },
    "provider:retry": { ...ids, attempt: 1, delay_ms: 3 },
    "provider:response": answered,
    "llm:request": { ...asked, request: { item_count: 1, tool_count: 2 } },
    "llm:response": { ...answered, usage: { inputTokens: 100, outputTokens: 5 } },
    "thinking:delta": { ...ids, block_index: 0, delta: "I " },
    "thinking:final": { ...ids, block_index: 0, text: "I count." },
    "content_block:start": { ...ids, block_index: 1, block_type: "message" },
    "content_block:delta": { ...ids, block_index: 1, delta: "Let me see" },
    "content_block:end": { ...ids, block_index: 1, block_type: "message", text: "Let me see" },
    "tool:pre": { ...ids, tool_name: "count", tool_call_id: "c1" },
    "tool:post": { ...ids, tool_name: "count", tool_call_id: "c1", tool_result: { data: 2 } },
    "tool:error": { ...ids, tool_name: "broken", tool_call_id: "c2" },
    "context:pre_compact": ids,
    "orchestrator:complete": { ...ids, status: "done" },
  };
  for (const [event, payload] of Object.entries(rows)) {
    expect(allEvents).toContain(event);
    expect(heard).toContainEqual({ event, data: expect.objectContaining(matching(payload)) as unknown });
  }
});

/** Objects within are held to what is named of them, too. */
function matching(payload: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key,
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? expect.objectContaining(value as object)
        : value,
    ]),
  );
}

test("a compaction is reported: what there was, what was kept, and by whose choice", async () => {
  const answers = () => response([say("ok")], { usage: { input_tokens: 100, output_tokens: 1 } });
  const { run, host, heard } = await world(answers, {
    settings: { compaction: 50, keepTurns: 1, summary: false },
  });
  await run("one");
  const { turnId } = await run("two");
  const of = { session_id: "s", turn_id: turnId };
  const compactions = () => heard.filter(({ event }) => event === "context:compaction");
  expect(compactions().map(({ data }) => data)).toMatchObject([
    { ...of, item_count: 3, kept_count: 2, by: "turns" },
  ]);
  expect(heard.find(({ event }) => event === "context:post_compact")!.data).toMatchObject({
    ...of,
    item_count: 2,
    dropped: 1,
  });

  host.coordinator.hooks.gate("context:pre_compact", () => ({
    action: "modify",
    data: { items: [{ type: "message", role: "user", content: "summary" }] },
  }));
  await run("three");
  expect(compactions().at(-1)!.data).toMatchObject({ kept_count: 1, by: "hook" });
});

test("a call that is answered without its tool is reported: the sequence is whole again", async () => {
  let runs = 0;
  const { run, heard } = await world([response([call("c1", "count"), call("c2", "count")])], {
    tools: [tool("count", () => ++runs)],
    settings: { budgets: { calls: 1 } },
  });
  const { turnId } = await run("count");

  const repaired = heard.filter(({ event }) => event === "provider:tool_sequence_repaired");
  expect(repaired.map(({ data }) => data)).toMatchObject([
    { session_id: "s", turn_id: turnId, tool_call_id: "c2", status: "denied" },
  ]);
  expect(runs).toBe(1);
});

test("each warning of a call's result is an event of the turn, with the tool's name", async () => {
  const warning = { execute: () => ({ data: 1, warnings: ["the list is old", "two lines are absent"] }) };
  const { run, events } = await world([response([call("c1", "count")]), response([say("ok")])], {
    tools: [{ ...tool("count", () => 1), ...warning }],
  });
  await run("count");

  expect(events.filter(({ type }) => type === "tool_warning")).toEqual([
    { type: "tool_warning", tool: "count", message: "the list is old" },
    { type: "tool_warning", tool: "count", message: "two lines are absent" },
  ]);
});
