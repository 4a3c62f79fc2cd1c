import { expect, test } from "vitest";
import {
  createMemoryStore,
  data,
  type ApprovalRecord,
  type StateStore,
  type ToolContext,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { logged } from "../logged-host.ts";
import { tool } from "../world.ts";

const s = { sessionId: "s", userId: "u" };
const ids = { call_id: "x", session_id: "s", tool: "probe" };
const failed = "the store failed and confirmed nothing; see the host's log, then try again";
const err = expect.objectContaining({
  code: "STORE_FAILED",
  cause: expect.objectContaining({ message: "boom" }) as object,
}) as object;

/** A host whose store of approvals fails where the test says so, with the lines of its log, and a tool that asks. */
function failing(
  execute: (params: object, context: ToolContext) => unknown = () => data("ran"),
  fields: object = {},
) {
  const store = createMemoryStore();
  const clock = createFakeClock();
  const state = { fails: (_: Partial<ApprovalRecord>, __: string): boolean => false };
  const approvals = new Proxy(store.approvals, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...given: unknown[]) => unknown;
      return async (...given: unknown[]) => {
        if (state.fails(given[0] ?? {}, String(name))) throw new Error("boom");
        return Reflect.apply(method, target, given);
      };
    },
  });
  const made = logged({
    store: { ...store, approvals } satisfies StateStore,
    clock,
    approvals: { leaseMs: 15_000, keepMs: 60_000 },
  });
  made.host.coordinator.mount(
    "tools",
    tool(execute as never, { requiresConfirmation: true, timeout: 0, ...fields }),
  );
  made.host.coordinator.mount(
    "tools",
    tool(() => data(0), { name: "free" }),
  );
  made.lines.length = 0;
  const ask = () => made.host.call({ id: "x", name: "probe" }, s);
  const approve = async () => {
    const [question] = await store.approvals.list({});
    await made.host.approvals.decide(question!.id, "approve", "ada");
  };
  return { ...made, store, clock, state, ask, approve };
}

test("a ticket whose delivery cannot be stored is in the log, and the caller has it", async () => {
  const { state, ask, lines, clock, host } = failing();
  state.fails = ({ undeliveredUntil }, name) => name === "replace" && undeliveredUntil === null;
  const { runId, ticket } = await ask();
  await clock.advance(0);

  expect(lines).toEqual([
    ["error", { err, run_id: runId }, "it was not stored that the caller has its ticket"],
  ]);
  expect(await host.resume(ticket!, s)).toMatchObject({ status: "pending" });
});

test("an approval whose use cannot be stored runs nothing, and the call waits again", async () => {
  let ran = 0;
  const { state, ask, approve, lines, host, clock } = failing(() => data(++ran));
  const { runId, ticket } = await ask();
  await approve();
  state.fails = (record) => record.state === "started";
  const outcome = await host.resume(ticket!, s);

  expect([ran, outcome.status, outcome.result.warnings]).toEqual([
    0,
    "pending",
    [
      '"probe" cannot run now: the use of its approval could not be stored; nothing ran, so resume it again later',
    ],
  ]);
  expect(lines).toEqual([
    ["error", { err, ...ids, run_id: runId }, "the use of its approval could not be stored"],
    ["error", { err, run_id: runId }, "the record of a call was not released; its lease expires later"],
  ]);
  state.fails = () => false;
  await clock.advance(14_999);
  expect(await host.resume(ticket!, s)).toMatchObject({ status: "pending" });
  await clock.advance(1);
  expect(await host.resume(ticket!, s)).toMatchObject({ status: "ok", result: { data: 1 } });
});

test("an end that cannot be stored is a warning, and is stored when the store is back", async () => {
  const { state, ask, approve, lines, host, clock, store } = failing();
  const { runId, ticket } = await ask();
  await approve();
  state.fails = (record) => record.state === "ended";
  const outcome = await host.resume(ticket!, s);
  await clock.advance(0);

  expect([outcome.status, outcome.result.data, outcome.result.warnings]).toEqual([
    "ok",
    "ran",
    ["its end is not stored yet; the host tries again"],
  ]);
  expect(clock.keepsAlive).toBe(false);
  await clock.advance(1_000);
  expect(lines).toEqual([
    [
      "error",
      { err, ...ids, run_id: runId },
      "the end of a resumed call could not be stored; the host tries again",
    ],
    ["error", { err, run_id: runId }, "the end of a call is still not stored"],
  ]);
  state.fails = () => false;
  await clock.advance(999);
  expect((await store.approvals.list({}))[0]!.state).toBe("started");
  await clock.advance(1);
  expect((await store.approvals.list({}))[0]!.state).toBe("ended");
  expect(lines).toHaveLength(2);
});

