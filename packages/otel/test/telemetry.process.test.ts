import { context, metrics, SpanKind, SpanStatusCode, trace, type SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  failure,
  type HostOptions,
  type ToolContext,
} from "@toolmount/core";
import { traceModel, traceTurn } from "@toolmount/core/tracing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { config, createTelemetry, mount } from "../src/index.ts";
import { meters, readMetrics, spans, tracers } from "./exporters.ts";

function named(name: string, execute: (params: object, context: ToolContext) => unknown, asks = false) {
  return defineTool({
    name,
    description: `Does what ${name} does. Use it in tests.`,
    schema: z.looseObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: asks,
    execute: execute as never,
  });
}

/** A host with the module mounted as a plan would, and one tool that works, one that fails and one that calls. */
async function world(settings: Partial<z.input<typeof config>> = {}, options: HostOptions = {}) {
  const host = createHost(options);
  const draft = host.draft();
  const { coordinator } = draft.addModule({ id: "otel" });
  coordinator.registerCleanup(await mount(coordinator, config.parse(settings)));
  await draft.commit();
  const { coordinator: own } = host;
  own.mount(
    "tools",
    named("echo", (params) => data(params)),
  );
  own.mount(
    "tools",
    named("broken", () => failure("no such city", { code: "CITY_UNKNOWN" })),
  );
  own.mount(
    "tools",
    named("outer", async (_, { call }) => data((await call({ name: "echo" })).status)),
  );
  return host;
}

const found = (name: string): ReadableSpan =>
  spans.getFinishedSpans().find((span) => span.name === name) ?? expect.fail(`no span ${name}`);

async function measured() {
  const all = await readMetrics();
  return (name: string) =>
    all
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints as { attributes: object; value: unknown }[]);
}

describe("the span of a call", () => {
  test("has the name, kind and attributes of the conventions for tool execution", async () => {
    const host = await world();
    const { runId } = await host.call(
      { id: "call_7", name: "echo", arguments: { a: 1 } },
      { sessionId: "s", conversationId: "c" },
    );

    const { kind, status, attributes, ended } = found("execute_tool echo");
    expect({ kind, status, ended }).toEqual({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
      ended: true,
    });
    expect(attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
      "gen_ai.tool.call.id": "call_7",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": "Does what echo does. Use it in tests.",
      "gen_ai.conversation.id": "c",
      "toolmount.run.id": runId,
      "toolmount.depth": 0,
      "toolmount.status": "ok",
    });
  });

  test("of a call that goes wrong says how: error.type is the code", async () => {
    const host = await world();
    await host.call({ name: "broken" });

    const { status, attributes } = found("execute_tool broken");
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: "no such city" });
    expect(attributes).toMatchObject({
      "error.type": "CITY_UNKNOWN",
      "toolmount.status": "failed",
      "toolmount.phase": "shape",
    });
  });

  test("of a tool that is not there has no name of a model's making", async () => {
    const host = await world();
    await host.call({ name: "ech0_42" });

    expect(found("execute_tool").attributes).toMatchObject({
      "gen_ai.tool.name": "ech0_42",
      "error.type": "TOOL_NOT_FOUND",
    });
  });

  test("says cancelled and timed out by their codes", async () => {
    const host = await world();
    host.coordinator.mount("tools", { ...named("slow", () => new Promise(() => {})), timeout: 5 });
    await host.call({ name: "slow" });
    await host.call({ name: "echo" }, { abortSignal: AbortSignal.abort() });

    expect(found("execute_tool slow").attributes["error.type"]).toBe("TIMED_OUT");
    expect(found("execute_tool echo").attributes["error.type"]).toBe("CANCELLED");
  });

  test("of a call that waits for a person is no error, and the call that continues has a span of its own", async () => {
    const host = await world({}, { store: createMemoryStore() });
    host.coordinator.mount(
      "tools",
      named("asking", () => data(1), true),
    );
    const { ticket, runId } = await host.call({ name: "asking" }, { sessionId: "s" });
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, { decision: "approve" }, "ada");
    await host.resume(ticket!, { sessionId: "s" });

    expect(spans.getFinishedSpans().map(({ status, attributes }) => [status.code, attributes])).toMatchObject(
      [
        [SpanStatusCode.UNSET, { "toolmount.status": "pending", "toolmount.run.id": runId }],
        [
          SpanStatusCode.UNSET,
          { "toolmount.status": "ok", "toolmount.run.id": runId, "toolmount.resumed": true },
        ],
      ],
    );
  });
});

