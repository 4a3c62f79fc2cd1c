import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createMemoryStore,
  data,
  failure,
  ToolError,
  type CallContext,
  type CallInfo,
  type HostOptions,
  type PolicyJudge,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const fetchedAt = "2026-01-01T00:00:00.000Z";
const ids = {
  sessionId: "s",
  conversationId: "c",
  turnId: "t",
  userId: "u",
  parallelGroupId: "g",
} satisfies CallContext;
const idFields = {
  session_id: "s",
  conversation_id: "c",
  turn_id: "t",
  user_id: "u",
  parallel_group_id: "g",
};
const outcomeIds = { sessionId: "s", conversationId: "c", turnId: "t", userId: "u" };

/** A host whose clock stands still, with every event of its calls but that of its start. */
function standing(tools: Parameters<typeof world>[0], options: HostOptions = {}) {
  const clock = createFakeClock();
  const made = world(tools, { clock, ...options });
  return { ...made, clock };
}

/** Whole events: no member more, and none that is `undefined`. */
test("a call with every id emits two whole events, and its outcome has those of its caller", async () => {
  const { host, events, clock } = standing([
    tool(async () => {
      await clock.advance(25);
      return data(5);
    }),
  ]);
  const outcome = await host.call({ id: "x", name: "probe", arguments: { a: 1 } }, ids);
  const common = {
    tool_name: "probe",
    tool_call_id: "x",
    run_id: outcome.runId,
    tool_input: { a: 1 },
    timestamp: fetchedAt,
    ...idFields,
  };
  const result = { tool: "probe", fetchedAt, data: 5 };

  expect(outcome).toStrictEqual({
    callId: "x",
    runId: outcome.runId,
    tool: "probe",
    status: "ok",
    result,
    durationMs: 25,
    ...outcomeIds,
  });
  expect(events).toStrictEqual([
    { event: "tool:pre", data: { ...common, decision: "allow" } },
    { event: "tool:post", data: { ...common, tool_result: result, duration_ms: 25 } },
  ]);
  expect(events.every((one) => Object.isFrozen(one.data))).toBe(true);
});

test("a call without a context emits only what it has", async () => {
  const { host, events } = standing([tool(() => failure("no such city", { code: "CITY_UNKNOWN" }))]);
  const { runId } = await host.call({ name: "probe" });
  const common = {
    tool_name: "probe",
    tool_call_id: runId,
    run_id: runId,
    tool_input: {},
    timestamp: fetchedAt,
  };

  expect(events).toStrictEqual([
    { event: "tool:pre", data: { ...common, decision: "allow" } },
    {
      event: "tool:error",
      data: {
        ...common,
        tool_result: { tool: "probe", fetchedAt, error: "no such city", code: "CITY_UNKNOWN" },
        duration_ms: 0,
        status: "failed",
        error: { code: "CITY_UNKNOWN", message: "no such city", type: "ToolmountError" },
        phase: "shape",
      },
    },
  ]);
});

