import assert from "node:assert/strict";
import type { ApprovalFilter, ApprovalRecord } from "@toolmount/core";
import { approvalRecord, rememberedApproval, type StoreCase } from "./store-case.ts";

/** Cases that every `ApprovalStore` must pass. */
export const approvalCases: readonly StoreCase[] = [
  {
    title: "every process reads an added approval by its id and by its ticket's hash",
    async run([one, other]) {
      await one.approvals.add(approvalRecord("a"));

      assert.deepEqual(await other.approvals.get("a"), approvalRecord("a"));
      assert.deepEqual(await other.approvals.findByTicket("hash of a"), approvalRecord("a"));
      assert.equal(await other.approvals.get("b"), null);
      assert.equal(await other.approvals.findByTicket("a"), null);
    },
  },
  {
    title: "a second approval with the same id is rejected, and the first one stays",
    async run([one, other]) {
      await one.approvals.add(approvalRecord("a"));

      await assert.rejects(other.approvals.add(approvalRecord("a", { prompt: "another" })));
      assert.equal((await one.approvals.get("a"))?.prompt, "Run it?");
    },
  },
  {
    title: "of 50 replacements of one version, exactly one succeeds",
    async run([one, other]) {
      await one.approvals.add(approvalRecord("a"));
      const records = Array.from({ length: 50 }, (_, at) =>
        approvalRecord("a", { version: 2, state: at % 3 ? "approved" : "denied", prompt: `${at}` }),
      );
      const tries = records.map((record, at) => [one, other][at % 2]!.approvals.replace(record));
      const won = (await Promise.all(tries)).flatMap((isDone, at) => (isDone ? [records[at]] : []));

      assert.deepEqual(won, [await one.approvals.get("a")]);
    },
  },
  {
    title: "a replacement of a version that is not the current one does nothing",
    async run([one]) {
      await one.approvals.add(approvalRecord("a"));

      assert.equal(await one.approvals.replace(approvalRecord("a", { version: 1 })), false);
      assert.equal(await one.approvals.replace(approvalRecord("a", { version: 3 })), false);
      assert.equal(await one.approvals.replace(approvalRecord("missing", { version: 2 })), false);
      assert.deepEqual(await one.approvals.get("a"), approvalRecord("a"));
    },
  },
  {
    title: "a list is filtered by state, session, user and due time, and has the oldest first",
    async run([one, other]) {
      for (const record of listedRecords()) await one.approvals.add(record);
      const ids = async (filter?: ApprovalFilter) => (await other.approvals.list(filter)).map(({ id }) => id);

      assert.deepEqual(await ids(), ["early", "leased", "late", "ended", "foreign"]);
      assert.deepEqual(await ids({ states: ["pending"] }), ["early", "late", "foreign"]);
      assert.deepEqual(await ids({ states: ["pending", "ended"], sessionId: "s-1", limit: 2 }), [
        "early",
        "late",
      ]);
      assert.deepEqual(await ids({ userId: "bob" }), ["foreign"]);
      assert.deepEqual(await ids({ dueBy: 20 }), ["leased"]);
      assert.deepEqual(await ids({ dueBy: 50 }), ["early", "leased"]);
    },
  },
  {
    title: "a list is filtered by the caller's id of the call",
    async run([one, other]) {
      await one.approvals.add(approvalRecord("1"));
      const { info } = approvalRecord("2");
      await one.approvals.add(approvalRecord("2", { info: { ...info, callId: "d" } }));
      const found = await other.approvals.list({
        sessionId: "s-1",
        callId: "d",
        states: ["pending"],
        limit: 1,
      });

      assert.deepEqual(
        found.map(({ id }) => id),
        ["2"],
      );
      assert.deepEqual(await other.approvals.list({ sessionId: "s-2", callId: "d" }), []);
    },
  },
  {
    title: "remembered approvals are listed by tool until they are forgotten",
    async run([one, other]) {
      await one.approvals.remember(rememberedApproval("2", "bash", 2));
      await one.approvals.remember(rememberedApproval("1", "web", 1));

      assert.equal((await other.approvals.remembered()).length, 2);
      assert.deepEqual(await other.approvals.remembered("bash"), [rememberedApproval("2", "bash", 2)]);
      assert.deepEqual([await other.approvals.forget("2"), await other.approvals.forget("2")], [true, false]);
      assert.deepEqual(await one.approvals.remembered("bash"), []);
    },
  },
  {
    title: "uses of remembered approvals add up over processes, whichever counts first",
    async run([one, other]) {
      await one.approvals.remember({ ...rememberedApproval("1", "bash", 1), expiresAt: 900 });
      await Promise.all([
        one.approvals.countUses([{ id: "1", count: 2, usedAt: 20 }]),
        other.approvals.countUses([
          { id: "gone", count: 1, usedAt: 90 },
          { id: "1", count: 3, usedAt: 10 },
        ]),
      ]);

      assert.deepEqual(await other.approvals.remembered(), [
        { ...rememberedApproval("1", "bash", 1), expiresAt: 900, uses: 5, usedAt: 20 },
      ]);
    },
  },
];

function listedRecords(): readonly ApprovalRecord[] {
  const { info } = approvalRecord("foreign");
  const end = { status: "ok", at: 1, sealed: null } as const;
  return [
    approvalRecord("late", { createdAt: 3 }),
    approvalRecord("early", { createdAt: 1, expiresAt: 50 }),
    approvalRecord("leased", { createdAt: 2, state: "started", leaseUntil: 10, expiresAt: 99 }),
    approvalRecord("ended", { createdAt: 4, state: "ended", expiresAt: 5, end }),
    approvalRecord("foreign", { createdAt: 5, info: { ...info, sessionId: "s-2", userId: "bob" } }),
  ];
}