describe("what a call may hold", () => {
  test("is not on its span unless asked for", async () => {
    const host = await world();
    await host.call({ name: "echo", arguments: { note: "private" } });

    expect(JSON.stringify(found("execute_tool echo").attributes)).not.toContain("private");
  });

  test("is there when asked for: arguments and result, without secrets by name or value, cut to a length", async () => {
    const host = await world({ content: true, secrets: ["hunter2-hunter2"] });
    const text = JSON.stringify({ note: "use hunter2-hunter2", password: "x", long: "y".repeat(9_000) });
    await host.call({ name: "echo", arguments: text });

    const { attributes } = found("execute_tool echo");
    const [input, result] = ["arguments", "result"].map((which) =>
      String(attributes[`gen_ai.tool.call.${which}`]),
    );
    expect(input).toMatch(
      /^\{"note":"use \[masked\]","password":"\[masked\]","long":"y+… \[\d+ more characters\]$/,
    );
    expect(result).toContain("[masked]");
    expect([input!.length, result!.length].every((length) => length < 8_300)).toBe(true);
  });

  test("is left out where it cannot be read", async () => {
    const host = await world({ content: true });
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    await host.call({ name: "echo", arguments: circle });
    await host.call({ name: "echo", arguments: "{not json, password" });

    expect(
      spans.getFinishedSpans().map(({ attributes }) => attributes["gen_ai.tool.call.arguments"]),
    ).toEqual([undefined, "{not json, password"]);
  });

  test("the text of an error is cut, and holds no known secret", async () => {
    const host = await world({ secrets: ["hunter2-hunter2"] });
    host.coordinator.mount(
      "tools",
      named("leaky", () => failure(`hunter2-hunter2 ${"z".repeat(500)}`)),
    );
    await host.call({ name: "leaky" });

    expect(found("execute_tool leaky").status.message).toMatch(/^\[masked\] z+… \[\d+ more characters\]$/);
  });
});

describe("whose child a call's span is", () => {
  const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId;

  test("of the span that is active where the call is made", async () => {
    const host = await world();
    const turn = tracers.getTracer("test").startSpan("turn");
    await context.with(trace.setSpan(context.active(), turn), () => host.call({ name: "echo" }));

    expect(parentOf(found("execute_tool echo"))).toBe(turn.spanContext().spanId);
  });

  test("of the caller's traceparent, else; in its trace, and as sampled as that is", async () => {
    const host = await world();
    const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    await host.call({ name: "echo" }, { traceparent });

    const span = found("execute_tool echo");
    expect([span.spanContext().traceId, parentOf(span)]).toEqual(["ab".repeat(16), "cd".repeat(8)]);
    await host.call({ name: "broken" }, { traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-00` });
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(["execute_tool echo"]);
  });

  test.each([
    "",
    "junk",
    `00-${"0".repeat(32)}-${"cd".repeat(8)}-01`,
    `ff-${"ab".repeat(16)}-${"cd".repeat(8)}-01`,
  ])("has no parent when the traceparent is %j", async (traceparent) => {
    const host = await world();
    await host.call({ name: "echo" }, { traceparent });
    expect(parentOf(found("execute_tool echo"))).toBeUndefined();
  });

  test("of the active span, when the traceparent is that of the request in which it is active", async () => {
    const host = await world();
    const server = tracers.getTracer("test").startSpan("server");
    const { traceId } = server.spanContext();
    const traceparent = `00-${traceId}-${"cd".repeat(8)}-01`;
    await context.with(trace.setSpan(context.active(), server), () =>
      host.call({ name: "echo" }, { traceparent }),
    );

    expect(parentOf(found("execute_tool echo"))).toBe(server.spanContext().spanId);
  });

  test("of the tool that made the call, though the tool's own work waited in between", async () => {
    const host = await world();
    await host.call({ name: "outer" });

    const outer = found("execute_tool outer").spanContext();
    const inner = found("execute_tool echo");
    expect([inner.spanContext().traceId, parentOf(inner)]).toEqual([outer.traceId, outer.spanId]);
    expect(inner.attributes).toMatchObject({
      "toolmount.depth": 1,
      "toolmount.parent_run.id": expect.any(String),
    });
  });

  test("spans that a tool begins are the children of its own, and it sees that as its traceparent", async () => {
    const host = await world();
    let seen: string | undefined;
    let active: SpanContext | undefined;
    host.coordinator.mount(
      "tools",
      named("working", async (_, { traceparent }) => {
        await Promise.resolve();
        seen = traceparent;
        active = trace.getActiveSpan()?.spanContext();
        tracers.getTracer("test").startSpan("GET").end();
        return data(null);
      }),
    );
    await host.call({ name: "working" });

    const { traceId, spanId } = found("execute_tool working").spanContext();
    expect(parentOf(found("GET"))).toBe(spanId);
    expect(active).toMatchObject({ traceId, spanId });
    expect(seen).toBe(`00-${traceId}-${spanId}-01`);
  });

  test("a call that waited for its turn runs inside its own span, not inside that of the one before", async () => {
    const host = await world({}, { limits: { concurrent: 1 } });
    let go!: () => void;
    let held = true;
    host.coordinator.mount(
      "tools",
      named("one_by_one", async () => {
        if (held) await new Promise<void>((resolve) => (go = resolve));
        held = false;
        tracers.getTracer("test").startSpan("GET").end();
        return data(null);
      }),
    );
    const calls = [1, 2].map(() => host.call({ name: "one_by_one" }));
    go();
    await Promise.all(calls);

    const own = spans.getFinishedSpans().filter(({ name }) => name === "execute_tool one_by_one");
    const made = spans.getFinishedSpans().filter(({ name }) => name === "GET");
    expect(made.map(parentOf)).toEqual(own.map((span) => span.spanContext().spanId));
  });
});

describe("metrics", () => {
  test("count calls by tool and status, and the time of those that are over, in seconds", async () => {
    const host = await world({}, { store: createMemoryStore() });
    host.coordinator.mount(
      "tools",
      named("asking", () => data(1), true),
    );
    await host.call({ name: "echo" });
    await host.call({ name: "echo" });
    await host.call({ name: "broken" });
    await host.call({ name: "made up" });
    await host.call({ name: "asking" }, { sessionId: "s" });

    const metric = await measured();
    expect(metric("toolmount.calls").map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ "gen_ai.tool.name": "echo", "toolmount.status": "ok" }, 2],
      [{ "gen_ai.tool.name": "broken", "toolmount.status": "failed" }, 1],
      [{ "gen_ai.tool.name": "_OTHER", "toolmount.status": "not_found" }, 1],
      [{ "gen_ai.tool.name": "asking", "toolmount.status": "pending" }, 1],
    ]);
    const common = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function" };
    expect(metric("gen_ai.execute_tool.duration")).toMatchObject([
      {
        attributes: { ...common, "gen_ai.tool.name": "echo" },
        value: { count: 2, buckets: { boundaries: expect.arrayContaining([0.01, 81.92]) } },
      },
      {
        attributes: { ...common, "gen_ai.tool.name": "broken", "error.type": "CITY_UNKNOWN" },
        value: { count: 1 },
      },
      {
        attributes: { ...common, "gen_ai.tool.name": "_OTHER", "error.type": "TOOL_NOT_FOUND" },
        value: { count: 1 },
      },
    ]);
  });
});

test("a meter provider that is registered after the module is mounted is found", async () => {
  metrics.disable();
  const host = await world();
  await host.call({ name: "echo" });
  metrics.setGlobalMeterProvider(meters);
  await host.call({ name: "echo" });

  expect((await measured())("toolmount.calls").map(({ value }) => value)).toEqual([1]);
});

test("a turn, its request and its call are one trace, and the turn that continues is in it, linked with the span that resumed it", async () => {
  const host = await world();
  const hostId = host.coordinator.getCapability("host.id")!;
  const ids = { hostId, sessionId: "s", turnId: "t", model: "m", server: "127.0.0.1:81" };
  const usage = { inputTokens: 9, cachedTokens: 1, outputTokens: 5, reasoningTokens: 2 };
  const given = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
  const agent = { name: "helper", description: "Helps." };
  const turn = { ...ids, agent, depth: 0, resumed: false, traceparent: given as string | undefined };
  await traceTurn(turn, async () => {
    const request = { ...ids, stream: false, attempt: 1, traceparent: turn.traceparent };
    await traceModel(request, async () => void Object.assign(request, { usage, finishReason: "stop" }));
    await host.call({ name: "broken" }, { traceparent: turn.traceparent });
    Object.assign(turn, { status: "paused" });
  });
  const later = {
    ...ids,
    agent: null,
    depth: 0,
    resumed: true,
    resumedBy: `00-${"12".repeat(16)}-${"34".repeat(8)}-01`,
    traceparent: turn.traceparent,
  };
  await traceTurn(
    later,
    async () => void Object.assign(later, { failure: { code: "AGENT_BUDGET_EXHAUSTED", message: "spent" } }),
  );

  const [began, asked, called, went] = [
    "invoke_agent helper",
    "chat m",
    "execute_tool broken",
    "invoke_agent",
  ].map(found);
  const parent = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
  const { traceId, spanId } = began!.spanContext();
  expect(traceId).toBe("ab".repeat(16));
  expect([asked, called, went].map((span) => [span!.spanContext().traceId, parent(span)])).toEqual(
    Array.from({ length: 3 }, () => [traceId, spanId]),
  );
  expect(parent(began)).toBe("cd".repeat(8));
  expect(asked!.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.response.finish_reasons": ["stop"],
    "server.address": "127.0.0.1",
    "server.port": 81,
  });
  expect(began!.attributes).toMatchObject({ "gen_ai.agent.name": "helper", "toolmount.status": "paused" });
  expect(went!.attributes["error.type"]).toBe("AGENT_BUDGET_EXHAUSTED");
  expect(went!.links.map((link) => link.context.traceId)).toEqual(["12".repeat(16)]);
  const metric = await measured();
  expect(metric("gen_ai.client.token.usage")).toMatchObject([
    { attributes: { "gen_ai.token.type": "input" } },
    { attributes: { "gen_ai.token.type": "output" } },
  ]);
  expect(metric("gen_ai.invoke_agent.duration")).toHaveLength(2);
});

describe("the module", () => {
  test("sends the calls of its own host only, until it is unmounted", async () => {
    const host = await world();
    const other = createHost();
    other.coordinator.mount(
      "tools",
      named("foreign", () => data(1)),
    );
    await other.call({ name: "foreign" });
    await host.call({ name: "echo" });
    await host.draft().commit();
    host.coordinator.mount(
      "tools",
      named("after", () => data(1)),
    );
    await host.call({ name: "after" });
    await host.close();

    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(["execute_tool echo"]);
  });

  test("without a host it sends the calls of all, and ends the spans of those that run when it stops", async () => {
    const host = createHost();
    host.coordinator.mount(
      "tools",
      named("hanging", () => new Promise(() => {})),
    );
    const telemetry = createTelemetry();
    void host.call({ name: "hanging" });
    telemetry.stop();

    expect(found("execute_tool hanging").ended).toBe(true);
    await host.close({ graceMs: 1 });
  });

  test("costs nothing but itself without OpenTelemetry: calls run as without the module", async () => {
    trace.disable();
    metrics.disable();
    context.disable();
    const host = await world();
    const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    host.coordinator.mount(
      "tools",
      named("seeing", (_, { traceparent: seen }) => data(seen)),
    );

    expect(await host.call({ name: "seeing" }, { traceparent })).toMatchObject({
      status: "ok",
      result: { data: traceparent },
    });
  });
});
