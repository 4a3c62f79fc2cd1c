import { expect, test } from "vitest";
import {
  createMemoryStore,
  data,
  type ApprovalRecord,
  type ApprovalUse,
  type HostOptions,
  type StateStore,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const s = { sessionId: "s", userId: "u" };
const start = Date.parse("2026-01-01T00:00:00.000Z");

/** A host with a tool that asks and one that runs at the client, over a store, and a clock that stands still. */
function standing(options: HostOptions = {}, store: StateStore = createMemoryStore()) {
  const clock = createFakeClock();
  const tools = [
    tool(() => data("ran"), { name: "asks", requiresConfirmation: true }),
    tool(() => data(0), { name: "far", execution: "client" }),
    tool(() => data(0), { name: "both", execution: "client", requiresConfirmation: true }),
  ];
  const made = world(tools, { store, clock, ...options });
  const records = () => store.approvals.list({});
  const ends = () =>
    made.events
      .filter(({ event }) => event === "tool:error")
      .map(({ data: payload }) => payload["tool_name"]);
  return { ...made, clock, store, records, ends };
}

/** A store that lets another host change a record just before its next replacement for which `when` is true. */
function racedStore(when: (next: ApprovalRecord) => boolean, change: Partial<ApprovalRecord>) {
  const store = createMemoryStore();
  let isOver = false;
  const replace: typeof store.approvals.replace = async (next, ...rest) => {
    if (!isOver && when(next)) {
      isOver = true;
      const [now] = (await store.approvals.list({})).filter(({ id }) => id === next.id);
      await store.approvals.replace({ ...now!, ...change, version: now!.version + 1 }, ...rest);
    }
    return store.approvals.replace(next, ...rest);
  };
  return { ...store, approvals: { ...store.approvals, replace } };
}

test("a host that waits for questions lets its process end, and sweeps them when their time is over", async () => {
  const { host, clock, ends } = standing({ approvals: { keepMs: 1_000 } });
  await host.call({ name: "asks" }, s);
  await clock.advance(0);

  expect([clock.pending > 0, clock.keepsAlive]).toEqual([true, false]);
  await clock.advance(1_000);
  expect(ends()).toEqual([]);
  await clock.advance(1);
  expect(ends()).toEqual(["asks"]);
});

test("of several questions, each ends at its own time", async () => {
  const { host, clock, ends } = standing({ approvals: { keepMs: 1_000 } });
  await host.call({ name: "asks" }, s);
  await clock.advance(500);
  await host.call({ name: "far" }, s);
  await clock.advance(501);
  expect(ends()).toEqual(["asks"]);
  await host.call({ name: "asks" }, s);
  await clock.advance(500);
  expect(ends()).toEqual(["asks", "far"]);
  await clock.advance(500);
  expect(ends()).toEqual(["asks", "far"]);
  await clock.advance(1);
  expect(ends()).toEqual(["asks", "far", "asks"]);
});

test("a question that ends before those that wait is ended first", async () => {
  const { host, clock, ends } = standing({ approvals: { keepMs: 1_000 } });
  await host.call({ name: "far" }, s);
  host.coordinator.hooks.gate("tool:pre", () => ({ action: "ask_user", approvalTimeoutMs: 100 }));
  await host.call({ name: "asks" }, s);
  await clock.advance(100);
  expect(ends()).toEqual([]);
  await clock.advance(1);
  expect(ends()).toEqual(["asks"]);
  await clock.advance(899);
  expect(ends()).toEqual(["asks"]);
  await clock.advance(1);
  expect(ends()).toEqual(["asks", "far"]);
});

test("a question that waits longer than a timer can is not swept before its time", async () => {
  const day = 86_400_000;
  const { host, clock, ends } = standing({ approvals: { keepMs: 60 * day } });
  await host.call({ name: "asks" }, s);
  await clock.advance(59 * day);
  expect(ends()).toEqual([]);
  await clock.advance(day + 1);
  expect(ends()).toEqual(["asks"]);
});

test("a host that closes leaves no timer, and what waits is for the next one", async () => {
  const { host, clock, records } = standing();
  await host.call({ name: "asks" }, s);
  await host.close();

  expect(clock.pending).toBe(0);
  expect((await records()).map(({ state }) => state)).toEqual(["pending"]);
});

test("uses of remembered approvals are written together, one second after the first", async () => {
  const store = createMemoryStore();
  const written: (readonly ApprovalUse[])[] = [];
  const countUses = (uses: readonly ApprovalUse[]) => {
    written.push(uses);
    return store.approvals.countUses(uses);
  };
  const { host, clock } = standing(
    { approver: () => ({ decision: "approve", remember: { scope: "arguments" } }) },
    { ...store, approvals: { ...store.approvals, countUses } },
  );
  const call = (a: number) => host.call({ name: "asks", arguments: { a } }, s);
  for (const a of [1, 2, 1, 2]) await call(a);
  const [one, two] = (await store.approvals.remembered()).map(({ id }) => id);
  await clock.advance(999);
  await call(2);
  await clock.advance(0);
  expect(written).toEqual([]);
  expect(clock.keepsAlive).toBe(false);
  await clock.advance(1);
  expect(written).toEqual([
    [
      { id: one, count: 1, usedAt: start },
      { id: two, count: 2, usedAt: start + 999 },
    ],
  ]);
  await clock.advance(5_000);
  expect(written).toHaveLength(1);
  await call(1);
  await host.close();
  expect(written.slice(1)).toEqual([[{ id: one, count: 1, usedAt: start + 6_000 }]]);
  expect(clock.pending).toBe(0);
});

test.each<[Partial<ApprovalRecord>, string]>([
  [{ state: "denied" }, '"both" cannot run now: the call could not be stored for the client'],
  [{ state: "suspended" }, '"both" cannot run now: the call could not be stored for the client'],
  [{ state: "approved" }, ""],
])("an approved call that is handed to the client while another host makes it %j", async (change, error) => {
  const { host, records } = standing(
    {},
    racedStore(({ state }) => state === "handed", change),
  );
  const asked = await host.call({ name: "both" }, s);
  const [question] = await records();
  await host.approvals.decide(question!.id, "approve", "bob");
  const outcome = await host.resume(asked.ticket!, s);

  if (error !== "") return expect([outcome.status, outcome.result.error]).toEqual(["failed", error]);
  expect(outcome).toMatchObject({
    status: "pending",
    result: { details: { waitsFor: "client", arguments: {} } },
  });
  expect(await records()).toMatchObject([
    { state: "handed", leaseUntil: null, expiresAt: start + 604_800_000 },
  ]);
});

test("a call for the client waits a week from when it is handed out, and needs a store", async () => {
  const { host, clock, records, ends } = standing();
  await host.call({ name: "far", arguments: { a: 1 } }, s);
  expect(await records()).toMatchObject([{ state: "handed", expiresAt: start + 604_800_000, client: true }]);
  await clock.advance(604_800_001);
  expect(ends()).toEqual(["far"]);
  const { host: without } = world([tool(() => data(0), { execution: "client" })]);

  expect((await without.call({ name: "probe" })).result.error).toBe(
    '"probe" cannot run now: it runs at the client, and this host has no store in which it can wait',
  );
});

test("a store that a module mounts serves, and one that the application gave goes before it", async () => {
  const [own, mounted] = [createMemoryStore(), createMemoryStore()];
  const { host } = world([tool(() => data(0), { requiresConfirmation: true })]);
  host.coordinator.mount("approval-store", mounted.approvals);
  await host.call({ name: "probe" }, s);
  expect(await mounted.approvals.list({})).toHaveLength(1);
  const given = standing({}, own);

  expect(() => given.host.coordinator.mount("approval-store", mounted.approvals)).not.toThrow();
  await given.host.call({ name: "asks" }, s);
  expect([(await own.approvals.list({})).length, (await mounted.approvals.list({})).length]).toEqual([1, 1]);
});
