import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { FleetDelivery, FleetEvent, FleetLedger, Json } from "@toolmount/core";
import { openLedger } from "../src/index.ts";
import { startPostgres, type PostgresServer } from "./postgres.ts";

let server: PostgresServer;
let url: string;
let ledger: FleetLedger;
let number = 0;
let runId: string;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.database("fleet");
  ledger = await openLedger(url, { connections: 16 });
});

afterAll(async () => {
  await ledger.close();
  await server.stop();
});

beforeEach(() => {
  runId = `run-${++number}`;
});

const long = 600_000;

interface Fields {
  readonly idempotent?: boolean;
  readonly queue?: string;
  readonly sessionId?: string;
  readonly maxWaiting?: number;
  readonly host?: string;
  readonly identity?: string;
}

function add(fields: Fields = {}): Promise<FleetDelivery | null> {
  const { idempotent = false, queue = "main", sessionId, maxWaiting = 10_000, host = "a", identity } = fields;
  const info = { callId: runId, runId, tool: "probe", depth: 0, ...(sessionId && { sessionId }) };
  const job = { info, arguments: { text: "\u0000 is kept" }, timeoutMs: 1_000, state: {} };
  return ledger.add(
    {
      runId,
      host,
      queue,
      tool: "probe",
      digest: "d1",
      idempotent,
      identity,
      session: sessionId,
      nested: false,
      job,
    },
    maxWaiting,
  );
}

/** One call; null for one that the worker does not get. */
const take = async (id: string, worker: string, digests: readonly string[], leaseMs: number) =>
  (await ledger.take([id], worker, digests, leaseMs))[0] ?? null;

/** Whether the answer counts. */
const answer = async (id: string, worker: string, text: Json) =>
  (await ledger.answer(worker, [{ runId: id, answer: text }])).length === 1;

const expired = async () => (await ledger.expire([], long)).map(({ runId: id }) => id);

test("of many workers that take a call, one gets it, with its arguments", async () => {
  await add();
  await add();
  const takers = Array.from({ length: 50 }, (_, at) => take(runId, `worker-${at}`, ["d1"], long));
  const taken = (await Promise.all(takers)).filter((call) => call !== null);
  expect(taken).toHaveLength(1);
  expect(taken[0]).toMatchObject({ runId, attempt: 1, job: { arguments: { text: "\u0000 is kept" } } });
});

test("workers that take the same calls in other orders share them, and answers that come together count once", async () => {
  const runIds = Array.from({ length: 20 }, (_, at) => `${runId}-${at}`);
  for (runId of runIds) await add();
  const workers = ["a", "b", "c", "d", "e", "f"];
  const orders = [runIds, runIds.toReversed(), runIds.toSorted()];
  const takers = workers.map((name, at) => ledger.take(orders[at % 3]!, name, ["d1"], long));
  const taken = (await Promise.all(takers)).map((calls) => calls.map((call) => call.runId));
  expect(taken.flat().toSorted()).toEqual(runIds.toSorted());

  const answers = orders[1]!.map((id) => ({ runId: id, answer: id, last: ["before it"] }));
  const counted = await Promise.all(workers.map((name) => ledger.answer(name, answers)));
  expect(counted.map((ids) => ids.toSorted())).toEqual(taken.map((ids) => ids.toSorted()));
  const again = await Promise.all(workers.map((name) => ledger.answer(name, answers)));
  expect(again.flat()).toEqual([]);
  for (const [id, end] of await ledger.ends(runIds)) expect(end).toEqual({ kind: "answered", answer: id });
  expect(await ledger.heard("host", new Map(runIds.map((id) => [id, 0])))).toHaveLength(20);
});

test("a worker whose definition of the tool differs does not get the call", async () => {
  await add();
  expect(await take(runId, "old", ["d0"], long)).toBeNull();
  expect(await take(runId, "new", ["d1"], long)).not.toBeNull();
});

