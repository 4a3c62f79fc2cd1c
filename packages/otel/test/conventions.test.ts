import type { Meter, MetricOptions } from "@opentelemetry/api";
import type { CallTrace, ModelTrace, TurnTrace } from "@toolmount/core/tracing";
import { createRedactor } from "@toolmount/core/text";
import { expect, test } from "vitest";
import {
  endAttributes,
  endOfRequest,
  endOfTurn,
  startAttributes,
  startOfRequest,
  startOfTurn,
} from "../src/attributes.ts";
import { createCounters } from "../src/counters.ts";
import { formatTraceparent, parseTraceparent } from "../src/traceparent.ts";

// Dashboards and alerts of others are built on these names. Source: OpenTelemetry's semantic conventions for generative AI.

const call = {
  tool: "pay",
  callId: "c",
  runId: "r",
  depth: 0,
  resumed: false,
  info: { description: "Pays." },
} as unknown as CallTrace;
const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 3, reasoningTokens: 4 };
const turn = {
  model: "m",
  server: "localhost:8080",
  sessionId: "s",
  turnId: "t",
  depth: 1,
  resumed: false,
  agent: null,
} as unknown as TurnTrace;
const request = {
  model: "m",
  server: "api.test",
  sessionId: "s",
  turnId: "t",
  stream: true,
  attempt: 1,
} as unknown as ModelTrace;
const failure = { code: "TIMED_OUT", message: "late" };

test("a call has the attributes of the conventions, and ours beside them", () => {
  const start = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "pay",
    "gen_ai.tool.call.id": "c",
    "gen_ai.tool.type": "function",
    "toolmount.run.id": "r",
    "toolmount.depth": 0,
  };
  expect(startAttributes(call)).toEqual(start);
  expect(startAttributes({ ...call, sessionId: "s", parentRunId: "p", resumed: true })).toEqual({
    ...start,
    "gen_ai.conversation.id": "s",
    "toolmount.parent_run.id": "p",
    "toolmount.resumed": true,
  });
  const named = startAttributes({ ...call, sessionId: "s", conversationId: "v" });
  expect(named["gen_ai.conversation.id"]).toBe("v");
});

test("a call that ended says how, and its content only where that is wanted", () => {
  const redact = createRedactor();
  const ended = {
    ...call,
    status: "ok",
    arguments: { to: "ann" },
    result: { data: "paid" },
  } as unknown as CallTrace;
  const end = { "gen_ai.tool.name": "pay", "toolmount.status": "ok", "gen_ai.tool.description": "Pays." };

  expect(endAttributes(ended, false, redact)).toEqual(end);
  expect(endAttributes(ended, true, redact)).toEqual({
    ...end,
    "gen_ai.tool.call.arguments": '{"to":"ann"}',
    "gen_ai.tool.call.result": "paid",
  });
  const failed = { ...ended, status: "failed", phase: "execute", error: failure, result: { error: "late" } };
  expect(endAttributes(failed as unknown as CallTrace, true, redact)).toEqual({
    ...end,
    "toolmount.status": "failed",
    "error.type": "TIMED_OUT",
    "toolmount.phase": "execute",
    "gen_ai.tool.call.arguments": '{"to":"ann"}',
  });
  const unknown = { tool: "gone", phase: "find" } as unknown as CallTrace;
  expect(endAttributes(unknown, true, redact)).toEqual({
    "gen_ai.tool.name": "gone",
    "toolmount.status": "unknown",
  });
});

test("content is cut at 8,192 characters", () => {
  const long = { ...call, result: { data: "x".repeat(9_000) } } as unknown as CallTrace;
  const shown = endAttributes(long, true, createRedactor())["gen_ai.tool.call.result"] as string;
  const exact = { ...call, result: { data: "x".repeat(8_192) } } as unknown as CallTrace;

  expect(shown.length).toBeLessThan(8_300);
  expect(endAttributes(exact, true, createRedactor())["gen_ai.tool.call.result"]).toBe("x".repeat(8_192));
  const more = { ...call, result: { data: "x".repeat(8_193) } } as unknown as CallTrace;
  expect(endAttributes(more, true, createRedactor())["gen_ai.tool.call.result"]).not.toBe("x".repeat(8_193));
});

