import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { call, outputs, response, say, tool, world, type Answer } from "../support/world.ts";

const failure = (status: number, error: object, headers = {}): Answer => ({
  status,
  body: { error },
  headers,
});

test.each([
  [429, { code: "rate_limit_exceeded", message: "slow down" }, "rate_limit", true],
  [429, { code: "insufficient_quota", message: "pay" }, "quota_exceeded", false],
  [401, { code: "invalid_api_key", message: "no" }, "authentication", false],
  [403, { message: "no" }, "access_denied", false],
  [404, { code: "model_not_found", message: "which?" }, "not_found", false],
  [400, { code: "context_length_exceeded", message: "too long" }, "context_length", false],
  [400, { code: "content_filter", message: "no" }, "content_filter", false],
  [400, { message: "what?" }, "invalid_request", false],
  [408, { message: "late" }, "timeout", true],
  [500, { message: "sorry" }, "unavailable", true],
  [503, { message: "sorry" }, "unavailable", true],
])("AMP-N61: status %i with %j is %s", async (status, error, kind, retryable) => {
  const { run, requests, heard } = await world(() => failure(status, error, { "retry-after": "0" }));
  const turn = await run("hello");

  expect(turn).toMatchObject({
    status: "failed",
    error: { code: "PROVIDER_FAILED", details: { kind, retryable, status, model: "m" } },
  });
  expect(requests).toHaveLength(retryable ? 3 : 1);
  const reported = heard.filter(({ event }) => event === "provider:error");
  expect(reported).toHaveLength(requests.length);
  expect(reported[0]!.data).toMatchObject({ kind, retryable, status, delay_multiplier: expect.any(Number) });
});

test("AMP-N61: a server that is not there, one that does not end, and one that speaks otherwise", async () => {
  const gone = await world([], { settings: { baseUrl: "http://127.0.0.1:1/v1", retries: 0 } });
  expect((await gone.run("hello")).error).toMatchObject({ details: { kind: "network", retryable: true } });

  const cut: Answer = { stream: [{ type: "response.created", response: { id: "r" } }] };
  const ended = await world([cut], { settings: { stream: true, retries: 0 } });
  expect((await ended.run("hello")).error).toMatchObject({ details: { kind: "stream" } });

  const slow = await world([{ ...cut, open: true }], {
    settings: { stream: true, retries: 0, budgets: { ms: 50 } },
  });
  expect((await slow.run("hello")).error).toMatchObject({ code: "AGENT_BUDGET_EXHAUSTED" });

  const other = await world([{ body: { choices: [] } }], { settings: { retries: 0 } });
  expect((await other.run("hello")).error).toMatchObject({ details: { kind: "stream" } });
});

test("an answer with an item of thousands of levels is a failure of the model, and the next turn works", async () => {
  const deep = JSON.parse(`${"[".repeat(1_000)}${"]".repeat(1_000)}`) as never;
  const item = { ...say("hi"), extra: deep };
  const { run, reasoner } = await world([response([item]), response([say("again")])], {
    settings: { retries: 0 },
  });
  const turn = await run("hello");
  expect(turn.error).toMatchObject({ code: "PROVIDER_FAILED" });
  expect(turn.error?.message).toContain("nested deeper than 64 levels");

  expect(await run("hello")).toMatchObject({ status: "done", text: "again" });
  expect((await reasoner.show("s")).items.length).toBeGreaterThan(0);
});

test("a request that failed is made again, no call runs twice, and the delay is the server's", async () => {
  let ran = 0;
  const { run, heard, events } = await world(
    [
      response([call("c1", "count")]),
      failure(429, { message: "slow" }, { "retry-after-ms": "3" }),
      failure(502, { message: "oops" }),
      response([say("once")]),
    ],
    { tools: [tool("count", () => ++ran)] },
  );
  const turn = await run("count");

  expect(turn).toMatchObject({ status: "done", text: "once" });
  expect(ran).toBe(1);
  const names = heard.map(({ event }) => event);
  expect(names.filter((name) => name === "provider:retry")).toHaveLength(2);
  expect(heard.find(({ event }) => event === "provider:throttle")!.data).toMatchObject({ delay_ms: 3 });
  expect(events.filter(({ type }) => type === "retry")).toHaveLength(2);
});

test("with store continue only what is new is sent, and everything when the server has forgotten", async () => {
  const { run, requests } = await world(
    [
      response([call("c1", "echo")], { id: "resp_a" }),
      response([say("one")], { id: "resp_b" }),
      failure(400, { code: "previous_response_not_found", message: "gone" }),
      response([say("two")]),
    ],
    { tools: [tool("echo", () => "x")], settings: { store: "continue" } },
  );
  await run("first");
  const turn = await run("second");

  expect(turn.text).toBe("two");
  expect(requests.map((request) => [request["previous_response_id"], request.input.length])).toEqual([
    [undefined, 1],
    ["resp_a", 1],
    ["resp_b", 1],
    [undefined, 5],
  ]);
});

