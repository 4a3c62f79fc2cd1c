import type { AuditFilter, AuditRecord } from "@toolmount/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { followRecords } from "../../src/audit/follow-records.ts";

/** A record of a moment. */
function record(hash: number, at = hash): AuditRecord {
  const entry = { kind: "end", at, runId: `${hash}`, tool: "look" } as const;
  return { writer: "w", sequence: hash, previous: "", hash: `${hash}`, entry };
}

/** An audit in memory, and how many records were read of it. */
function auditOf(...records: AuditRecord[]) {
  const filters: (AuditFilter | undefined)[] = [];
  const read = async (filter?: AuditFilter) => {
    filters.push(filter);
    return records.toSorted((one, other) => other.entry.at - one.entry.at).slice(0, filter?.last);
  };
  return { records, filters, read };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const hashes = (records: readonly AuditRecord[]) => records.map(({ hash }) => Number(hash));

test("the first look reads the newest records, and each later one what is new, oldest first", async () => {
  const audit = auditOf(...range(0, 1_500).map((at) => record(at)));
  const next = followRecords(audit, { runId: "r", tool: "look", since: 3 });

  expect(hashes(await next())).toEqual(range(500, 1_500));
  expect(await next()).toEqual([]);
  audit.records.push(record(1_500), record(1_501));
  expect(hashes(await next())).toEqual([1_500, 1_501]);
  expect(audit.filters[0]).toEqual({ runId: "r", tool: "look", since: 3, last: 1_000 });
});

test("a record of an earlier moment that is written later is new, too", async () => {
  const audit = auditOf(record(1), record(5));
  const next = followRecords(audit, {});
  await next();
  audit.records.push(record(6, 3), record(7, 0));

  expect(hashes(await next())).toEqual([7, 6]);
});

test("each record is read once, also where thousands are written between two looks", async () => {
  const bursts = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000), bursts, async (first, sizes) => {
      const audit = auditOf(...range(0, first).map((at) => record(at)));
      const next = followRecords(audit, {});
      const seen = hashes(await next());
      for (const size of sizes) {
        const from = audit.records.length;
        audit.records.push(...range(from, from + size).map((at) => record(at)));
        seen.push(...hashes(await next()));
      }
      expect(seen).toEqual(range(Math.max(0, first - 1_000), audit.records.length));
    }),
    { numRuns: 50 },
  );
});
