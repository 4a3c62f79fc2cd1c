import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";
import type { Pruned } from "./store-shapes.ts";

/** Deletes what ended before a time, in milliseconds since the epoch. */
export function prune(db: Kysely<Tables>, before: number): Promise<Pruned> {
  return db.transaction().execute(async (transaction) => ({
    approvals: await pruneApprovals(transaction, before),
    sessions: await pruneSessions(transaction, before),
    auditRecords: await pruneAudit(transaction, before),
  }));
}

/** Deletes approvals that ended and were asked before a time. Returns how many. */
export async function pruneApprovals(db: Kysely<Tables>, before: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("approvals")
    .where("state", "=", "ended")
    .where("created_at", "<", before)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Sessions with a call that still waits are kept. */
async function pruneSessions(db: Kysely<Tables>, before: number): Promise<number> {
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("updated_at", "<", before)
    .where("id", "not in", (query) =>
      query
        .selectFrom("approvals")
        .select((columns) => columns.fn.coalesce("session_id", columns.val("")).as("id"))
        .where("state", "!=", "ended"),
    )
    .execute();
  for (const { id } of rows) {
    await db.deleteFrom("session_entries").where("session_id", "=", id).execute();
    await db.deleteFrom("session_state").where("session_id", "=", JSON.stringify(id)).execute();
    await db.deleteFrom("sessions").where("id", "=", id).execute();
  }
  return rows.length;
}

/** A chain without its first records cannot be checked, so a writer's records are deleted together, with its head. */
export async function pruneAudit(db: Kysely<Tables>, before: number): Promise<number> {
  const writers = await db
    .selectFrom("audit")
    .select("writer")
    .groupBy("writer")
    .having((columns) => columns.fn.max("at"), "<", before)
    .execute();
  let deleted = 0n;
  for (const { writer } of writers) {
    const result = await db.deleteFrom("audit").where("writer", "=", writer).executeTakeFirstOrThrow();
    deleted += result.numDeletedRows;
    await db.deleteFrom("audit_heads").where("writer", "=", writer).execute();
  }
  return Number(deleted);
}
