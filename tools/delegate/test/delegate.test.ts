import { ToolInterrupt, ToolmountError, type Json, type Spawn, type SpawnRequest } from "@toolmount/core";
import { expect, test } from "vitest";
import { config, createDelegate, type DelegateServices } from "../src/index.ts";

const child = (more: object = {}) => ({
  sessionId: "s-1_explorer",
  agent: "explorer",
  turns: 1,
  turn: { status: "done" as const, text: "found it", iterations: 2, calls: 3, ...more },
});

function delegate(spawn: Spawn | null, settings: object = {}, more: Partial<DelegateServices> = {}) {
  const reported: { event: string; data: Readonly<Record<string, Json>> }[] = [];
  const tool = createDelegate(config.parse(settings), {
    spawn,
    resume: spawn,
    agents: [
      { name: "explorer", description: "looks around" },
      { name: "painter", description: "paints" },
    ],
    emit: (event, data) => void reported.push({ event, data }),
    ...more,
  });
  const call = (params: object) =>
    tool.execute(params, { callId: "c1", sessionId: "s", turnId: "t", parallelGroupId: "g" });
  return { tool, call, reported };
}

test("the task goes to the agent, and its answer comes back with the session it can be resumed", async () => {
  const asked: SpawnRequest[] = [];
  const { call, reported } = delegate(async (request) => {
    asked.push(request);
    return child();
  });
  const { data } = await call({
    agent: "explorer",
    instruction: "look",
    context_depth: "recent",
    context_turns: 2,
  });

  expect(data).toEqual({
    response: "found it",
    session_id: "s-1_explorer",
    agent: "explorer",
    turn_count: 1,
    status: "done",
    metadata: { requests: 2, calls: 3, error: null },
  });
  expect(asked).toMatchObject([
    {
      agent: "explorer",
      instruction: "look",
      parentSessionId: "s",
      inherit: { turns: 2 },
      exclude: ["delegate"],
    },
  ]);
  expect(reported).toMatchObject([
    {
      event: "delegate:agent_spawned",
      data: { tool_call_id: "c1", parallel_group_id: "g", agent: "explorer" },
    },
    { event: "delegate:agent_completed", data: { child_session_id: "s-1_explorer", status: "done" } },
  ]);
});

test("a session is resumed by its id, reported nothing before it unless asked", async () => {
  const asked: SpawnRequest[] = [];
  const { call, reported } = delegate(async (request) => {
    asked.push(request);
    return child();
  });
  await call({ session_id: "s-1_explorer", instruction: "more", context_depth: "none" });

  expect(asked).toMatchObject([{ sessionId: "s-1_explorer", agent: undefined, inherit: undefined }]);
  expect(reported[0]!.event).toBe("delegate:agent_resumed");
});

const never: Spawn = () => Promise.reject(new Error("must not be called"));
const off = (feature: string) => ({ features: { [feature]: { enabled: false } } });

test.each([
  [{ instruction: " ", agent: "explorer" }, {}, "INSTRUCTION_EMPTY", "Instruction cannot be empty"],
  [
    { instruction: "x" },
    {},
    "AGENT_REQUIRED",
    "Agent name required for new delegation (or provide session_id to resume)",
  ],
  [
    { instruction: "x", agent: "g".repeat(101) },
    {},
    "AGENT_UNKNOWN",
    `Agent '${"g".repeat(100)}' not found. Available: explorer, painter`,
  ],
  [
    { instruction: "x", agent: "self" },
    off("self_delegation"),
    "SELF_DELEGATION_DISABLED",
    "Self-delegation is disabled",
  ],
  [
    { instruction: "x", session_id: "s" },
    off("session_resume"),
    "SESSION_RESUME_DISABLED",
    "Session resumption is disabled",
  ],
])("%j under %j is refused: %s", async (params, settings, code, error) => {
  expect(await delegate(never, settings).call(params)).toMatchObject({ code, error });
});

test("a host that begins no sessions says so", async () => {
  const { call } = delegate(null);

  expect(await call({ agent: "explorer", instruction: "x" })).toMatchObject({
    code: "SPAWN_UNAVAILABLE",
    error: "Session spawning not available. App layer must register 'session.spawn' capability.",
  });
  expect(await call({ session_id: "s", instruction: "x" })).toMatchObject({
    code: "RESUME_UNAVAILABLE",
    error: "Session resumption not available. App layer must register 'session.resume' capability.",
  });
});

