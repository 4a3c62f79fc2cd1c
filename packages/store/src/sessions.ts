import type { Json, SessionEntry, SessionRecord, SessionStore } from "@toolmount/core";
import { callsLogOf, logsOf } from "@toolmount/core/sessions";
import type { Kysely } from "kysely";
import { readRow } from "./read-row.ts";
import type { Tables } from "./tables.ts";

/** Stores sessions, their logs and their state. */
export function createSessions(db: Kysely<Tables>): SessionStore {
  const read = (row: { body: string }) => readRow(row.body) as SessionRecord;
  return {
    async load(id) {
      const row = await db.selectFrom("sessions").select("body").where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : read(row);
    },
    save: (record) => save(db, record),
    async list({ parentId, limit = 100 } = {}) {
      const rows = await db
        .selectFrom("sessions")
        .select("body")
        .$if(parentId !== undefined, (query) => query.where("parent_id", "=", parentId!))
        .orderBy("updated_at", "desc")
        .limit(limit)
        .execute();
      return rows.map(read);
    },
    append: (id, after, entries) => append(db, id, after, entries),
    entries: (id, range) => readEntries(db, id, range),
    async trim(id, before) {
      await db
        .deleteFrom("session_entries")
        .where("session_id", "=", id)
        .where("sequence", "<", before)
        .execute();
    },
    async readState(id) {
      const rows = await db
        .selectFrom("session_state")
        .select(["key", "body"])
        .where("session_id", "=", JSON.stringify(id))
        .execute();
      return new Map(rows.map(({ key, body }) => [readRow(key) as string, readRow(body) as Json]));
    },
    writeState: (id, changes) =>
      db.transaction().execute(async (transaction) => {
        for (const [key, value] of changes) await writeKey(transaction, id, key, value);
      }),
    delete: (id) => db.transaction().execute((transaction) => deleteSession(transaction, id)),
  };
}

async function readEntries(
  db: Kysely<Tables>,
  id: string,
  { after = 0, limit }: Parameters<SessionStore["entries"]>[1] = {},
): Promise<readonly SessionEntry[]> {
  const rows = await db
    .selectFrom("session_entries")
    .select(["sequence", "body"])
    .where("session_id", "=", id)
    .where("sequence", ">", after)
    .orderBy("sequence")
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .execute();
  return rows.map(({ sequence, body }) => ({ sequence, entry: readRow(body) as Json }));
}

/** Saves version 1 as a new row, and a later version over the version before it. */
async function save(db: Kysely<Tables>, record: SessionRecord): Promise<boolean> {
  const { id, parentId, version, updatedAt } = record;
  const row = { id, parent_id: parentId, version, updated_at: updatedAt, body: JSON.stringify(record) };
  if (version === 1) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("sessions")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await db
    .updateTable("sessions")
    .set(row)
    .where("id", "=", id)
    .where("version", "=", version - 1)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Deletes a session, its logs and its state. False if nothing of it was stored. */
export async function deleteSession(db: Kysely<Tables>, id: string): Promise<boolean> {
  const calls = (await readEntries(db, callsLogOf(id))).map(({ entry }) => entry);
  let deleted = 0n;
  for (const logs of chunks(logsOf(id, calls), 1_000)) {
    const log = await db.deleteFrom("session_entries").where("session_id", "in", logs).executeTakeFirst();
    deleted += log.numDeletedRows;
  }
  const state = await db
    .deleteFrom("session_state")
    .where("session_id", "=", JSON.stringify(id))
    .executeTakeFirst();
  const session = await db.deleteFrom("sessions").where("id", "=", id).executeTakeFirst();
  return deleted + state.numDeletedRows + session.numDeletedRows > 0n;
}

function* chunks<Value>(values: readonly Value[], size: number): Iterable<readonly Value[]> {
  for (let at = 0; at < values.length; at += size) yield values.slice(at, at + size);
}

async function writeKey(
  db: Kysely<Tables>,
  id: string,
  name: string,
  value: Json | undefined,
): Promise<void> {
  const session_id = JSON.stringify(id);
  const key = JSON.stringify(name);
  if (value === undefined) {
    await db
      .deleteFrom("session_state")
      .where("session_id", "=", session_id)
      .where("key", "=", key)
      .execute();
    return;
  }
  const body = JSON.stringify(value);
  await db
    .insertInto("session_state")
    .values({ session_id, key, body })
    .onConflict((conflict) => conflict.columns(["session_id", "key"]).doUpdateSet({ body }))
    .execute();
}

/** Appends entries. Two concurrent appends use the same numbers, and the table's key lets only one of them succeed. */
async function append(
  db: Kysely<Tables>,
  id: string,
  after: number,
  entries: readonly Json[],
): Promise<boolean> {
  try {
    return await db.transaction().execute(async (transaction) => {
      const { last } = await transaction
        .selectFrom("session_entries")
        .select(({ fn }) => fn.max("sequence").as("last"))
        .where("session_id", "=", id)
        .executeTakeFirstOrThrow();
      if (Number(last ?? 0) !== after) return false;
      if (entries.length === 0) return true;
      const rows = entries.map((entry, at) => ({
        session_id: id,
        sequence: after + at + 1,
        body: JSON.stringify(entry),
      }));
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto("session_entries")
        .values(rows)
        .onConflict((conflict) => conflict.columns(["session_id", "sequence"]).doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== BigInt(rows.length)) throw new Overtaken();
      return true;
    });
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
}

/** Thrown when another append stored the same numbers first. */
class Overtaken extends Error {}
