import { sql, type Kysely, type Transaction } from "kysely";
import { createWords } from "./call-words.ts";
import type { Tables } from "./tables.ts";

/** Each migration runs once, in order. A released migration never changes. */
const migrations: readonly ((db: Transaction<Tables>, isPostgres: boolean) => Promise<void>)[] = [
  createFirstTables,
  keepStateAndCallIds,
  keepCredentials,
  keepWork,
  keepCalls,
  countUses,
  keepPlaces,
  keepCounters,
];

/** Our number among Postgres' advisory locks. */
const lock = 7_420_961_337;

/**
 * Updates the tables to this version. Of several processes that start together, one does it. Throws for a database of a
 * newer version, which this version cannot read.
 */
export async function migrate(db: Kysely<Tables>, isPostgres: boolean): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (isPostgres) await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(transaction);
    await sql`create table if not exists toolmount_schema (version integer not null)`.execute(transaction);
    const { rows } = await sql<{ version: number }>`select version from toolmount_schema`.execute(
      transaction,
    );
    const version = rows[0]?.version ?? 0;
    if (version > migrations.length)
      throw new Error(
        `it was written by a newer toolmount (schema ${version}, this one knows ${migrations.length})`,
      );
    if (version === migrations.length) return;
    for (const step of migrations.slice(version)) await step(transaction, isPostgres);
    await sql`delete from toolmount_schema`.execute(transaction);
    await sql`insert into toolmount_schema (version) values (${sql.lit(migrations.length)})`.execute(
      transaction,
    );
  });
}

async function createFirstTables(db: Transaction<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("approvals")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("ticket_hash", "text", (column) => column.notNull().unique())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("session_id", "text")
    .addColumn("user_id", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("due_at", "bigint")
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("approvals_by_state").on("approvals").columns(["state", "created_at"]).execute();
  await schema.createIndex("approvals_by_due").on("approvals").column("due_at").execute();
  await schema
    .createTable("remembered")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("remembered_by_tool").on("remembered").column("tool").execute();
  await schema
    .createTable("sessions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("parent_id", "text")
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("sessions_by_update").on("sessions").column("updated_at").execute();
  await schema
    .createTable("session_entries")
    .addColumn("session_id", "text", (column) => column.notNull())
    .addColumn("sequence", "integer", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("session_entries_key", ["session_id", "sequence"])
    .execute();
  await schema
    .createTable("audit")
    .addColumn("writer", "text", (column) => column.notNull())
    .addColumn("sequence", "integer", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("audit_key", ["writer", "sequence"])
    .execute();
  await schema.createIndex("audit_by_run").on("audit").column("run_id").execute();
  await schema.createIndex("audit_by_time").on("audit").column("at").execute();
  await schema
    .createTable("audit_heads")
    .addColumn("writer", "text", (column) => column.primaryKey())
    .addColumn("sequence", "integer", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .execute();
}

/** Adds the caller's id of a waiting call, and session state. Older records have no such id and are not found by it. */
async function keepStateAndCallIds(db: Transaction<Tables>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("approvals").addColumn("call_id", "text").execute();
  await schema.createIndex("approvals_by_call").on("approvals").columns(["session_id", "call_id"]).execute();
  await schema
    .createTable("session_state")
    .addColumn("session_id", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("session_state_key", ["session_id", "key"])
    .execute();
}

async function keepCredentials(db: Transaction<Tables>): Promise<void> {
  await db.schema
    .createTable("credentials")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
}

async function keepWork(db: Transaction<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("work")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("session_id", "text")
    .addColumn("user_id", "text")
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("due_at", "bigint")
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("work_key", ["kind", "id"])
    .execute();
  await schema.createIndex("work_by_time").on("work").columns(["kind", "at"]).execute();
  await schema.createIndex("work_by_status").on("work").columns(["kind", "status", "at"]).execute();
  await schema.createIndex("work_by_session").on("work").columns(["session_id", "at"]).execute();
}

/** Adds the calls of the audit. The calls of older records are not in it. */
async function keepCalls(db: Transaction<Tables>, isPostgres: boolean): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("calls")
    .addColumn("sequence", isPostgres ? "bigserial" : "integer", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull().unique())
    .addColumn("call_id", "text", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("code", "text")
    .addColumn("user_id", "text")
    .addColumn("session_id", "text")
    .addColumn("turn_id", "text")
    .addColumn("parent_run_id", "text")
    .addColumn("line", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("duration_ms", "double precision")
    .addColumn("alive_until", "bigint")
    .addColumn("writer", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("calls_by_time").on("calls").column("at").execute();
  for (const field of ["tool", "status", "code", "user_id", "session_id", "call_id"] as const)
    await schema.createIndex(`calls_by_${field}`).on("calls").columns([field, "at"]).execute();
  await schema.createIndex("calls_by_writer").on("calls").column("writer").execute();
  await createWords(db, isPostgres);
}

/** Adds how often a remembered approval has answered. */
async function countUses({ schema }: Transaction<Tables>): Promise<void> {
  const uses = schema
    .alterTable("remembered")
    .addColumn("uses", "integer", (column) => column.notNull().defaultTo(0));
  await uses.execute();
  await schema.alterTable("remembered").addColumn("used_at", "bigint").execute();
}

/** Adds the kind of a call and the line of a program that made it, and finds the calls that a call made. Older records have no such line. */
async function keepPlaces({ schema }: Transaction<Tables>): Promise<void> {
  await schema.alterTable("calls").addColumn("place", "text").execute();
  await schema
    .alterTable("calls")
    .addColumn("kind", "text", (column) => column.notNull().defaultTo("call"))
    .execute();
  await schema
    .createIndex("calls_by_parent")
    .on("calls")
    .columns(["parent_run_id", "at"])
    .where("parent_run_id", "is not", null)
    .execute();
}

async function keepCounters({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable("counters")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("count", "bigint", (column) => column.notNull())
    .addColumn("amount", "double precision", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("counters_by_time").on("counters").column("at").execute();
}
