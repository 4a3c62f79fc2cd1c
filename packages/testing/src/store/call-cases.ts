import assert from "node:assert/strict";
import type { PastCallFilter } from "@toolmount/core";
import { listRuns, record, write, writeWorld } from "./call-records.ts";
import type { StoreCase } from "./store-case.ts";

/** Cases that every `AuditSink` with `calls` must pass. They are skipped for a store without an audit. */
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
          kind: "call",
          place: null,
          line: "to: ACME, amount: 5",
        },
      ]);
    },
  },
  {
    title: "the records of one commit are joined to one call",
    async run([one]) {
      await one.audit!.append([
        record("w", 1, { kind: "start", runId: "r", at: 1, arguments: { order: "first", at: "a/in/b" } }),
        record("w", 2, { kind: "end", runId: "r", status: "ok", at: 4, durationMs: 3, result: "second" }),
      ]);
      const { calls } = await one.audit!.calls!({ limit: 10, text: "first second a/in/" });

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
    title: "the calls of a program are found by the run that made them, with their lines",
    async run([one]) {
      const odd = 'await tools.pay({ to: "a\u0000b" });';
      const made = { parentRunId: "p", sessionId: "s-1" };
      await write(one, "w", { kind: "start", runId: "p", tool: "run_program", at: 1 });
      await write(one, "w", { kind: "start", runId: "r1", at: 2, ...made, place: { line: 3, code: odd } });
      await write(one, "w", { kind: "end", runId: "r1", at: 3, ...made, status: "ok" });
      await write(one, "w", { kind: "pending", runId: "r2", at: 4, ...made, place: { line: 7, code: "" } });
      await write(one, "w", { kind: "end", runId: "r3", at: 5, parentRunId: "q", status: "ok" });
      const { calls } = await one.audit!.calls!({ parentRunIds: ["p", "none"], limit: 10 });

      assert.deepEqual(
        calls.map(({ runId, status, place }) => [runId, status, place]),
        [
          ["r2", "waiting", { line: 7, code: "" }],
          ["r1", "ok", { line: 3, code: odd }],
        ],
      );
      assert.deepEqual(await one.audit!.calls!({ parentRunIds: [], limit: 10 }), {
        calls: [],
        hasMore: false,
      });
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
      assert.deepEqual(await runs("nowhere/"), []);
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
