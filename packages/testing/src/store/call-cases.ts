import assert from "node:assert/strict";
import type { AuditEntry, AuditRecord, JsonObject, PastCallFilter, StateStore } from "@toolmount/core";
import type { StoreCase, StorePair } from "./store-case.ts";

/** What every `AuditSink` with `calls` does. A store without an audit skips these cases. */
export const callCases: readonly StoreCase[] = [
  {
    title: "a call is listed as its newest record says, whichever process wrote it",
    async run([one, other]) {
      const seen = async () => (await one.audit!.calls!({ limit: 10 })).calls.map(({ status }) => status);

      await write(one, "w-1", {
        kind: "pending",
        runId: "r",
        status: "pending",
        at: 5,
        arguments: { to: "ACME", amount: 5 },
      });
      assert.deepEqual(await seen(), ["waiting"]);
      await write(other, "w-2", { kind: "decision", runId: "r", decision: "approve", at: 6 });
      assert.deepEqual(await seen(), ["decided"]);
      await write(other, "w-2", { kind: "start", runId: "r", at: 7 });
      assert.deepEqual(await seen(), ["running"]);
      await write(other, "w-2", {
        kind: "end",
        runId: "r",
        status: "failed",
        code: "TOOL_FAILED",
        at: 9,
        durationMs: 2,
      });

      assert.deepEqual((await one.audit!.calls!({ limit: 10 })).calls, [
        {
          runId: "r",
          callId: "call of r",
          tool: "probe",
          startedAt: 5,
          status: "failed",
          code: "TOOL_FAILED",
          durationMs: 2,
          sessionId: "s-1",
          userId: "alice",
          turnId: null,
          parentRunId: null,
          line: "to: ACME, amount: 5",
        },
      ]);
    },
  },
  {
    title: "the records of one commit are joined to one call",
    async run([one]) {
      await one.audit!.append([
        record("w", 1, { kind: "start", runId: "r", at: 1, arguments: { order: "first" } }),
        record("w", 2, { kind: "end", runId: "r", status: "ok", at: 4, durationMs: 3, result: "second" }),
      ]);
      const { calls } = await one.audit!.calls!({ limit: 10, text: "first second" });

      assert.deepEqual(
        calls.map(({ status, startedAt, durationMs }) => [status, startedAt, durationMs]),
        [["ok", 1, 3]],
      );
    },
  },
  {
    title: "calls are selected by each filter",
    async run(stores) {
      await writeWorld(stores);
      const runs = (filter: Omit<PastCallFilter, "limit">) => listRuns(stores[0], { ...filter, limit: 100 });

      assert.deepEqual(await runs({}), ["r5", "r4", "r3", "r2", "r1"]);
      assert.deepEqual(await runs({ tool: "pay" }), ["r4", "r2"]);
      assert.deepEqual(await runs({ status: "denied" }), ["r2"]);
      assert.deepEqual(await runs({ code: "DENIED" }), ["r2"]);
      assert.deepEqual(await runs({ userId: "bob" }), ["r5", "r3"]);
      assert.deepEqual(await runs({ sessionId: "s-2" }), ["r4"]);
      assert.deepEqual(await runs({ callId: "call of r3" }), ["r3"]);
      assert.deepEqual(await runs({ since: 2_000, until: 4_000 }), ["r3", "r2"]);
      assert.deepEqual(await runs({ tool: "pay", status: "ok" }), ["r4"]);
      assert.deepEqual(await runs({ tool: "pay", status: "ok", userId: "bob" }), []);
    },
  },
  {
    title: "calls are found by words of their arguments, result and error",
    async run(stores) {
      await writeWorld(stores);
      const runs = (text: string) => listRuns(stores[0], { text, limit: 100 });

      assert.deepEqual(await runs("acme"), ["r2"]);
      assert.deepEqual(await runs("ACME budget"), ["r2"]);
      assert.deepEqual(await runs("acm"), []);
      assert.deepEqual(await runs("acm*"), ["r2"]);
      assert.deepEqual(await runs("o-104"), ["r3"]);
      assert.deepEqual(await runs("東京"), ["r4"]);
      assert.deepEqual(await runs("rue*"), ["r4"]);
      assert.deepEqual(await runs('it\'s "quoted" & odd | \u0000 (text):*'), ["r5"]);
      assert.deepEqual(await runs("nowhere"), []);
    },
  },
  {
    title: "calls are read in pages, each once, also where several have one time",
    async run([one]) {
      const records = Array.from({ length: 25 }, (_, at) =>
        record("w", at + 1, {
          kind: "end",
          runId: `r${at + 10}`,
          status: "ok",
          at: 1_000 + Math.floor(at / 4),
          result: "same",
        }),
      );
      await one.audit!.append(records);
      for (const text of [undefined, "same"]) {
        const seen: string[] = [];
        let after: PastCallFilter["after"];
        for (let hasMore = true; hasMore;) {
          const page = await one.audit!.calls!({ text, after, limit: 7 });
          seen.push(...page.calls.map(({ runId }) => runId));
          after = page.calls.at(-1);
          hasMore = page.hasMore;
        }

        assert.deepEqual(
          seen.toSorted(),
          records.map(({ entry }) => entry.runId),
        );
      }
    },
  },
  {
    title: "no runs have no records and no calls",
    async run([one]) {
      await write(one, "w", { kind: "end", runId: "r", status: "ok" });

      assert.deepEqual(await one.audit!.read({ runIds: [] }), []);
      assert.deepEqual(await one.audit!.calls!({ runIds: [], limit: 10 }), { calls: [], hasMore: false });
    },
  },
  {
    title: "the texts of a call may have any character",
    async run([one]) {
      const odd = "a\u0000b\ud800'\"%_";
      await write(one, "w", {
        kind: "end",
        runId: "r",
        tool: odd,
        callId: odd,
        userId: odd,
        sessionId: odd,
        status: "ok",
        arguments: { odd },
      });
      const [call] = (await one.audit!.calls!({ userId: odd, tool: odd, limit: 10 })).calls;

      assert.equal(call?.runId, "r");
      assert.equal((await one.audit!.read({ runIds: ["r", "other"] })).length, 1);
    },
  },
];

