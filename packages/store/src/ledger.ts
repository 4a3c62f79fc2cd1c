import type { FleetCall, FleetEnd, FleetLedger, Json } from "@toolmount/core";
import type { Pool } from "pg";
import { createLedgerTable } from "./ledger-table.ts";
import { watchLedger } from "./ledger-watch.ts";

/** A row, as Postgres returns it. */
interface Row {
  readonly run_id: string;
  readonly queue: string;
  readonly tool: string;
  readonly digest: string;
  readonly idempotent: boolean;
  readonly attempt: number;
  readonly job: string;
}

/** Opens the ledger of a fleet in Postgres, and creates its table. Times are those of the database. */
export async function openLedger(
  url: string,
  { connections = 4 }: { readonly connections?: number | undefined } = {},
): Promise<FleetLedger> {
  const { Pool: PostgresPool } = await import("pg");
  const pool = new PostgresPool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  });
  // Without a listener, an error of an idle client ends the process; the next query gets another client.
  pool.on("error", () => undefined);
  try {
    await createLedgerTable(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return new PostgresLedger(pool, url);
}

/** One statement each: Postgres runs it as a transaction, and `pg_notify` in it is sent when it commits. */
class PostgresLedger implements FleetLedger {
  readonly #pool: Pool;
  readonly #url: string;

  constructor(pool: Pool, url: string) {
    this.#pool = pool;
    this.#url = url;
  }

  async add({ runId, queue, tool, digest, idempotent, job }: Omit<FleetCall, "attempt">): Promise<void> {
    await this.#change(
      `insert into toolmount_fleet_calls (run_id, queue, tool, digest, idempotent, job)
       values ($1, $2, $3, $4, $5, $6) on conflict (run_id) do nothing`,
      [runId, queue, tool, digest, idempotent, JSON.stringify(job)],
    );
  }

  async take(runId: string, worker: string, digest: string, leaseMs: number): Promise<FleetCall | null> {
    const { rows } = await this.#pool.query<Row>(
      `update toolmount_fleet_calls
       set state = 'taken', worker = $2, attempt = attempt + 1, lease_until = now() + $4 * interval '1 ms'
       where run_id = $1 and state = 'waiting' and digest = $3
       returning run_id, queue, tool, digest, idempotent, attempt, job`,
      [runId, worker, digest, leaseMs],
    );
    return rows[0] === undefined ? null : callOf(rows[0]);
  }

  renew(runId: string, worker: string, leaseMs: number): Promise<boolean> {
    return this.#change(
      `update toolmount_fleet_calls set lease_until = now() + $3 * interval '1 ms'
       where run_id = $1 and worker = $2 and state = 'taken' and lease_until > now()`,
      [runId, worker, leaseMs],
    );
  }

  answer(runId: string, worker: string, answer: Json): Promise<boolean> {
    return this.#end(
      `state = 'taken' and worker = $3 and lease_until > now()`,
      [runId, { kind: "answered", answer }],
      [worker],
    );
  }

  withdraw(runId: string): Promise<boolean> {
    return this.#end(`state = 'waiting'`, [runId, { kind: "withdrawn" }]);
  }

  async cancel(runId: string): Promise<void> {
    await this.#change(
      `with marked as (
         update toolmount_fleet_calls set cancelled = true where run_id = $1 and state = 'taken' returning run_id)
       select pg_notify('toolmount_fleet', 'cancelled ' || run_id) from marked`,
      [runId],
    );
  }

  async cancelled(runIds: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.#pool.query<{ run_id: string }>(
      `select run_id from toolmount_fleet_calls where run_id = any($1) and cancelled and state = 'taken'`,
      [runIds],
    );
    return rows.map(({ run_id }) => run_id);
  }

  async ends(runIds: readonly string[]): Promise<ReadonlyMap<string, FleetEnd>> {
    const { rows } = await this.#pool.query<{ run_id: string; ending: string }>(
      `select run_id, ending from toolmount_fleet_calls where run_id = any($1) and state = 'ended'`,
      [runIds],
    );
    return new Map(rows.map(({ run_id, ending }) => [run_id, JSON.parse(ending) as FleetEnd]));
  }

  async expire(): Promise<readonly string[]> {
    const { rows } = await this.#pool.query<{ run_id: string; state: string }>(
      `with late as (
         select run_id from toolmount_fleet_calls where state = 'taken' and lease_until <= now()
         for update skip locked),
       handled as (
         update toolmount_fleet_calls as calls
         set state = case when idempotent and not cancelled then 'waiting' else 'ended' end,
             ending = case when idempotent and not cancelled then null else $1 end,
             ended_at = case when idempotent and not cancelled then null else now() end,
             worker = null, lease_until = null
         from late where calls.run_id = late.run_id returning calls.run_id, calls.state)
       select run_id, state, pg_notify('toolmount_fleet',
         case state when 'waiting' then 'returned ' else 'ended ' end || run_id) from handled`,
      [JSON.stringify({ kind: "lost" } satisfies FleetEnd)],
    );
    return rows.filter(({ state }) => state === "waiting").map(({ run_id }) => run_id);
  }

  async forget(olderThanMs: number): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `delete from toolmount_fleet_calls where state = 'ended' and ended_at < now() - $1 * interval '1 ms'`,
      [olderThanMs],
    );
    return rowCount ?? 0;
  }

  async depth(queue: string): ReturnType<FleetLedger["depth"]> {
    const { rows } = await this.#pool.query<{ waiting: string; running: string; oldest: string | null }>(
      `select count(*) filter (where state = 'waiting') as waiting,
              count(*) filter (where state = 'taken') as running,
              extract(epoch from now() - min(added_at) filter (where state = 'waiting')) * 1000 as oldest
       from toolmount_fleet_calls where queue = $1 and state <> 'ended'`,
      [queue],
    );
    const { waiting = "0", running = "0", oldest = null } = rows[0] ?? {};
    return { waiting: Number(waiting), running: Number(running), oldestMs: Math.round(Number(oldest ?? 0)) };
  }

  watch(listener: Parameters<FleetLedger["watch"]>[0]): ReturnType<FleetLedger["watch"]> {
    return watchLedger(this.#url, listener);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Ends a row that fulfils a condition; the answer, the end and the notification are one transaction. */
  #end(condition: string, [runId, end]: [string, FleetEnd], more: readonly string[] = []): Promise<boolean> {
    return this.#change(
      `with ended as (
         update toolmount_fleet_calls set state = 'ended', ending = $2, ended_at = now(), lease_until = null
         where run_id = $1 and ${condition} returning run_id)
       select pg_notify('toolmount_fleet', 'ended ' || run_id) from ended`,
      [runId, JSON.stringify(end), ...more],
    );
  }

  async #change(sql: string, values: readonly unknown[]): Promise<boolean> {
    const { rowCount } = await this.#pool.query(sql, [...values]);
    return (rowCount ?? 0) > 0;
  }
}

function callOf({ run_id, queue, tool, digest, idempotent, attempt, job }: Row): FleetCall {
  return {
    runId: run_id,
    queue,
    tool,
    digest,
    idempotent,
    attempt,
    job: JSON.parse(job) as FleetCall["job"],
  };
}
