import { expect, test } from "vitest";
import {
  createMemoryStore,
  data,
  RunnerFailure,
  ToolInterrupt,
  type AuditSink,
  type Runner,
  type ToolContext,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { logged } from "../logged-host.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };
const asks = { requiresConfirmation: true };

test("a client's result of a call that needs an approval now is refused", async () => {
  const { host } = world([tool(() => data(0), { execution: "client" })], { store: createMemoryStore() });
  const { ticket } = await host.call({ name: "probe" }, s);
  host.coordinator.hooks.gate("tool:pre", () => ({ action: "ask_user", reason: "look" }));

  expect((await host.resume(ticket!, s, { data: 1 })).result.error).toBe(
    '"probe" was not run: it needs approval now, and the client received it without one; call it again',
  );
});

test("an approver that interrupts rejects the call with the original, and the call has failed", async () => {
  const thrown = new ToolInterrupt("sure?");
  const { host, events } = world([tool(() => data(0), asks)], { approver: () => Promise.reject(thrown) });

  await expect(host.call({ name: "probe" })).rejects.toBe(thrown);
  expect(events.at(-1)!.data).toMatchObject({
    status: "failed",
    error: { code: "INTERRUPTED" },
    phase: "approve",
  });
});

test("a question that another host ended is withdrawn, whatever its approver answers", async () => {
  const store = createMemoryStore();
  const answer = Promise.withResolvers<{ decision: "approve" }>();
  const { host } = world([tool(() => data(0), asks)], { store, approver: () => answer.promise });
  const called = host.call({ name: "probe" }, s);
  await expect.poll(async () => (await store.approvals.list({})).length).toBe(1);
  const [record] = await store.approvals.list({});
  const end = { status: "denied", at: 1, sealed: null } as const;
  await store.approvals.replace({
    ...record!,
    state: "ended",
    end,
    version: record!.version + 1,
  });
  answer.resolve({ decision: "approve" });

  expect((await called).result.error).toBe('"probe" was not run: its question was withdrawn');
});

test("after its end, a call can store no change", async () => {
  let late: ToolContext | undefined;
  const { host } = world([tool((_, context) => ((late = context), data(1)), { undo: () => data(1) })]);
  await host.call({ name: "probe" }, s);
  const ended = { code: "UNAVAILABLE", details: { tool: "probe", reason: "its call has ended" } };

  await expect(late!.undoable!(1)).rejects.toMatchObject(ended);
  await expect(late!.irreversible!("sent")).rejects.toMatchObject(ended);
});

test("a gate may not change what is undone, and an undo makes no calls", async () => {
  const { host } = world([
    tool(async (_, { undoable }) => (await undoable!(1), data(1)), {
      undo: (_, { call }) => call({ name: "probe" }) as never,
    }),
  ]);
  const session = host.session("s");
  await session.call({ name: "probe" });
  expect((await session.undo()).stopped?.outcome).toMatchObject({
    status: "failed",
    result: { code: "TOOL_FAILED" },
  });
  host.coordinator.hooks.gate("tool:pre", () => ({ action: "modify", data: { tool_input: { a: 2 } } }));

  expect((await session.undo()).stopped?.outcome.result.error).toBe(
    '"probe" was not run: a gate would change what is undone',
  );
});

test.each([
  [undefined, "a policy rule"],
  ["r1", "r1"],
])("a question that the rule %s waives is allowed by %s, and approved by no person", async (rule, by) => {
  const store = createMemoryStore({ audit: "durable" });
  const { host } = world([tool(() => data(0), asks)], { store });
  host.coordinator.mount("policies", {
    name: "p",
    prepare: () => () => ({ answer: "allow", waives: "confirmation", ...(rule !== undefined && { rule }) }),
  });
  expect((await host.call({ name: "probe" })).status).toBe("ok");

  const [start] = await store.audit!.read();
  expect(start!.entry).toMatchObject({ kind: "start", allowedBy: by });
  expect(start!.entry).not.toHaveProperty("approvedBy");
});

test("a question of the level that a rule removes is allowed by that rule", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const { host } = world([tool(() => data(0))], { store });
  const answers = [
    { answer: "ask", because: "level", reason: "the level asks" },
    { answer: "allow", rule: "r1" },
  ] as const;
  for (const answer of answers)
    host.coordinator.mount("policies", { name: answer.answer, prepare: () => () => answer });
  expect((await host.call({ name: "probe" })).status).toBe("ok");

  expect((await store.audit!.read())[0]!.entry).toMatchObject({ kind: "start", allowedBy: "r1" });
});

test("a request that cannot be decrypted does not run, and its ticket is invalid", async () => {
  const store = createMemoryStore();
  const { host } = world([tool(() => data(0), asks)], { store });
  const { ticket } = await host.call({ name: "probe" }, s);
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ada");
  const record = (await store.approvals.get(question!.id))!;
  await store.approvals.replace({ ...record, sealed: "AAAA", version: record.version + 1 });

  await expect(host.resume(ticket!, s)).rejects.toMatchObject({ code: "TICKET_INVALID" });
});

