import type { JsonObject, WorkFilter, WorkRecord, WorkStore } from "@toolmount/core";
import type { ExpressionBuilder, Kysely, Selectable } from "kysely";
import { count, type RunningJson } from "./counters.ts";
import { readRow } from "./read-row.ts";
import type { Tables } from "./tables.ts";

/** Stores the work of servers. If several change a record, the version in the `where` of the update lets only one succeed. */
export function createWork(db: Kysely<Tables>, json: RunningJson): WorkStore {
  return {
    async get(kind, id) {
      const query = db.selectFrom("work").selectAll().where("kind", "=", kind).where("id", "=", id);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },
    save: (record) => (record.version === 1 ? add(db, record) : replace(db, record)),
    list: (filter) => list(db, filter),
    async remove(kind, statuses, before) {
      const { numDeletedRows } = await db
        .deleteFrom("work")
        .where("kind", "=", kind)
        .where("status", "in", [...statuses])
        .where("at", "<", before)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    count: (key, change) => count(db, json, key, change),
  };
}

async function add(db: Kysely<Tables>, record: WorkRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("work")
    .values(rowOf(record))
    .onConflict((conflict) => conflict.columns(["kind", "id"]).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

async function replace(db: Kysely<Tables>, record: WorkRecord): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("work")
    .set(rowOf(record))
    .where("kind", "=", record.kind)
    .where("id", "=", record.id)
    .where("version", "=", record.version - 1)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function list(db: Kysely<Tables>, filter: WorkFilter): Promise<readonly WorkRecord[]> {
  const { kind, scope, statuses, sessionId, userId, dueBy, after, limit = 100 } = filter;
  const rows = await db
    .selectFrom("work")
    .selectAll()
    .where("kind", "=", kind)
    .$if(scope !== undefined, (query) => query.where("scope", "=", scope!))
    .$if(statuses !== undefined, (query) => query.where("status", "in", [...statuses!]))
    .$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId!))
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!))
    .$if(dueBy !== undefined, (query) => query.where("due_at", "<=", dueBy!))
    .$if(after !== undefined, (query) => query.where(isAfter(after!)))
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(recordOf);
}

function isAfter({ at, id }: Pick<WorkRecord, "at" | "id">) {
  return (row: ExpressionBuilder<Tables, "work">) =>
    row.or([row("at", "<", at), row.and([row("at", "=", at), row("id", "<", id)])]);
}

function rowOf({ sessionId, userId, dueAt, body, ...same }: WorkRecord): Tables["work"] {
  return { ...same, session_id: sessionId, user_id: userId, due_at: dueAt, body: JSON.stringify(body) };
}

function recordOf({ session_id, user_id, due_at, body, ...same }: Selectable<Tables["work"]>): WorkRecord {
  const parsed = readRow(body) as JsonObject;
  return { ...same, sessionId: session_id, userId: user_id, dueAt: due_at, body: parsed };
}
