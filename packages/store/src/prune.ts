import { ownSession } from "@toolmount/core";
import { logsOf } from "@toolmount/core/sessions";
import type { Kysely, Transaction } from "kysely";
import type { CallWords } from "./call-words.ts";
import { pruneCounters } from "./counters.ts";
import { deleteSession } from "./sessions.ts";
import { readRow } from "./read-row.ts";
import type { Tables } from "./tables.ts";
import type { Pruned } from "./store-shapes.ts";

/** Deletes what ended before a time, in milliseconds since the epoch. */
export function prune(db: Kysely<Tables>, words: CallWords, before: number): Promise<Pruned> {
  return db.transaction().execute(async (transaction) => ({
    approvals: await pruneApprovals(transaction, before),
    sessions: await pruneSessions(transaction, before),
    auditRecords: await pruneAudit(transaction, words, before),
    counters: await pruneCounters(transaction, before),
  }));
}

/** Deletes ended approvals that were asked before a time. Returns the number of deleted approvals. */
export async function pruneApprovals(db: Kysely<Tables>, before: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("approvals")
    .where("state", "=", "ended")
    .where("created_at", "<", before)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes sessions without a change since a time, except those with a call that still waits. Returns how many it deleted. */
async function pruneSessions(db: Kysely<Tables>, before: number): Promise<number> {
  const waiting = await db
    .selectFrom("approvals")
    .select(["session_id", "user_id"])
    .where("state", "!=", "ended")
    .execute();
  const kept = new Set<string | undefined>(
    waiting.map(({ session_id, user_id }) => ownSession(user_id, session_id ?? undefined)),
  );
  const old = await db.selectFrom("sessions").select("id").where("updated_at", "<", before).execute();
  const ended = old.filter(({ id }) => !kept.has(id));
  for (const { id } of ended) await deleteSession(db, id);
  for (const id of await bareSessions(db, before)) if (!kept.has(id)) await deleteSession(db, id);
  return ended.length;
}

/** Returns sessions that have no row but additional logs, if the last entry of each log was stored before a time. */
async function bareSessions(db: Kysely<Tables>, before: number): Promise<readonly string[]> {
  const prefixes = logsOf("", []).filter((prefix) => prefix !== "");
  const logs = [];
  for (const prefix of prefixes) logs.push(...(await lastEntries(db, prefix)));
  const fresh = new Set(logs.filter(({ at }) => at >= before).map(({ id }) => id));
  const known = new Set((await db.selectFrom("sessions").select("id").execute()).map(({ id }) => id));
  return [...new Set(logs.map(({ id }) => id))].filter((id) => !fresh.has(id) && !known.has(id));
}

/** Returns the sessions that have a log of one kind, each with the time when its last entry was stored. */
async function lastEntries(
  db: Kysely<Tables>,
  prefix: string,
): Promise<readonly { readonly id: string; readonly at: number }[]> {
  const rows = await db
    .selectFrom("session_entries as entry")
    .select(["entry.session_id", "entry.body"])
    .where("entry.session_id", "like", `${prefix}%`)
    .where("entry.sequence", "=", (query) =>
      query
        .selectFrom("session_entries as other")
        .select(({ fn }) => fn.max("other.sequence").as("last"))
        .whereRef("other.session_id", "=", "entry.session_id"),
    )
    .execute();
  return rows.map(({ session_id, body }) => ({
    id: session_id.slice(prefix.length),
    at: timeOf(readRow(body)),
  }));
}

/** Returns when an entry was stored. Results without a time were stored before results had times. */
function timeOf(entry: unknown): number {
  const { at = 0 } = (entry ?? {}) as { at?: number };
  return at;
}

/** Deletes the audit of old writers. All records of a writer go together, because a chain without its start cannot be checked. */
export async function pruneAudit(db: Transaction<Tables>, words: CallWords, before: number): Promise<number> {
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
    await pruneCalls(db, words, writer);
  }
  return Number(deleted);
}

/** Deletes the calls whose last record was written by `writer`, in several steps. */
async function pruneCalls(db: Transaction<Tables>, words: CallWords, writer: string): Promise<void> {
  for (;;) {
    const calls = await db
      .selectFrom("calls")
      .select("sequence")
      .where("writer", "=", writer)
      .limit(1_000)
      .execute();
    if (calls.length === 0) return;
    const sequences = calls.map(({ sequence }) => sequence);
    await words.drop(db, sequences);
    await db.deleteFrom("calls").where("sequence", "in", sequences).execute();
  }
}
