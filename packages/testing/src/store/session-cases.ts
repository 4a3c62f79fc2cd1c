import assert from "node:assert/strict";
import type { Json, SessionRecord } from "@toolmount/core";
import { callsLogOf, changesLogOf, innerLogOf, resultsLogOf, ticketsLogOf } from "@toolmount/core/sessions";
import type { StoreCase } from "./store-case.ts";

/** Cases that every `SessionStore` must pass. */
export const sessionCases: readonly StoreCase[] = [
  {
    title: "of concurrent saves of one version of a session, exactly one succeeds",
    async run([one, other]) {
      const saveAll = (version: number) =>
        Promise.all([1, 2, 3, 4].map((n) => [one, other][n % 2]!.sessions.save(session(version, n))));
      const first = await saveAll(1);
      const second = await saveAll(2);

      assert.equal(first.filter(Boolean).length, 1);
      assert.equal(second.filter(Boolean).length, 1);
      assert.equal(await one.sessions.save(session(4, 9)), false);
      assert.deepEqual(await other.sessions.load("s"), session(2, second.indexOf(true) + 1));
      assert.equal(await other.sessions.load("missing"), null);
    },
  },
  {
    title: "sessions are listed with the newest change first, all or those of a parent",
    async run([one, other]) {
      await one.sessions.save(session(1, 1));
      await one.sessions.save({ ...session(1, 99), id: "newer", parentId: null });

      assert.deepEqual(
        (await other.sessions.list()).map(({ id }) => id),
        ["newer", "s"],
      );
      assert.deepEqual(
        (await other.sessions.list({ parentId: "p", limit: 5 })).map(({ id }) => id),
        ["s"],
      );
    },
  },
  {
    title: "an append to a session's log succeeds completely or not at all, and each place is used once",
    async run([one, other]) {
      const { sessions } = one;
      assert.equal(await sessions.append("s", 0, ["a", { b: 1 }]), true);
      assert.equal(await sessions.append("s", 1, ["late"]), false);
      const tries = await Promise.all(
        [1, 2, 3, 4].map((n) => [one, other][n % 2]!.sessions.append("s", 2, [n, n])),
      );
      const n = tries.indexOf(true) + 1;

      assert.equal(tries.filter(Boolean).length, 1);
      const log = ["a", { b: 1 }, n, n].map((entry, at) => ({ sequence: at + 1, entry }));
      assert.deepEqual(await other.sessions.entries("s"), log);
      assert.deepEqual(await sessions.entries("s", { after: 1, limit: 1 }), [log[1]]);
    },
  },
  {
    title: "state is stored by key, whatever characters session and key have",
    async run([one, other]) {
      const odd = "a\ud800";
      const first: readonly [string, Json][] = [
        ["__proto__", { x: 1 }],
        ["k\u0000", "v\u0000\ud801"],
      ];
      await one.sessions.writeState(odd, new Map<string, Json>([...first, ["old", 1]]));
      await one.sessions.writeState("a\ud801", new Map([["k", null]]));
      const changes: readonly [string, Json | undefined][] = [
        ["old", undefined],
        ["new", [1]],
      ];
      await other.sessions.writeState(odd, new Map(changes));

      assert.deepEqual(await one.sessions.readState(odd), new Map<string, Json>([...first, ["new", [1]]]));
      assert.deepEqual(await other.sessions.readState("a\ud801"), new Map([["k", null]]));
      assert.deepEqual(await one.sessions.readState("missing"), new Map());
    },
  },
  {
    title: "a log that is trimmed keeps its newest entries, with their numbers, and continues",
    async run([one, other]) {
      await one.sessions.append("s", 0, ["a", "b", "c"]);
      await one.sessions.append("t", 0, ["a"]);
      if (one.sessions.trim === undefined) return;
      await other.sessions.trim!("s", 3);

      assert.deepEqual(await one.sessions.entries("s"), [{ sequence: 3, entry: "c" }]);
      assert.equal(await one.sessions.append("s", 1, ["late"]), false);
      assert.equal(await one.sessions.append("s", 3, ["d"]), true);
      assert.deepEqual(await other.sessions.entries("s", { after: 3 }), [{ sequence: 4, entry: "d" }]);
      assert.deepEqual(await other.sessions.entries("s", { limit: 1 }), [{ sequence: 3, entry: "c" }]);
      assert.equal((await other.sessions.entries("t")).length, 1);
    },
  },
  {
    title: "deleting a session also deletes its log, its results, its changes and its state",
    async run([one, other]) {
      await one.sessions.save(session(1, 1));
      await one.sessions.append("s", 0, ["a"]);
      await one.sessions.append(resultsLogOf("s"), 0, ["a"]);
      await one.sessions.append(resultsLogOf("t"), 0, ["a"]);
      await one.sessions.append(callsLogOf("s"), 0, [{ call: "c1", at: 1 }]);
      for (const id of ["s", "t"]) await one.sessions.append(innerLogOf("c1", id), 0, ["a"]);
      await one.sessions.append(changesLogOf("s"), 0, ["a"]);
      await one.sessions.append(ticketsLogOf("s"), 0, ["a"]);
      await one.sessions.writeState("s", new Map([["k", 1]]));

      assert.deepEqual([await other.sessions.delete("s"), await other.sessions.delete("s")], [true, false]);
      assert.equal(await one.sessions.load("s"), null);
      assert.deepEqual(await one.sessions.entries("s"), []);
      assert.deepEqual(await one.sessions.entries(resultsLogOf("s")), []);
      assert.deepEqual(await one.sessions.entries(changesLogOf("s")), []);
      assert.deepEqual(await one.sessions.entries(ticketsLogOf("s")), []);
      assert.deepEqual(await one.sessions.entries(callsLogOf("s")), []);
      assert.deepEqual(await one.sessions.entries(innerLogOf("c1", "s")), []);
      for (const id of [resultsLogOf("t"), innerLogOf("c1", "t")])
        assert.equal((await one.sessions.entries(id)).length, 1);
      assert.deepEqual(await one.sessions.readState("s"), new Map());
    },
  },
];

function session(version: number, n: number): SessionRecord {
  const data = { n, items: [null, "x", { deep: true }] };
  return { id: "s", parentId: "p", version, createdAt: 1, updatedAt: n, data };
}