test("reasoning is carried where the server can read it back, and left out where it cannot", async () => {
  const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
  const bare = { type: "reasoning", id: "rs_2", summary: [] };
  const { run, requests } = await world(
    [response([sealed, bare, call("c1", "echo")]), response([say("ok"), sealed]), response([say("ok")])],
    { tools: [tool("echo", () => "x")], settings: { reasoning: { effort: "low", summary: "auto" } } },
  );
  await run("think");
  await run("again");

  expect(requests[0]).toMatchObject({
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    store: false,
  });
  expect(requests[1]!.input.map(({ type }) => type)).toEqual([
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
  ]);
  expect(requests[1]!.input[1]).toEqual(sealed);
  expect(requests[2]!.input.map(({ type }) => type).slice(4)).toEqual(["message", "message"]);
});

test("strict schemas: what can be said strictly is, nulls that mean absence are taken out again", async () => {
  const seen: unknown[] = [];
  const schema = z.strictObject({ city: z.string(), days: z.int().optional() });
  const { run, requests } = await world(
    [response([call("c1", "weather", { city: "Oslo", days: null })]), response([say("cold")])],
    {
      tools: [tool("weather", (params) => void seen.push(params), { schema }), tool("open", () => 1)],
      settings: { strictSchemas: true },
    },
  );
  await run("weather");

  const [open, weather] = requests[0]!.tools!;
  expect(weather).toMatchObject({
    strict: true,
    parameters: {
      required: ["city", "days"],
      properties: { days: { anyOf: [expect.objectContaining({ type: "integer" }), { type: "null" }] } },
    },
  });
  expect(open).toMatchObject({ strict: false });
  expect(seen).toEqual([{ city: "Oslo" }]);
});

test("a long conversation is cut at turns, and a hook may say what is kept instead", async () => {
  const answers = () => response([say("ok")], { usage: { input_tokens: 100, output_tokens: 1 } });
  const { run, requests, host, heard } = await world(answers, {
    settings: { compaction: 50, keepTurns: 1, summary: false },
  });
  await run("one");
  await run("two");
  expect(requests[1]!.input.map(({ content }) => content)).toEqual([
    "[2 older messages, calls and results are left out, since the conversation was too long.]",
    "two",
  ]);
  expect(heard.map(({ event }) => event)).toContain("context:post_compact");

  host.coordinator.hooks.gate("context:pre_compact", () => ({
    action: "modify",
    data: { items: [{ type: "message", role: "user", content: "summary, then: three" }] },
  }));
  await run("three");
  expect(requests[2]!.input.map(({ content }) => content)).toEqual(["summary, then: three"]);
  await run("four");

  const parted = await world(
    (request) =>
      request.input.length === 1
        ? response([call("c", "echo")], { usage: { input_tokens: 100 } })
        : response([say("ok")]),
    {
      tools: [tool("echo", () => "x")],
      settings: { compaction: 50, summary: false },
    },
  );
  parted.host.coordinator.hooks.gate("context:pre_compact", (_, { items }) => ({
    action: "modify",
    data: { items: (items as unknown[]).slice(-1) },
  }));
  expect((await parted.run("keep calls and outputs together")).status).toBe("done");
  expect(outputs(parted.requests[1])).toEqual({ c: "x" });
});

test.each([
  { stream: true, stalled: 'data: {"type":"response.created","response":{"id":"r"}}\n\n' },
  { stream: false, stalled: '{"id":"r","outp' },
])(
  "a server that stalls in the middle of its answer is left after its timeout, streamed $stream",
  async ({ stream, stalled }) => {
    const asked = call("c1", "echo");
    const first: Answer = stream
      ? { stream: [{ type: "response.completed", response: { id: "r", output: [asked] } }] }
      : response([asked]);
    const { run, reasoner } = await world(
      ({ input }) =>
        input.some(({ type }) => type === "function_call_output") ? { stream: stalled, open: true } : first,
      { tools: [tool("echo", () => "x")], settings: { stream, retries: 0, timeout: 5_000 } },
    );

    expect(await run("hello")).toMatchObject({
      status: "failed",
      error: { code: "PROVIDER_FAILED", details: { kind: "timeout", retryable: true } },
    });
    const { items } = await reasoner.show("s");
    expect(items.map(({ type }) => type)).toEqual(["message", "function_call", "function_call_output"]);
  },
);

const delta = JSON.stringify({ type: "response.output_text.delta", delta: "x".repeat(1_000_000) });
const manyKeys = Object.fromEntries(Array.from({ length: 500_000 }, (_, at) => [`k${at}`, at]));
const wideItem = { type: "response.output_item.done", output_index: 0, item: { ...say("hi"), ...manyKeys } };