/** How a call ends before its tool runs, or after it. */
describe("tool:error of a call", () => {
  const odd = tool(() => ({ data: 1, more: 2 }), { name: "odd" });
  const plain = tool(() => failure("no"), { name: "plain" });
  const throwing = tool(
    () => {
      throw new ToolError("no money", { code: "MONEY" });
    },
    { name: "throwing" },
  );
  const strict = tool(undefined, { name: "strict", schema: z.strictObject({ a: z.string() }) as never });
  const asking = tool(undefined, { name: "asking", requiresConfirmation: true });
  const gone = new AbortController();
  gone.abort();

  test.each<[string, Parameters<ReturnType<typeof standing>["host"]["call"]>, object]>([
    [
      "of no tool",
      [{ name: "gone" }],
      { status: "not_found", phase: "find", code: "TOOL_NOT_FOUND", input: {} },
    ],
    [
      "with wrong arguments",
      [{ name: "strict", arguments: { a: 1 } }],
      { status: "invalid", phase: "parse", code: "INVALID_ARGUMENTS", input: { a: 1 } },
    ],
    [
      "with a text that is no JSON",
      [{ name: "strict", arguments: "{oops" }],
      { status: "invalid", phase: "parse", code: "INVALID_ARGUMENTS", input: "{oops" },
    ],
    [
      "without an approver",
      [{ name: "asking" }],
      { status: "denied", phase: "approve", code: "DENIED", input: {}, pre: "deny" },
    ],
    [
      "that is cancelled before it runs",
      [{ name: "plain" }, { abortSignal: gone.signal }],
      { status: "cancelled", phase: "decide", code: "CANCELLED", input: {}, pre: "deny" },
    ],
    [
      "whose tool answers without a code",
      [{ name: "plain" }],
      { status: "failed", phase: "shape", code: "TOOL_FAILED", input: {}, pre: "allow" },
    ],
    [
      "whose tool throws",
      [{ name: "throwing" }],
      { status: "failed", phase: "execute", code: "MONEY", input: {}, pre: "allow" },
    ],
    [
      "whose tool breaks the contract",
      [{ name: "odd" }],
      { status: "unknown", phase: "shape", code: "CONTRACT_VIOLATION", input: {}, pre: "allow" },
    ],
  ])("%s", async (_, given, expected) => {
    const { host, events } = standing([odd, plain, throwing, strict, asking]);
    const outcome = await host.call(...given);
    const { pre, ...end } = expected as { pre?: string; status: string };
    const last = events.at(-1)!;
    const error = last.data["error"] as { code: string };

    expect(events.map(({ event, data: payload }) => [event, payload["decision"]])).toEqual([
      ...(pre === undefined ? [] : [["tool:pre", pre]]),
      ["tool:error", undefined],
    ]);
    expect({
      status: last.data["status"],
      phase: last.data["phase"],
      code: error.code,
      input: last.data["tool_input"],
    }).toEqual(end);
    expect(outcome.status).toBe(end.status);
    expect(last.data["tool_name"]).toBe(given[0].name);
  });
});

test("a call that waits emits tool:pending with what it waits for, and no end", async () => {
  const { host, events } = standing(
    [
      tool(() => data(1), { requiresConfirmation: true }),
      tool(() => data(1), { name: "far", execution: "client" }),
    ],
    { store: createMemoryStore() },
  );
  for (const [name, waitsFor] of [
    ["probe", "approval"],
    ["far", "client"],
  ] as const) {
    events.length = 0;
    const outcome = await host.call({ name, id: name, arguments: { a: 1 } }, ids);
    const common = {
      tool_name: name,
      tool_call_id: name,
      run_id: outcome.runId,
      tool_input: { a: 1 },
      timestamp: fetchedAt,
      ...idFields,
    };
    const ofTools = events.filter(({ event }) => event.startsWith("tool:"));

    expect(outcome).toMatchObject({ status: "pending", ...outcomeIds });
    expect(outcome.ticket).toEqual(expect.any(String));
    expect(ofTools).toStrictEqual([
      { event: "tool:pre", data: { ...common, decision: name === "far" ? "allow" : "ask" } },
      { event: "tool:pending", data: { ...common, waits_for: waitsFor } },
    ]);
  }
});

test("the tool, and a call of a tool, know the ids of their call, and the inner call that of the outer", async () => {
  const infos: CallInfo[] = [];
  const { host, events } = standing([
    tool(
      async (_, context) => {
        await context.call({ name: "inner" });
        return data(1);
      },
      { name: "outer", timeout: 1_000 },
    ),
    tool(() => data(2), { name: "inner", timeout: 0 }),
  ]);
  const judge: PolicyJudge = ({ info }) => {
    infos.push(info);
    return null;
  };
  host.coordinator.mount("policies", { name: "watch", prepare: () => judge });
  const traceparent = "00-11111111111111111111111111111111-2222222222222222-01";
  const { runId } = await host.call({ id: "x", name: "outer" }, { ...ids, mode: "plan", traceparent });
  const inner = events.find(({ data: payload }) => payload["tool_name"] === "inner")!.data;

  expect(inner).toStrictEqual({
    tool_name: "inner",
    tool_call_id: inner["tool_call_id"],
    run_id: inner["run_id"],
    tool_input: {},
    timestamp: fetchedAt,
    ...idFields,
    parent_id: runId,
    decision: "allow",
  });
  const known = { ...outcomeIds, parallelGroupId: "g", mode: "plan", traceparent };
  const callId = inner["tool_call_id"];
  expect(infos).toStrictEqual([
    { callId: "x", runId, tool: "outer", depth: 0, ...known },
    { callId, runId: inner["run_id"], tool: "inner", depth: 1, parentRunId: runId, ...known },
  ]);
});
