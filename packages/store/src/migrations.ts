import { sql, type Kysely, type Transaction } from "kysely";
import { createWords } from "./call-words.ts";
import type { Tables } from "./tables.ts";

/** The migrations. Each runs once, in order. A released migration never changes. */
const migrations: readonly ((db: Transaction<Tables>, isPostgres: boolean) => Promise<void>)[] = [
  createTables,
];

/** The number of this project's advisory lock in Postgres. */
const lock = 7_420_961_337;

/**
 * Updates the tables to this version. If several processes start together, one of them does it. Throws for a database of a
 * version that this release does not know.
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
        `another version of toolmount wrote it (schema ${version}, this one knows ${migrations.length})`,
      );
    if (version === migrations.length) return;
    for (const step of migrations.slice(version)) await step(transaction, isPostgres);
    await sql`delete from toolmount_schema`.execute(transaction);
    await sql`insert into toolmount_schema (version) values (${sql.lit(migrations.length)})`.execute(
      transaction,
    );
  });
}

async function createTables(db: Transaction<Tables>, isPostgres: boolean): Promise<void> {
  await createAnswers(db);
  await createSessions(db);
  await createAudit(db);
  await createCalls(db, isPostgres);
  await createWork(db);
  await createKeyed(db);
}

/** Creates the tables of questions and remembered approvals. */
async function createAnswers({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable("approvals")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("ticket_hash", "text", (column) => column.notNull().unique())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("session_id", "text")
    .addColumn("user_id", "text")
    .addColumn("call_id", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("due_at", "bigint")
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("approvals_by_state").on("approvals").columns(["state", "created_at"]).execute();
  await schema.createIndex("approvals_by_due").on("approvals").column("due_at").execute();
  await schema.createIndex("approvals_by_call").on("approvals").columns(["session_id", "call_id"]).execute();
  await schema
    .createTable("remembered")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("uses", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("used_at", "bigint")
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("remembered_by_tool").on("remembered").column("tool").execute();
}

async function createSessions({ schema }: Transaction<Tables>): Promise<void> {
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
    .createTable("session_state")
    .addColumn("session_id", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("session_state_key", ["session_id", "key"])
    .execute();
}

async function createAudit({ schema }: Transaction<Tables>): Promise<void> {
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

/** Creates the table of work that lasts longer than one call: lists, turns, background calls, tasks. */
async function createWork({ schema }: Transaction<Tables>): Promise<void> {
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

async function createCalls(db: Transaction<Tables>, isPostgres: boolean): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("calls")
    .addColumn("sequence", isPostgres ? "bigserial" : "integer", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull().unique())
    .addColumn("call_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull().defaultTo("call"))
    .addColumn("place", "text")
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
  await schema
    .createIndex("calls_by_parent")
    .on("calls")
    .columns(["parent_run_id", "at"])
    .where("parent_run_id", "is not", null)
    .execute();
  await createWords(db, isPostgres);
}

/** Creates the tables of credentials and seals, and of counters such as those of budgets. */
async function createKeyed({ schema }: Transaction<Tables>): Promise<void> {
  await schema
    .createTable("credentials")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await schema
    .createTable("counters")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("count", "bigint", (column) => column.notNull())
    .addColumn("amount", "double precision", (column) => column.notNull())
    .addColumn("running", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("counters_by_time").on("counters").column("at").execute();
}
