import type { Pool } from "pg";

/** The number of this project's advisory lock in Postgres, for processes that create the tables at the same time. */
const lock = 7_420_961_338;

/** Creates the tables of a fleet. JSON is stored as text, because Postgres' JSON types refuse some characters. */
export async function createLedgerTables(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query("select to_regclass('toolmount_fleet_groups') as made");
    if ((rows[0] as { made: string | null }).made === null) {
      await client.query("begin");
      await client.query("select pg_advisory_xact_lock($1)", [lock]);
      await client.query(tables);
      await client.query("commit");
    }
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

const tables = `
  create table if not exists toolmount_fleet_calls (
    run_id text primary key,
    host text not null,
    queue text not null,
    session text not null,
    tool text not null,
    digest text not null,
    idempotent boolean not null,
    nested boolean not null,
    job text not null,
    rank integer not null,
    state text not null default 'waiting' check (state in ('waiting', 'taken', 'ended')),
    worker text,
    attempt integer not null default 0,
    cancelled boolean not null default false,
    added_at timestamptz not null default now(),
    delivered_at timestamptz not null default now(),
    lease_until timestamptz,
    ended_at timestamptz,
    ending text,
    answer text,
    identity text
  );
  create index if not exists toolmount_fleet_identities on toolmount_fleet_calls (identity) where identity is not null;
  create index if not exists toolmount_fleet_waiting on toolmount_fleet_calls (queue, rank) where state = 'waiting';
  create index if not exists toolmount_fleet_sessions
    on toolmount_fleet_calls (queue, session, rank) where state = 'waiting';
  create index if not exists toolmount_fleet_leases on toolmount_fleet_calls (lease_until) where state = 'taken';
  create index if not exists toolmount_fleet_ended on toolmount_fleet_calls (ended_at) where state = 'ended';
  create table if not exists toolmount_fleet_messages (
    number bigserial primary key,
    run_id text not null references toolmount_fleet_calls on delete cascade,
    recipient text not null check (recipient in ('host', 'worker')),
    body text not null
  );
  create index if not exists toolmount_fleet_heard on toolmount_fleet_messages (run_id, recipient, number);
  create table if not exists toolmount_fleet_members (
    name text primary key,
    role text not null check (role in ('host', 'worker')),
    queue text not null,
    tool_group text not null,
    tools text not null,
    facts text not null,
    seen_at timestamptz not null default now(),
    until timestamptz not null
  );
  create index if not exists toolmount_fleet_by_queue on toolmount_fleet_members (queue);
  create table if not exists toolmount_fleet_groups (
    queue text not null,
    tool_group text not null,
    seen_at timestamptz not null default now(),
    primary key (queue, tool_group)
  )`;
