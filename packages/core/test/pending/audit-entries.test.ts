import { expect, test } from "vitest";
import {
  createMemoryStore,
  data,
  failure,
  silentLogger,
  type AuditEntry,
  type AuditSink,
  type CallContext,
  type HostOptions,
  type StateStore,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const at = Date.parse("2026-01-01T00:00:00.000Z");
const ids = { sessionId: "s", conversationId: "c", turnId: "t", userId: "u" } satisfies CallContext;
const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;

/** A host with a durable audit, whose clock stands still; and the entries that were written, as JSON has them. */
function audited(
  tools: Parameters<typeof world>[0],
  options: HostOptions = {},
  sink: Partial<AuditSink> = {},
) {
  const store = createMemoryStore({ audit: "durable" });
  const clock = createFakeClock();
  const audit = { ...store.audit!, ...sink };
  const made = world(tools, { store: { ...store, audit } satisfies StateStore, clock, ...options });
  const entries = async (): Promise<AuditEntry[]> =>
    JSON.parse(JSON.stringify((await store.audit!.read()).map(({ entry }) => entry))) as AuditEntry[];
  return { ...made, clock, entries, store };
}

test("the start and the end of a call are whole entries, with every id of its caller", async () => {
  const { host, entries, clock } = audited([
    tool(async () => {
      await clock.advance(7);
      return data({ ok: 1 });
    }),
  ]);
  const { runId } = await host.call({ id: "x", name: "probe", arguments: { a: 1 } }, ids);
  const common = { runId, callId: "x", tool: "probe", depth: 0, ...ids };

  expect(await entries()).toStrictEqual([
    { kind: "start", at, ...common, arguments: { a: 1 }, argumentsDigest: digest },
    { kind: "end", at: at + 7, ...common, status: "ok", durationMs: 7, result: { ok: 1 } },
  ]);
});

test("the end of a call that did not begin has its arguments, its code and the hop in which it ended", async () => {
  const { host, entries } = audited([tool(undefined, { requiresConfirmation: true })], {
    approver: () => ({ decision: "deny", by: "ada", reason: "not now" }),
  });
  const { runId } = await host.call({ name: "probe", arguments: { a: 1 } });
  const gone = await host.call({ name: "x".repeat(300) });
  const common = { kind: "end", at, depth: 0, durationMs: 0 };

  expect(await entries()).toStrictEqual([
    {
      ...common,
      runId,
      callId: runId,
      tool: "probe",
      arguments: { a: 1 },
      argumentsDigest: digest,
      status: "denied",
      code: "DENIED",
      error: '"probe" was not run: not now',
      phase: "approve",
      asked: [{ source: "confirmation", rule: null }],
      by: "ada",
    },
    {
      ...common,
      runId: gone.runId,
      callId: gone.runId,
      tool: "x".repeat(200),
      status: "not_found",
      code: "TOOL_NOT_FOUND",
      error: `no tool named "${"x".repeat(200)}" is mounted`,
      phase: "find",
    },
  ]);
});

test("long arguments, results and errors are cut, and secrets masked, also in what is cut", async () => {
  const long = "x".repeat(5_000);
  const { host, entries } = audited([
    tool(({ fail }) => (fail === true ? failure(long) : data({ password: "hunter2", text: long }))),
  ]);
  const exact = "y".repeat(4_096 - '{"a":""}'.length);
  for (const given of [{ a: exact }, { a: `${exact}y` }, { fail: true, password: "hunter2" }])
    await host.call({ name: "probe", arguments: given });
  const [first, end, second, , third, failed] = await entries();

  expect(first!.arguments).toEqual({ a: exact });
  expect(second!.arguments).toBe(`{"a":"${exact}y"`);
  expect(third!.arguments).toEqual({ fail: true, password: "[masked]" });
  expect(end).toMatchObject({
    resultText: `{"password":"[masked]","text":"${"x".repeat(4_096 - 31)}`,
    resultLength: JSON.stringify({ password: "[masked]", text: long }).length,
  });
  expect(end).not.toHaveProperty("result");
  expect(failed).toMatchObject({ error: "x".repeat(4_096), phase: "shape" });
  expect(failed).not.toHaveProperty("code");
});

test("what a result leaves out is in the audit beside the result", async () => {
  const omitted = [{ what: "binary files", amount: "2 files", why: "they hold a NUL", how: "grep -a" }];
  const { host, entries } = audited([tool(() => data("x", { omitted }))]);
  await host.call({ name: "probe" });
  const [, end] = await entries();

  expect(end).toMatchObject({ result: "x", omitted });
});

test("an audit that keeps no results has none, and calls of tools have that of their caller", async () => {
  const tools = [
    tool(async (_, context) => data((await context.call({ name: "inner", arguments: { b: 1 } })).status), {
      name: "outer",
    }),
    tool(() => data("inside"), { name: "inner" }),
  ];
  const { host, entries } = audited(tools, {}, { keepsResults: false });
  const { runId } = await host.call({ id: "x", name: "outer" }, ids);
  const written = await entries();
  const inner = written.filter((entry) => entry.tool === "inner");

  expect(written.map(({ kind, tool: name }) => [kind, name])).toEqual([
    ["start", "outer"],
    ["start", "inner"],
    ["end", "inner"],
    ["end", "outer"],
  ]);
  expect(written.some((entry) => "result" in entry)).toBe(false);
  expect(inner[0]).toStrictEqual({
    kind: "start",
    at,
    runId: inner[0]!.runId,
    callId: inner[0]!.callId,
    tool: "inner",
    depth: 1,
    ...ids,
    parentRunId: runId,
    arguments: { b: 1 },
    argumentsDigest: digest,
  });
});

test("a call that waits has an entry that says so, and its start names who approved it", async () => {
  const { host, entries } = audited([tool(() => data(1), { requiresConfirmation: true })]);
  const { runId, ticket } = await host.call({ id: "x", name: "probe", arguments: { a: 1 } }, ids);
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "bob");
  await host.resume(ticket!, ids);
  const common = { at, runId, callId: "x", tool: "probe", depth: 0, ...ids };
  const asked = [{ source: "confirmation", rule: null }];

  expect(await entries()).toStrictEqual([
    {
      kind: "pending",
      ...common,
      arguments: { a: 1 },
      argumentsDigest: digest,
      status: "pending",
      durationMs: 0,
      code: "PENDING",
      error: 'waiting for a person to approve "probe"',
      phase: "approve",
      asked,
    },
    { kind: "decision", at, runId, tool: "probe", decision: "approve", by: "bob" },
    {
      kind: "start",
      ...common,
      arguments: { a: 1 },
      argumentsDigest: digest,
      approvedBy: "bob",
      grant: { scope: "call", at },
    },
    { kind: "end", ...common, status: "ok", durationMs: 0, result: 1, asked },
  ]);
});