/** A call of each kind, a second apart. */
async function writeWorld([one, other]: StorePair): Promise<void> {
  await write(one, "w", { kind: "end", runId: "r1", at: 1_000, status: "ok", arguments: { path: "a.txt" } });
  await write(one, "w", {
    kind: "end",
    runId: "r2",
    at: 2_000,
    tool: "pay",
    status: "denied",
    code: "DENIED",
    error: "over the budget",
    arguments: { to: "ACME" },
  });
  await write(one, "w", {
    kind: "start",
    runId: "r3",
    at: 3_000,
    userId: "bob",
    arguments: { order: "o-104" },
  });
  await write(one, "w", {
    kind: "end",
    runId: "r3",
    at: 3_500,
    userId: "bob",
    status: "ok",
    durationMs: 500,
  });
  await write(other, "v", {
    kind: "pending",
    runId: "r4",
    at: 4_000,
    tool: "pay",
    sessionId: "s-2",
    status: "pending",
    arguments: { to: "東京都, 12 Rue de l'Église" },
  });
  await write(other, "v", {
    kind: "end",
    runId: "r4",
    at: 4_500,
    tool: "pay",
    sessionId: "s-2",
    status: "ok",
  });
  await write(one, "w", {
    kind: "end",
    runId: "r5",
    at: 5_000,
    userId: "bob",
    status: "ok",
    resultText: '{"text":"it\'s \\"quoted\\"\\nodd',
  });
}

async function listRuns(store: StateStore, filter: PastCallFilter): Promise<readonly string[]> {
  return (await store.audit!.calls!(filter)).calls.map(({ runId }) => runId);
}

let sequence = 0;

async function write(
  store: StateStore,
  writer: string,
  fields: Partial<AuditEntry> & JsonObject,
): Promise<void> {
  await store.audit!.append([record(writer, ++sequence, fields)]);
}

function record(writer: string, number: number, fields: Partial<AuditEntry> & JsonObject): AuditRecord {
  const { kind = "end", at = 1, runId = "r", tool = "probe" } = fields;
  const entry = {
    callId: `call of ${runId}`,
    sessionId: "s-1",
    userId: "alice",
    ...fields,
    kind,
    at,
    runId,
    tool,
  };
  return { writer, sequence: number, previous: "", hash: `${writer}${number}`, entry };
}
