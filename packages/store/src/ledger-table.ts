import type { Pool } from "pg";

/** Our number among Postgres' advisory locks, for processes that create the table together. */
const lock = 7_420_961_338;

/** Creates the table of a fleet's calls. JSON is text, because Postgres' own type refuses some characters. */
export async function createLedgerTable(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [lock]);
    await client.query(table);
    await client.query("commit");
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

const table = `
  create table if not exists toolmount_fleet_calls (
    run_id text primary key,
    queue text not null,
    tool text not null,
    digest text not null,
    idempotent boolean not null,
    job text not null,
    state text not null default 'waiting' check (state in ('waiting', 'taken', 'ended')),
    worker text,
    attempt integer not null default 0,
    cancelled boolean not null default false,
    added_at timestamptz not null default now(),
    lease_until timestamptz,
    ended_at timestamptz,
    ending text
  );
  create index if not exists toolmount_fleet_open on toolmount_fleet_calls (queue, state) where state <> 'ended';
  create index if not exists toolmount_fleet_leases on toolmount_fleet_calls (lease_until) where state = 'taken';
  create index if not exists toolmount_fleet_ended on toolmount_fleet_calls (ended_at) where state = 'ended'`;