const where = {
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "m",
  "gen_ai.conversation.id": "s",
  "toolmount.turn.id": "t",
};

test("a turn has the attributes of the conventions, and ours beside them", () => {
  const start = {
    ...where,
    "gen_ai.operation.name": "invoke_agent",
    "server.address": "localhost",
    "server.port": 8080,
    "toolmount.depth": 1,
  };
  expect(startOfTurn(turn)).toEqual(start);
  const agent = { name: "scout", description: "Looks." };
  expect(startOfTurn({ ...turn, agent, parentSessionId: "p", resumed: true })).toEqual({
    ...start,
    "gen_ai.agent.name": "scout",
    "gen_ai.agent.description": "Looks.",
    "toolmount.parent_session.id": "p",
    "toolmount.resumed": true,
  });
  expect(endOfTurn(turn)).toEqual({ "toolmount.status": "failed" });
  expect(endOfTurn({ ...turn, status: "done", iterations: 2, calls: 3, usage, failure })).toEqual({
    "toolmount.status": "done",
    "toolmount.requests": 2,
    "toolmount.calls": 3,
    "gen_ai.usage.input_tokens": 1,
    "gen_ai.usage.output_tokens": 2,
    "gen_ai.usage.cache_read.input_tokens": 3,
    "gen_ai.usage.reasoning.output_tokens": 4,
    "error.type": "TIMED_OUT",
  });
});

test("a request to a model has the attributes of the conventions, and ours beside them", () => {
  const start = {
    ...where,
    "gen_ai.operation.name": "chat",
    "gen_ai.request.stream": true,
    "server.address": "api.test",
    "server.port": 443,
  };
  expect(startOfRequest(request)).toEqual(start);
  const second = { ...request, attempt: 2, temperature: 0.5, maxOutputTokens: 9 } as ModelTrace;
  expect(startOfRequest(second)).toEqual({
    ...start,
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.max_tokens": 9,
    "toolmount.attempt": 2,
  });
  expect(endOfRequest(request)).toEqual({});
  const ended = {
    ...request,
    responseId: "i",
    responseModel: "m2",
    finishReason: "stop",
    firstPieceMs: 1_500,
    failure,
  };
  expect(endOfRequest(ended as unknown as ModelTrace)).toEqual({
    "gen_ai.response.id": "i",
    "gen_ai.response.model": "m2",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.response.time_to_first_chunk": 1.5,
    "error.type": "TIMED_OUT",
  });
  expect(endOfRequest({ ...ended, stream: false })).not.toHaveProperty("gen_ai.response.time_to_first_chunk");
});

/** A meter that keeps what it is asked to make, and what is recorded. */
function fakeMeter() {
  const made: { name: string; options: MetricOptions | undefined }[] = [];
  const recorded: [string, number, unknown][] = [];
  const make = (name: string, options?: MetricOptions) => {
    made.push({ name, options });
    const record = (value: number, attributes: unknown) => void recorded.push([name, value, attributes]);
    return { record, add: record };
  };
  return { meter: { createHistogram: make, createCounter: make } as unknown as Meter, made, recorded };
}

test("instruments have the names, units and bounds of the conventions", () => {
  const { meter, made } = fakeMeter();
  createCounters(() => meter).call(call);
  const doubled = (first: number, factor: number, count: number) =>
    Array.from({ length: count }, (_, at) => Number((first * factor ** at).toFixed(2)));
  const seconds = (description: string) => ({
    description,
    unit: "s",
    valueType: 1,
    advice: { explicitBucketBoundaries: doubled(0.01, 2, 14) },
  });

  expect(made).toEqual([
    {
      name: "gen_ai.execute_tool.duration",
      options: seconds("How long the execution of a tool took, from the call's arrival to its outcome"),
    },
    { name: "gen_ai.invoke_agent.duration", options: seconds("How long a turn of a session took") },
    { name: "gen_ai.client.operation.duration", options: seconds("How long a request to a model took") },
    {
      name: "gen_ai.client.token.usage",
      options: {
        description: "Tokens of a request to a model, in and out",
        unit: "{token}",
        valueType: 0,
        advice: { explicitBucketBoundaries: doubled(1, 4, 14) },
      },
    },
    {
      name: "toolmount.calls",
      options: { description: "Calls by tool and status", unit: "{call}", valueType: 0 },
    },
  ]);
});

