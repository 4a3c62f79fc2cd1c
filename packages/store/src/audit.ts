import type { AuditRecord, AuditSink } from "@toolmount/core";
import type { ExpressionBuilder, Kysely } from "kysely";
import { pruneAudit } from "./prune.ts";
import type { Tables } from "./tables.ts";

/** Most rows of one insert: each has six values, and SQLite accepts 32766. */
const rowsPerInsert = 1_000;

/** Stores the audit: one commit for all records of an append and the heads of their chains. */
export function createAudit(db: Kysely<Tables>, mode: AuditSink["mode"]): AuditSink {
  return {
    mode,
    append: (records) =>
      db.transaction().execute(async (transaction) => {
        for (let at = 0; at < records.length; at += rowsPerInsert)
          await transaction
            .insertInto("audit")
            .values(records.slice(at, at + rowsPerInsert).map(rowOf))
            .execute();
        for (const { writer, sequence, hash } of lastOfEach(records))
          await transaction
            .insertInto("audit_heads")
            .values({ writer, sequence, hash })
            .onConflict((conflict) => conflict.column("writer").doUpdateSet({ sequence, hash }))
            .execute();
      }),
    async read({ runId, tool, writer, since, last, page } = {}) {
      const order = last === undefined ? "asc" : "desc";
      const rows = await db
        .selectFrom("audit")
        .select("body")
        .$if(runId !== undefined, (query) => query.where("run_id", "=", runId!))
        .$if(tool !== undefined, (query) => query.where("tool", "=", tool!))
        .$if(writer !== undefined, (query) => query.where("writer", "=", writer!))
        .$if(since !== undefined, (query) => query.where("at", ">=", since!))
        .$if(page?.after !== undefined, (query) => query.where(isAfter(page!.after!)))
        .orderBy("at", order)
        .orderBy("writer", order)
        .orderBy("sequence", order)
        .$if((last ?? page) !== undefined, (query) => query.limit((last ?? page?.size)!))
        .execute();
      return rows.map(({ body }) => JSON.parse(body) as AuditRecord);
    },
    heads: () => db.selectFrom("audit_heads").select(["writer", "sequence", "hash"]).execute(),
    prune: (before) => db.transaction().execute((transaction) => pruneAudit(transaction, before)),
  };
}

function isAfter({ writer, sequence, entry: { at } }: AuditRecord) {
  return (row: ExpressionBuilder<Tables, "audit">) =>
    row.and([
      row("at", ">=", at), // the index is by time alone
      row.or([
        row("at", ">", at),
        row("writer", ">", writer),
        row.and([row("writer", "=", writer), row("sequence", ">", sequence)]),
      ]),
    ]);
}

function rowOf(record: AuditRecord): Tables["audit"] {
  const { writer, sequence, entry } = record;
  return {
    writer,
    sequence,
    at: entry.at,
    run_id: entry.runId,
    tool: entry.tool,
    body: JSON.stringify(record),
  };
}

function lastOfEach(records: readonly AuditRecord[]): readonly AuditRecord[] {
  return [...new Map(records.map((record) => [record.writer, record])).values()];
}