test.each([
  [`data: ${delta}\n\n`.repeat(70), "a stream is larger than 67108864 bytes"],
  [`data: ${"x".repeat(17_000_000)}`, "a line is longer than 16777216 bytes"],
  [`data: ${JSON.stringify(wideItem)}\n\n`, "an object of more than 20000 members"],
])("a stream beyond every measure is left unread", async (stream, problem) => {
  const { run, requests } = await world(() => ({ stream, open: true }), { settings: { stream: true } });

  expect(await run("hello")).toMatchObject({
    status: "failed",
    error: {
      code: "PROVIDER_FAILED",
      details: { kind: "stream", retryable: false, problem: expect.stringContaining(problem) },
    },
  });
  expect(requests).toHaveLength(1);
});

test.each([
  [{ id: "r", output: [{ ...say("hi"), ...manyKeys }] }, "an object of more than 20000 members"],
  [{ id: "r", output: [say("x".repeat(17_000_000))] }, "a message is larger than 16777216 bytes"],
])("a body beyond every measure is left unread", async (body, problem) => {
  const { run, requests } = await world(() => ({ body }), { settings: { stream: false } });

  expect(await run("hello")).toMatchObject({
    status: "failed",
    error: { details: { kind: "stream", retryable: false, problem: expect.stringContaining(problem) } },
  });
  expect(requests).toHaveLength(1);
});

/** A server that sends these bytes to its caller, and then resets the connection, or ends it. */
async function rawServer(bytes: string, reset: boolean): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => {
      if (bytes === "") socket.resetAndDestroy();
      else if (reset) socket.write(bytes, () => socket.resetAndDestroy());
      else socket.end(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const head = (type: string) => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`;
/** What says how long it is ends early when the connection does. */
const chunked = (type: string, text: string) =>
  head(type).replace("connection: close", "transfer-encoding: chunked") +
  `${text.length.toString(16)}\r\n${text}\r\n`;
const created = 'data: {"type":"response.created","response":{"id":"r"}}\n\n';

test.each([
  { what: "a reset before the answer", bytes: "", reset: true, stream: true, kind: "network" },
  {
    what: "a reset in a stream",
    bytes: chunked("text/event-stream", created),
    reset: true,
    stream: true,
    kind: "network",
  },
  {
    what: "a connection that ends in a body",
    bytes: chunked("application/json", '{"id":"r","outp'),
    reset: false,
    stream: false,
    kind: "network",
  },
  {
    what: "events that are no JSON",
    bytes: `${head("text/event-stream")}data: {oops\n\n`,
    reset: false,
    stream: true,
    kind: "stream",
  },
  {
    what: "a body cut short",
    bytes: `${head("application/json")}{"id":"r","outp`,
    reset: false,
    stream: false,
    kind: "stream",
  },
])("AMP-N61: $what is $kind", async ({ bytes, reset, stream, kind }) => {
  const { run } = await world([], {
    settings: { baseUrl: await rawServer(bytes, reset), stream, retries: 0 },
  });
  expect(await run("hello")).toMatchObject({
    status: "failed",
    error: { code: "PROVIDER_FAILED", details: { kind, retryable: true } },
  });
});

const refusal = { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "I will not" }] };

test.each([
  { what: "a refusal", answers: [[refusal]], incomplete: "refusal", text: "I will not", warning: "refused" },
  { what: "empty, twice", answers: [[], []], incomplete: "empty", text: "", warning: "gave no answer" },
])(
  "an answer that is $what makes the turn incomplete, and a sentence says so",
  async ({ answers, text, incomplete, warning }) => {
    const { run, events } = await world(answers.map((output) => response(output)));

    expect(await run("hello")).toMatchObject({ status: "incomplete", incomplete, text, calls: 0 });
    const warnings = events.flatMap((event) => (event.type === "tool_warning" ? [event.message] : []));
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  },
);

test("an unknown item in an answer is no reason to end the turn", async () => {
  const { run, events } = await world([response([{ type: "novelty" }, say("ok")])]);

  const turn = await run("hello");
  expect(turn).toMatchObject({ status: "done", text: "ok", calls: 0 });
  expect(turn).not.toHaveProperty("incomplete");
  expect(events.filter(({ type }) => type === "tool_warning")).toEqual([]);
});

test.each(
  ["max_output_tokens", "content_filter"].flatMap((reason) => [
    { reason, text: "half", output: [say("half")] },
    { reason, text: "", output: [] },
  ]),
)('an answer cut by $reason after "$text" ends the turn as incomplete', async ({ reason, text, output }) => {
  const more = { status: "incomplete", incomplete_details: { reason } };
  const { run, events, reasoner } = await world([response(output, more)]);
  const turn = await run("hello");

  expect(turn).toMatchObject({ status: "incomplete", incomplete: reason, text, calls: 0 });
  expect(await reasoner.show("s")).toMatchObject({ status: "incomplete" });
  expect(events).toContainEqual({
    type: "tool_warning",
    tool: "",
    message: expect.stringContaining(
      reason === "content_filter" ? "filter of the provider" : "limit of tokens",
    ) as string,
  });
});