test("an argument that the approver took out is named as left out", async () => {
  const { host } = world([tool((given) => data(given), asks)], { store: createMemoryStore() });
  const { ticket } = await host.call({ name: "probe", arguments: { a: 1, b: 2, c: 3 } }, s);
  const [question] = await host.approvals.list();
  await host.approvals.decide(
    question!.id,
    { decision: "approve", arguments: { a: 1, b: 5, d: "x" } },
    "ada",
  );

  expect((await host.resume(ticket!, s)).result).toMatchObject({
    data: { a: 1, b: 5, d: "x" },
    warnings: ['the approver changed the arguments before the call ran: b is 5, c is left out, d is "x"'],
  });
});

test.each([
  ["of the tool", { rate: "1/min" }],
  ["of the host", { rateTotal: "1/min" }],
])("a call that could not begin gives back its rate permit %s", async (_, limits) => {
  const store = createMemoryStore({ audit: "durable" });
  let fails = true;
  const append: AuditSink["append"] = (records) =>
    fails ? Promise.reject(new Error("boom")) : store.audit!.append(records);
  const { host } = world([tool(() => data("ran"))], {
    store: { ...store, audit: { ...store.audit!, append } },
    clock: createFakeClock(),
    limits,
  });
  expect((await host.call({ name: "probe" })).result.error).toBe(
    '"probe" cannot run now: its start could not be written to the audit',
  );
  fails = false;

  expect((await host.call({ name: "probe" })).result.data).toBe("ran");
});

test("a tool that differs from the plan's lock is denied", async () => {
  const { host, mountIn, commit } = logged();
  mountIn("a", tool(), { lockedAs: "sha256-other" });
  await commit();

  expect(await host.call({ name: "probe" })).toMatchObject({
    status: "denied",
    result: { code: "LOCK_DRIFT" },
  });
});

test("a gate that replaces a success by a failure makes the call fail", async () => {
  const { host, events } = world([tool(() => data(1))]);
  host.coordinator.hooks.gate("tool:post", () => ({
    action: "modify",
    data: { tool_result: { error: "not for you", code: "HIDDEN" } },
  }));

  expect(await host.call({ name: "probe" })).toMatchObject({
    status: "failed",
    result: { error: "not for you", code: "HIDDEN" },
  });
  expect(events.at(-1)).toMatchObject({ event: "tool:error", data: { status: "failed" } });
});

test("texts that gates before and after the tool put before the model follow each other", async () => {
  const { host } = world([tool(() => data(1))]);
  for (const event of ["tool:pre", "tool:post"])
    host.coordinator.hooks.gate(event, () => ({ action: "inject_context", contextInjection: event }));
  const { injections } = await host.call({ name: "probe" });

  expect(injections!.map(({ text }) => text)).toEqual(["tool:pre", "tool:post"]);
});

test.each<[unknown, string, string]>([
  [new RunnerFailure("TOOL_FAILED", "the process ended"), "unknown", "OUTCOME_UNKNOWN"],
  [new RunnerFailure("UNAVAILABLE", "no process"), "failed", "UNAVAILABLE"],
  [new Error("odd"), "failed", "TOOL_FAILED"],
])("an undo whose runner fails with %o ends as %s", async (thrown, status, code) => {
  let isUndo = false;
  const runner: Runner = {
    undoes: true,
    async run(_, { definition, undoable }) {
      if (isUndo) throw thrown;
      return definition.execute({}, { undoable } as ToolContext);
    },
  };
  const { host } = world(
    [tool(async (_, { undoable }) => (await undoable!(1), data(1)), { undo: () => data(1) })],
    { runner },
  );
  const session = host.session("s");
  expect((await session.call({ name: "probe" })).status).toBe("ok");
  isUndo = true;

  expect((await session.undo()).stopped?.outcome).toMatchObject({ status, result: { code } });
});

test("a tool knows whether its model wrote the arguments as text", async () => {
  const { host } = world([tool((_, { rawArguments }) => data(rawArguments ?? null))]);
  const call = async (given: unknown) =>
    (await host.call({ name: "probe", arguments: given as never })).result.data;

  expect([await call(' {"a":1} '), await call({ a: 1 }), await call(undefined)]).toEqual([
    ' {"a":1} ',
    null,
    null,
  ]);
});

test("run ids count in base 36, and each is another one", async () => {
  const { host } = world([tool(() => data(1))], {}, "inline", false);
  const ids: string[] = [];
  for (let count = 0; count < 2_700; count++) ids.push((await host.call({ name: "probe" })).runId);
  const [prefix] = ids[0]!.split("-");

  expect(new Set(ids).size).toBe(2_700);
  expect(ids).toEqual(ids.map((_, at) => `${prefix}-${(at + 1).toString(36)}`));
});

test("a sweep that ends a call audits its end once", async () => {
  const clock = createFakeClock();
  const store = createMemoryStore({ audit: "durable" });
  const { host } = world([tool(() => data(0), asks)], { store, clock, approvals: { keepMs: 1_000 } });
  await host.call({ name: "probe" }, s);
  await clock.advance(1_001);
  const kinds = (await store.audit!.read()).map(({ entry }) => entry.kind);

  expect(kinds).toEqual(["pending", "end"]);
});