test.each(["start", "end"] as const)(
  "where the %s cannot be written, the caller reads it",
  async (failing) => {
    const store = createMemoryStore({ audit: "durable" });
    const audit: AuditSink = {
      ...store.audit!,
      append: (records) =>
        records.some(({ entry }) => entry.kind === failing)
          ? Promise.reject(new Error("no disk"))
          : store.audit!.append(records),
    };
    let ran = 0;
    const { host } = world([tool(() => data(++ran))], { store: { ...store, audit } });
    const { status, result } = await host.call({ name: "probe" });

    expect(ran).toBe(failing === "start" ? 0 : 1);
    expect([status, result.error, result.warnings]).toEqual(
      failing === "start"
        ? ["failed", '"probe" cannot run now: its start could not be written to the audit', undefined]
        : ["ok", undefined, ["its end could not be written to the audit"]],
    );
  },
);

test.each(["batched", "durable"] as const)(
  "a decision is in a %s audit when the approver reads that it counts",
  async (mode) => {
    const store = createMemoryStore({ audit: mode });
    const { host } = world([tool(undefined, { requiresConfirmation: true })], {
      store,
      clock: createFakeClock(),
    });
    await host.call({ name: "probe" });
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "approve", "ada");

    const entries = (await store.audit!.read()).map(({ entry }) => entry);
    expect(entries.at(-1)).toMatchObject({ kind: "decision", decision: "approve", by: "ada" });
  },
);

test("a decision counts whose audit cannot be written, and the log says so", async () => {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, error: (...line: unknown[]) => void logged.push(line.at(-1)) };
  const append = () => Promise.reject(new Error("disk full"));
  const { host } = audited([tool(undefined, { requiresConfirmation: true })], { logger }, { append });
  await host.call({ name: "probe" });
  const [question] = await host.approvals.list();

  expect((await host.approvals.decide(question!.id, "approve", "ada")).state).toBe("approved");
  expect(logged).toContain("the audit could not be written");
});
