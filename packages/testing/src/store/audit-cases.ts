import assert from "node:assert/strict";
import { checkAudit, type AuditFilter, type AuditRecord } from "@toolmount/core";
import type { StoreCase } from "./store-case.ts";

/** Cases that every `AuditSink` must pass. They are skipped for a store without an audit. */
export const auditCases: readonly StoreCase[] = [
  {
    title: "audit records are read in the order of their writer, by filters, and from the end",
    async run([one, other]) {
      await one.audit!.append([auditRecord("a", 1), auditRecord("a", 2)]);
      await other.audit!.append([auditRecord("b", 1), auditRecord("a", 3)]);
      const read = async (filter?: AuditFilter) => (await one.audit!.read(filter)).map(({ hash }) => hash);

      assert.deepEqual((await read()).toSorted(), ["a1", "a2", "a3", "b1"]);
      assert.deepEqual(await read({ writer: "a" }), ["a1", "a2", "a3"]);
      assert.deepEqual(await read({ writer: "a", last: 2 }), ["a3", "a2"]);
      assert.deepEqual(await read({ runId: "r2" }), ["a2"]);
      assert.deepEqual(await read({ tool: "b", since: 1 }), ["b1"]);
      assert.deepEqual(await read({ since: 3 }), ["a3"]);
    },
  },
  {
    title: "audit records are read in pages, each once, also where several have one time",
    async run([one]) {
      const records = [1, 2, 3].flatMap((at) => ["a", "b"].map((writer) => auditRecord(writer, at)));
      await one.audit!.append(records);
      const seen: string[] = [];
      let after: AuditRecord | undefined;
      for (;;) {
        const page = await one.audit!.read({ page: { size: 4, after } });
        seen.push(...page.map(({ hash }) => hash));
        after = page.at(-1);
        if (page.length < 4) break;
      }

      assert.deepEqual(seen, ["a1", "b1", "a2", "b2", "a3", "b3"]);
    },
  },
  {
    title: "the head of each chain is its newest record",
    async run([one, other]) {
      await one.audit!.append([auditRecord("a", 1), auditRecord("b", 1), auditRecord("a", 2)]);
      const heads = await other.audit!.heads();

      assert.deepEqual(heads.map(({ writer, sequence }) => `${writer}${sequence}`).toSorted(), ["a2", "b1"]);
      assert.notDeepEqual(checkAudit(await one.audit!.read(), heads), []);
    },
  },
];

/** Makes a record whose hash does not fit its content, so that a check of the audit reports it. */
function auditRecord(writer: string, sequence: number): AuditRecord {
  const entry = { kind: "end", at: sequence, runId: `r${sequence}`, tool: writer, note: "\n" } as const;
  return { writer, sequence, previous: "", hash: `${writer}${sequence}`, entry };
}