test("what ended is recorded in seconds, with who did it and why it failed", () => {
  const { meter, recorded } = fakeMeter();
  const counters = createCounters(() => meter);
  const of = (act: () => void) => {
    recorded.length = 0;
    act();
    return [...recorded];
  };
  const tool = { "gen_ai.tool.name": "pay" };
  const duration = { ...tool, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function" };
  const chat = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "m",
    "server.address": "api.test",
    "server.port": 443,
  };

  expect(
    of(() => counters.call({ ...call, status: "failed", durationMs: 1_500, error: failure } as never)),
  ).toEqual([
    ["toolmount.calls", 1, { ...tool, "toolmount.status": "failed" }],
    ["gen_ai.execute_tool.duration", 1.5, { ...duration, "error.type": "TIMED_OUT" }],
  ]);
  expect(of(() => counters.call({ ...call, status: "pending" } as never))).toEqual([
    ["toolmount.calls", 1, { ...tool, "toolmount.status": "pending" }],
  ]);
  expect(of(() => counters.call({ ...call, info: undefined } as never))).toEqual([
    ["toolmount.calls", 1, { "gen_ai.tool.name": "_OTHER", "toolmount.status": "unknown" }],
    ["gen_ai.execute_tool.duration", 0, { ...duration, "gen_ai.tool.name": "_OTHER" }],
  ]);
  const invoke = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "m",
  };
  expect(of(() => counters.turn(turn))).toEqual([["gen_ai.invoke_agent.duration", 0, invoke]]);
  const named = { ...turn, agent: { name: "scout", description: "" }, durationMs: 250, failure } as TurnTrace;
  expect(of(() => counters.turn(named))).toEqual([
    [
      "gen_ai.invoke_agent.duration",
      0.25,
      { ...invoke, "gen_ai.agent.name": "scout", "error.type": "TIMED_OUT" },
    ],
  ]);
  expect(of(() => counters.request({ ...request, failure }))).toEqual([
    ["gen_ai.client.operation.duration", 0, { ...chat, "error.type": "TIMED_OUT" }],
  ]);
  const answered = { ...request, responseModel: "m2", usage, durationMs: 2_000 } as ModelTrace;
  const response = { ...chat, "gen_ai.response.model": "m2" };
  expect(of(() => counters.request(answered))).toEqual([
    ["gen_ai.client.operation.duration", 2, response],
    ["gen_ai.client.token.usage", 1, { ...response, "gen_ai.token.type": "input" }],
    ["gen_ai.client.token.usage", 2, { ...response, "gen_ai.token.type": "output" }],
  ]);
});

test("a meter that is registered later counts from then on, and instruments are made once for each", () => {
  const [first, second] = [fakeMeter(), fakeMeter()];
  let meter = first.meter;
  const counters = createCounters(() => meter);
  counters.turn(turn);
  counters.turn(turn);
  meter = second.meter;
  counters.turn(turn);

  expect([first.made.length, first.recorded.length]).toEqual([5, 2]);
  expect([second.made.length, second.recorded.length]).toEqual([5, 1]);
});

const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];

test.each([
  [`00-${traceId}-${spanId}-01`, 1],
  [`00-${traceId}-${spanId}-0a`, 10],
  [`cc-${traceId}-${spanId}-00-what.the.future.adds`, 0],
])("the parent %s is read, and written as version 00", (text, traceFlags) => {
  const span = parseTraceparent(text);
  expect(span).toEqual({ traceId, spanId, traceFlags, isRemote: true });
  expect(formatTraceparent(span!)).toBe(`00-${traceId}-${spanId}-${text.slice(53, 55)}`);
});

test.each([
  undefined,
  "",
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  ` 00-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01x`,
])("%j names no parent", (text) => {
  expect(parseTraceparent(text)).toBeNull();
});

test("a span that is not recorded is written as no parent", () => {
  expect(formatTraceparent({ traceId: "0".repeat(32), spanId, traceFlags: 1 })).toBeNull();
});