test("a lease that cannot be renewed is in the log, and is tried five times as often", async () => {
  const done = Promise.withResolvers<unknown>();
  const { state, ask, approve, lines, host, clock, store } = failing(() => done.promise);
  const { runId, ticket } = await ask();
  await approve();
  const running = host.resume(ticket!, s);
  await clock.advance(0);
  const { leaseUntil } = (await store.approvals.list({}))[0]!;
  state.fails = (_, name) => name === "replace";
  await clock.advance(4_999);
  expect(lines).toEqual([]);
  await clock.advance(1);
  expect(lines).toEqual([
    ["error", { err, run_id: runId }, "the lease of a call was not renewed; the host tries again"],
  ]);
  await clock.advance(999);
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  expect(lines).toHaveLength(2);
  state.fails = () => false;
  await clock.advance(1_000);
  expect((await store.approvals.list({}))[0]!.leaseUntil).toBe(leaseUntil! + 7_000);
  await clock.advance(4_999);
  expect((await store.approvals.list({}))[0]!.leaseUntil).toBe(leaseUntil! + 7_000);
  await clock.advance(1);
  expect((await store.approvals.list({}))[0]!.leaseUntil).toBe(leaseUntil! + 12_000);
  expect(clock.keepsAlive).toBe(false);
  done.resolve(data(1));
  expect(await running).toMatchObject({ status: "ok" });
});

test("a question that cannot be ended is in the log, and the next ones follow", async () => {
  const { state, ask, lines, clock, host, store } = failing();
  const { runId } = await ask();
  const other = await host.call({ id: "y", name: "probe" }, s);
  state.fails = (record) => record.state === "ended" && record.info?.runId === runId;
  await clock.advance(60_001);

  expect(lines).toEqual([
    ["error", { err, ...ids, run_id: runId }, "the end of a waiting call could not be stored"],
    ["error", { err, run_id: runId }, `a call that waits could not be ended: ${failed}`],
  ]);
  const states = (await store.approvals.list({})).map(({ info, state: now }) => [info.runId, now]);
  expect(Object.fromEntries(states)).toEqual({ [runId]: "pending", [other.runId]: "ended" });
});

test.each([
  ["list", '"probe" cannot run now: the stored state of its session could not be read'],
  ["remembered", '"probe" was not run: its approval could not be stored'],
  ["add", '"probe" was not run: its approval could not be stored'],
])("a store that fails at %s runs nothing", async (method, error) => {
  const { state, ask, lines } = failing();
  state.fails = (_, name) => name === method;
  const { result, runId } = await ask();

  expect(result.error).toBe(error);
  expect(lines).toEqual([
    method === "list"
      ? ["error", { err, run_id: runId }, `a session could not be read: ${failed}`]
      : ["error", { err, ...ids, run_id: runId }, `the store of approvals failed: ${failed}`],
  ]);
});

test("a question that could not be stored ends once, and the host does not try to store its end", async () => {
  const { state, ask, lines, clock, host } = failing();
  const ends: unknown[] = [];
  host.coordinator.hooks.observe("tool:error", (_, { status }) => void ends.push(status));
  state.fails = (_, name) => name === "add";
  const { result } = await ask();
  lines.length = 0;
  await clock.advance(60_000);

  expect([result.warnings, ends, lines]).toEqual([undefined, ["denied"], []]);
  await host.close();
  expect(clock.pending).toBe(0);
});

test("questions of a tool that failed, and that cannot be ended, are in the log", async () => {
  const { state, lines, host, store } = failing();
  host.coordinator.mount(
    "tools",
    tool(
      async (_, { call }) => {
        await call({ name: "probe" });
        return { error: "no" };
      },
      { name: "outer" },
    ),
  );
  lines.length = 0;
  state.fails = ({ state: now }) => now === "denied";
  await host.call({ name: "outer" }, s);
  await host.close();

  expect(lines).toEqual([["error", { err }, "the questions of an ended call stay open"]]);
  expect((await store.approvals.list({})).map(({ state: now }) => now)).toEqual(["pending"]);
});
