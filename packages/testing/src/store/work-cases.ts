import assert from "node:assert/strict";
import type { WorkFilter, WorkRecord } from "@toolmount/core";
import type { StoreCase } from "./store-case.ts";

/** Cases that every `WorkStore` must pass. */
export const workCases: readonly StoreCase[] = [
  {
    title: "of concurrent saves of one version of a piece of work, exactly one succeeds",
    async run([one, other]) {
      const saveAll = (version: number) =>
        Promise.all(
          [1, 2, 3, 4].map((n) => [one, other][n % 2]!.work!.save(work("a", { version, status: `s${n}` }))),
        );
      const first = await saveAll(1);
      const second = await saveAll(2);

      assert.equal(first.filter(Boolean).length, 1);
      assert.equal(second.filter(Boolean).length, 1);
      assert.equal(await one.work!.save(work("a", { version: 4 })), false);
      assert.equal(await one.work!.save(work("missing", { version: 2 })), false);
      const status = `s${second.indexOf(true) + 1}`;
      assert.deepEqual(await other.work!.get("turn", "a"), work("a", { version: 2, status }));
      assert.equal(await other.work!.get("key", "a"), null);
    },
  },
  {
    title: "work is listed by its kind and every filter, newest first, in pages that have each record once",
    async run([one, other]) {
      for (const record of listed) await one.work!.save(record);
      const ids = async (filter: Partial<WorkFilter> = {}) =>
        (await other.work!.list({ kind: "turn", ...filter })).map(({ id }) => id);

      assert.deepEqual(await ids(), ["c", "b2", "b1", "a"]);
      assert.deepEqual(await ids({ scope: "other plan" }), ["a"]);
      assert.deepEqual(await ids({ statuses: ["waiting", "done"] }), ["b2", "b1"]);
      assert.deepEqual(await ids({ sessionId: "s-2" }), ["c"]);
      assert.deepEqual(await ids({ userId: "bob" }), ["b1"]);
      assert.deepEqual(await ids({ dueBy: 50 }), ["b2"]);
      assert.deepEqual(await ids({ limit: 2 }), ["c", "b2"]);
      assert.deepEqual(await ids({ after: { at: 2, id: "b2" } }), ["b1", "a"]);
    },
  },
  {
    title: "work that has ended is removed after its time, and other work is kept",
    async run([one, other]) {
      for (const record of listed) await one.work!.save(record);

      assert.equal(await other.work!.remove("turn", ["waiting", "running"], 3), 2);
      const left = await one.work!.list({ kind: "turn" });
      assert.deepEqual(
        left.map(({ id }) => id),
        ["c", "b1"],
      );
    },
  },
  {
    title: "a counter adds in one step: of two servers that count together, each limit holds exactly",
    async run([one, other]) {
      const take = (n: number, more = {}) =>
        [one, other][n % 2]!.work!.count("calls \u0000 of s", { count: 1, amount: 0, at: n, ...more });
      const taken = await Promise.all(Array.from({ length: 12 }, (_, n) => take(n, { maxCount: 5 })));

      assert.equal(taken.filter(({ isAdded }) => isAdded).length, 5);
      assert.deepEqual(await take(1, { maxCount: 5 }), { isAdded: false, count: 5, amount: 0 });
      assert.deepEqual(await take(2, { count: -1, amount: 1.5 }), { isAdded: true, count: 4, amount: 1.5 });
      assert.deepEqual(await take(3, { maxCount: 5, maxAmount: 1.5 }), {
        isAdded: false,
        count: 4,
        amount: 1.5,
      });
      assert.deepEqual(await take(4, { maxCount: 5, maxAmount: 2 }), {
        isAdded: true,
        count: 5,
        amount: 1.5,
      });
      const run = (n: number, running: Record<string, number>, at = 10) =>
        take(n, { count: 0, running, maxRunning: 2, at }).then(({ isAdded }) => isAdded);
      const begun = await Promise.all([0, 1, 2, 3].map((n) => run(n, { [`r${n}`]: 20 })));
      assert.equal(begun.filter(Boolean).length, 2);
      const first = `r${begun.indexOf(true)}`;
      assert.equal(await run(1, { [first]: 0, next: 20 }), true);
      assert.equal(await run(0, { 'with "a quote': 30 }), false);
      // At this time, both no longer count as running.
      assert.equal(await run(1, { 'with "a quote': 30 }, 20), true);
      const fresh = await other.work!.count("calls of t", { count: 1, amount: 0, maxCount: 5, at: 1 });
      assert.deepEqual(fresh, { isAdded: true, count: 1, amount: 0 });
    },
  },
  {
    title: "a step adds to a second counter, too, also where the first one is full, and never loses one",
    async run([one, other]) {
      const also = { key: "calls like it", count: 1 };
      const take = (n: number) =>
        [one, other][n % 2]!.work!.count("calls of u", { count: 1, amount: 2, maxCount: 3, also, at: n });
      const taken = await Promise.all(Array.from({ length: 8 }, (_, n) => take(n)));
      assert.equal(taken.filter(({ isAdded }) => isAdded).length, 3);
      assert.deepEqual(
        taken.map((state) => state.also!).toSorted((a, b) => a - b),
        [1, 2, 3, 4, 5, 6, 7, 8],
      );
      const running = { r: 20 };
      const asked = { count: 0, amount: 0, running, maxRunning: 1, also: { ...also, count: 0 }, at: 9 };
      assert.deepEqual(await one.work!.count("calls of u", asked), {
        isAdded: true,
        count: 3,
        amount: 6,
        also: 8,
      });
      const like = await other.work!.count(also.key, {
        count: 1,
        amount: 0,
        running: {},
        maxRunning: 0,
        at: 9,
      });
      assert.deepEqual(like, { isAdded: true, count: 9, amount: 0 });
    },
  },
];

const listed: readonly WorkRecord[] = [
  work("a", { at: 1, scope: "other plan" }),
  work("b1", { at: 2, status: "done", userId: "bob" }),
  work("b2", { at: 2, status: "waiting", dueAt: 50 }),
  work("c", { at: 3, sessionId: "s-2", dueAt: 51 }),
  work("k", { kind: "key", at: 4 }),
];

function work(id: string, fields: Partial<WorkRecord> = {}): WorkRecord {
  return {
    kind: "turn",
    id,
    version: 1,
    scope: "plan",
    status: "running",
    sessionId: "s-1",
    userId: "alice",
    at: 1,
    dueAt: null,
    body: { prompt: "żółć \u0000 \ud83d\ude00" },
    ...fields,
  };
}