test.each([
  [
    new ToolmountError("SESSION_NOT_FOUND", { session: "s" }),
    "SESSION_UNKNOWN",
    /^Session 's' not found\. May have expired/,
  ],
  [
    new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget: "calls", limit: 3 }),
    "DELEGATION_EXHAUSTED",
    /^Delegation failed: /,
  ],
  [
    new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget: "levels of self-delegation", limit: 3 }),
    "SELF_DELEGATION_DEPTH_EXCEEDED",
    /^Self-delegation depth limit \(3\) exceeded\. Current depth: 3\. Break the recursion by delegating to a named agent or completing the task\.$/,
  ],
  [new ToolmountError("AGENT_NOT_FOUND", { agent: "x", known: [] }), "AGENT_UNKNOWN", /^Delegation failed: /],
  ["no error at all", "DELEGATION_FAILED", /^Agent delegation failed \(unknown\)$/],
  [new ToolmountError("SESSION_CONFLICT", { session: "s", problem: "busy" }), "DELEGATION_FAILED", /busy/],
  [new RangeError("/secret/path"), "DELEGATION_FAILED", /^Agent delegation failed \(RangeError\)$/],
])("%s is reported as %s", async (thrown, code, error) => {
  const { call, reported } = delegate(() => Promise.reject(thrown));

  expect(await call({ session_id: "s", instruction: "x" })).toMatchObject({
    code,
    error: expect.stringMatching(error) as string,
  });
  expect(reported.at(-1)).toMatchObject({ event: "delegate:error", data: { code } });
});

test("a call that waits for its agent waits with it, and reports no error", async () => {
  const interrupt = new ToolInterrupt("which one?");
  const { call, reported } = delegate(() => Promise.reject(interrupt));

  await expect(call({ agent: "explorer", instruction: "x" })).rejects.toBe(interrupt);
  expect(reported.map(({ event }) => event)).toEqual(["delegate:agent_spawned"]);
});

test("a delegation that its caller cancelled is no failure", async () => {
  const caller = new AbortController();
  const { tool, reported } = delegate(async () => {
    caller.abort();
    return child({ status: "cancelled", error: { message: "cancelled by the user" } });
  });
  const { data } = await tool.execute(
    { agent: "explorer", instruction: "x" },
    { callId: "c1", abortSignal: caller.signal },
  );

  expect(data).toMatchObject({ status: "cancelled", metadata: { error: "cancelled by the user" } });
  expect(reported).toMatchObject([
    {
      event: "delegate:agent_spawned",
      data: { session_id: null, turn_id: null, parallel_group_id: null },
    },
    {
      event: "delegate:agent_cancelled",
      data: { agent: "explorer", child_session_id: "s-1_explorer", status: "cancelled" },
    },
  ]);
});

test.each([
  [{}, { turns: 5 }, "conversation"],
  [{ context_depth: "all", context_scope: "full" }, "all", "full"],
  [{ context_depth: "none", context_scope: "agents" }, undefined, "agents"],
  [{ context_turns: 10 }, { turns: 8 }, "conversation"],
])("%j gives the agent %j of the %s", async (given, inherit, scope) => {
  const asked: SpawnRequest[] = [];
  const { call } = delegate(
    async (request) => {
      asked.push(request);
      return child();
    },
    { features: { context_inheritance: { max_turns: 8 }, self_delegation: { max_depth: 2 } } },
  );
  await call({ agent: "self", instruction: "x", ...given });

  expect(asked).toEqual([
    expect.objectContaining({ agent: "self", inherit, scope, maxSelfDepth: 2, parentTurnId: "t" }),
  ]);
});

test("a delegation that takes too long ends, and names the setting", async () => {
  const { call, reported } = delegate(
    (request) =>
      new Promise((resolve) => {
        request.abortSignal!.addEventListener("abort", () => resolve(child({ status: "cancelled" })));
      }),
    { settings: { timeout: 0.01 } },
  );

  expect(await call({ agent: "explorer", instruction: "x" })).toMatchObject({
    code: "DELEGATION_TIMED_OUT",
    error:
      "Agent 'explorer' timed out after 0.01s (delegate tool session-level timeout). Increase or disable the timeout in tool-delegate settings (settings.timeout) to allow longer-running agents. Its session is s-1_explorer.",
  });
  expect(reported.at(-1)).toEqual({
    event: "delegate:error",
    data: {
      tool_call_id: "c1",
      session_id: "s",
      turn_id: "t",
      parallel_group_id: "g",
      agent: "explorer",
      code: "DELEGATION_TIMED_OUT",
    },
  });
});

test("the description names the plan's agents", () => {
  const own = delegate(never, {}, { agents: [] }).tool.description;

  expect(delegate(never).tool.description).toBe(`${own} Agents: explorer (looks around); painter (paints).`);
  expect(own).toMatch(/not for work that one call does\.$/);
});