test("the first answer ends the call, and only the answer of the worker that has it counts", async () => {
  await add();
  await take(runId, "a", ["d1"], long);
  expect(await answer(runId, "b", "forged")).toBe(false);
  const answers = await Promise.all([1, 2, 3].map((at) => answer(runId, "a", at)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect((await ledger.ends([runId])).get(runId)).toMatchObject({ kind: "answered" });
});

test("a call whose worker is lost is not run again, and its late answer does not count", async () => {
  await add();
  await take(runId, "a", ["d1"], 0);
  expect(await expired()).not.toContain(runId);
  expect(await answer(runId, "a", 1)).toBe(false);
  expect(await ledger.renew([runId], "a", long)).toEqual([]);
  expect(await take(runId, "b", ["d1"], long)).toBeNull();
  expect((await ledger.ends([runId])).get(runId)).toEqual({ kind: "lost" });
});

test("an idempotent call whose worker is lost waits again, for one other worker", async () => {
  await add({ idempotent: true });
  await take(runId, "a", ["d1"], 0);
  const [first, second] = await Promise.all([expired(), expired()]);
  expect([...first, ...second].filter((id) => id === runId)).toHaveLength(1);
  expect(await take(runId, "b", ["d1"], long)).toMatchObject({ attempt: 2 });
  expect(await answer(runId, "a", "late")).toBe(false);
  expect(await answer(runId, "b", "right")).toBe(true);
  expect((await ledger.ends([runId])).get(runId)).toEqual({ kind: "answered", answer: "right" });
});

test("a renewed lease does not expire", async () => {
  await add();
  await take(runId, "a", ["d1"], long);
  expect(await ledger.renew([runId], "a", long)).toEqual([runId]);
  expect(await expired()).not.toContain(runId);
  expect(await answer(runId, "a", 1)).toBe(true);
});

test("a call is withdrawn before a worker takes it, never afterwards", async () => {
  await add();
  const [withdrawn, taken] = await Promise.all([ledger.withdraw(runId), take(runId, "a", ["d1"], long)]);
  expect(withdrawn).toBe(taken === null);
});

test("an end and a cancellation are notified, also after the server restarted", async () => {
  const events: FleetEvent[] = [];
  let wake = () => {};
  const stop = await ledger.watch("a", (event) => {
    events.push(event);
    wake();
  });
  const until = async (kind: FleetEvent["kind"], id: string, again?: () => Promise<unknown>) => {
    while (!events.some((event) => event.kind === kind && event.runId === id)) {
      await again?.();
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (again !== undefined) setImmediate(resolve);
      });
    }
  };
  await add();
  await take(runId, "a", ["d1"], long);
  await ledger.cancel(runId);
  await until("cancelled", runId);
  expect(await ledger.cancelled([runId])).toEqual([runId]);
  await answer(runId, "a", 1);
  await until("ended", runId);

  await server.restart();
  runId = `${runId}-after`;
  // The first query may find a connection of the old server.
  for (;;) {
    const added = await add().then(
      () => true,
      () => false,
    );
    if (added) break;
  }
  await take(runId, "a", ["d1"], long);
  await until("cancelled", runId, () => ledger.cancel(runId));
  await stop();
});

test("depth counts what waits and runs in one queue", async () => {
  expect(await ledger.depth("deep")).toEqual({ waiting: 0, running: 0, oldestMs: 0 });
  await add({ queue: "deep" });
  runId = `${runId}-b`;
  await add({ queue: "deep" });
  await take(runId, "a", ["d1"], long);
  expect(await ledger.depth("deep")).toMatchObject({ waiting: 1, running: 1 });
  await answer(runId, "a", 1);
  expect(await ledger.forget(0)).toBeGreaterThan(0);
  expect((await ledger.ends([runId])).size).toBe(0);
});

const member = (name: string, role: "host" | "worker", group = "") =>
  ({ name, role, queue: "main", group, tools: {}, facts: {} }) as const;

test("a call is adopted from a host that no longer reports, by one other host, with its end", async () => {
  await ledger.report(member("first", "host"), long);
  await add({ host: "first", identity: "same call" });
  await take(runId, "w", ["d1"], long);
  await ledger.say(runId, "host", ["one", "two"]);
  const first = runId;
  runId = `${first}-again`;

  expect(await add({ host: "second", identity: "same call" })).toBeNull();
  expect(await ledger.adopt("same call", "second")).toBe("held");
  await ledger.leave("first");
  expect(await add({ host: "second", identity: "same call" })).toBeNull();
  const adopted = await ledger.adopt("same call", "second");
  expect(adopted).toEqual({ runId: first, said: expect.any(Number) });
  const messages = await ledger.heard("host", new Map([[first, 0]]));
  expect(messages.at(-1)!.number).toBe((adopted as { said: number }).said);

  expect(await answer(first, "w", "result")).toBe(true);
  expect((await ledger.ends([first])).get(first)).toEqual({ kind: "answered", answer: "result" });
  await ledger.collect([first]);
  expect(await ledger.adopt("same call", "third")).toBeNull();
});

test("a call that its host withdrew is not adopted", async () => {
  await add({ host: "ended", identity: "withdrawn call" });
  expect(await ledger.withdraw(runId)).toBe(true);
  expect(await ledger.adopt("withdrawn call", "next")).toBeNull();
});

test("the end of a call that no host collects is forgotten after its time", async () => {
  await add({ host: "ended", identity: "late call" });
  await take(runId, "w", ["d1"], long);
  await answer(runId, "w", 1);
  await ledger.forget(long);
  expect((await ledger.ends([runId])).size).toBe(1);
  await ledger.forget(0);
  expect((await ledger.ends([runId])).size).toBe(0);
});

test("a group without workers is orphaned once", async () => {
  await ledger.report(member("w1", "worker", "old group"), long);
  await ledger.report(member("w2", "worker", "new group"), long);
  expect(await ledger.orphanedGroups("main", 0)).toEqual([]);
  await ledger.leave("w1");
  expect(await ledger.orphanedGroups("main", long)).toEqual([]);
  expect(await ledger.orphanedGroups("main", 0)).toEqual(["old group"]);
  expect(await ledger.orphanedGroups("main", 0)).toEqual([]);
  await ledger.leave("w2");
});
