import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { FleetDelivery, FleetEvent, FleetLedger } from "@toolmount/core";
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
}

function add(fields: Fields = {}): Promise<FleetDelivery | null> {
  const { idempotent = false, queue = "main", sessionId, maxWaiting = 10_000 } = fields;
  const info = { callId: runId, runId, tool: "probe", depth: 0, ...(sessionId && { sessionId }) };
  const job = { info, arguments: { text: "\u0000 is kept" }, timeoutMs: 1_000, state: {} };
  return ledger.add({ runId, host: "a", queue, tool: "probe", digest: "d1", idempotent, job }, maxWaiting);
}

const expired = async () => (await ledger.expire([], long)).map(({ runId: id }) => id);

test("of many workers that take a call, one gets it, with its arguments", async () => {
  await add();
  await add();
  const takers = Array.from({ length: 50 }, (_, at) => ledger.take(runId, `worker-${at}`, ["d1"], long));
  const taken = (await Promise.all(takers)).filter((call) => call !== null);
  expect(taken).toHaveLength(1);
  expect(taken[0]).toMatchObject({ runId, attempt: 1, job: { arguments: { text: "\u0000 is kept" } } });
});

test("a worker whose definition of the tool differs does not get the call", async () => {
  await add();
  expect(await ledger.take(runId, "old", ["d0"], long)).toBeNull();
  expect(await ledger.take(runId, "new", ["d1"], long)).not.toBeNull();
});

test("the first answer ends the call, and only the answer of the worker that has it counts", async () => {
  await add();
  await ledger.take(runId, "a", ["d1"], long);
  expect(await ledger.answer(runId, "b", "forged")).toBe(false);
  const answers = await Promise.all([1, 2, 3].map((at) => ledger.answer(runId, "a", at)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect((await ledger.ends([runId])).get(runId)).toMatchObject({ kind: "answered" });
});

test("a call whose worker is lost is not run again, and its late answer does not count", async () => {
  await add();
  await ledger.take(runId, "a", ["d1"], 0);
  expect(await expired()).not.toContain(runId);
  expect(await ledger.answer(runId, "a", 1)).toBe(false);
  expect(await ledger.renew([runId], "a", long)).toEqual([]);
  expect(await ledger.take(runId, "b", ["d1"], long)).toBeNull();
  expect((await ledger.ends([runId])).get(runId)).toEqual({ kind: "lost" });
});

test("an idempotent call whose worker is lost waits again, for one other worker", async () => {
  await add({ idempotent: true });
  await ledger.take(runId, "a", ["d1"], 0);
  const [first, second] = await Promise.all([expired(), expired()]);
  expect([...first, ...second].filter((id) => id === runId)).toHaveLength(1);
  expect(await ledger.take(runId, "b", ["d1"], long)).toMatchObject({ attempt: 2 });
  expect(await ledger.answer(runId, "a", "late")).toBe(false);
  expect(await ledger.answer(runId, "b", "right")).toBe(true);
  expect((await ledger.ends([runId])).get(runId)).toEqual({ kind: "answered", answer: "right" });
});

test("a renewed lease does not expire", async () => {
  await add();
  await ledger.take(runId, "a", ["d1"], long);
  expect(await ledger.renew([runId], "a", long)).toEqual([runId]);
  expect(await expired()).not.toContain(runId);
  expect(await ledger.answer(runId, "a", 1)).toBe(true);
});

test("a call is withdrawn before a worker takes it, never afterwards", async () => {
  await add();
  const [withdrawn, taken] = await Promise.all([
    ledger.withdraw(runId),
    ledger.take(runId, "a", ["d1"], long),
  ]);
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
  await ledger.take(runId, "a", ["d1"], long);
  await ledger.cancel(runId);
  await until("cancelled", runId);
  expect(await ledger.cancelled([runId])).toEqual([runId]);
  await ledger.answer(runId, "a", 1);
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
  await ledger.take(runId, "a", ["d1"], long);
  await until("cancelled", runId, () => ledger.cancel(runId));
  await stop();
});

test("depth counts what waits and runs in one queue", async () => {
  await add({ queue: "deep" });
  runId = `${runId}-b`;
  await add({ queue: "deep" });
  await ledger.take(runId, "a", ["d1"], long);
  expect(await ledger.depth("deep")).toMatchObject({ waiting: 1, running: 1 });
  await ledger.answer(runId, "a", 1);
  expect(await ledger.forget(0)).toBeGreaterThan(0);
  expect((await ledger.ends([runId])).size).toBe(0);
});
