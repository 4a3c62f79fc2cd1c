import type {
  FleetAdopted,
  FleetCall,
  FleetDelivery,
  FleetLedger,
  Json,
  NewFleetCall,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { readRow } from "../read-row.ts";
import type { Query } from "./query.ts";

/** A row, as Postgres returns it. */
interface Row {
  readonly run_id: string;
  readonly host: string;
  readonly queue: string;
  readonly tool: string;
  readonly digest: string;
  readonly idempotent: boolean;
  readonly attempt: number;
  readonly nested: boolean;
  readonly rank: number;
  readonly job: string;
}

const delivery = "run_id, queue, tool, digest, attempt, nested, rank";

/** Returns the methods for calls that have not ended: they wait, or a worker has them. */
export function callRows(
  query: Query,
): Pick<FleetLedger, "add" | "adopt" | "take" | "renew" | "expire" | "depth"> {
  return {
    add: (call, maxWaiting) => add(query, call, maxWaiting),
    adopt: (identity, host) => adopt(query, identity, host),
    async take(runIds, worker, digests, leaseMs) {
      return (await query<Row>(takeCalls, [runIds, worker, digests, leaseMs])).map(callOf);
    },
    async renew(runIds, worker, leaseMs) {
      const rows = await query<Pick<Row, "run_id">>(renewLeases, [runIds, worker, leaseMs]);
      return rows.map(({ run_id }) => run_id);
    },
    async expire(queues, staleMs) {
      const lost = JSON.stringify({ kind: "lost" });
      const returned = await query<Row & { readonly state: string }>(expireLeases, [lost]);
      const stale = await query<Row>(deliverAgain, [queues, staleMs]);
      return [...returned.filter(({ state }) => state === "waiting"), ...stale].map(deliveryOf);
    },
    async depth(queue) {
      const [row] = await query<DepthRow>(depthOf, [queue]);
      const { waiting = "0", running = "0", oldest = null, oldest_tool: tool = null } = row ?? {};
      const counts = {
        waiting: Number(waiting),
        running: Number(running),
        oldestMs: Math.round(Number(oldest ?? 0)),
      };
      return tool === null ? counts : { ...counts, oldestTool: tool };
    },
  };
}

async function add(query: Query, call: NewFleetCall, maxWaiting: number): Promise<FleetDelivery | null> {
  const { runId, host, queue, tool, digest, idempotent, identity = null, job, session = host, nested } = call;
  const text = JSON.stringify(job);
  const values = [runId, host, queue, session, tool, digest, idempotent, text, maxWaiting, nested, identity];
  const [added] = await query<Row>(addCall, values);
  if (added !== undefined) return deliveryOf(added);
  const [known] = await query<Row>(`select ${delivery} from toolmount_fleet_calls where run_id = $1`, [
    runId,
  ]);
  return known === undefined ? null : deliveryOf(known);
}

async function adopt(query: Query, identity: string, host: string): Promise<FleetAdopted | "held" | null> {
  const [row] = await query<AdoptedRow>(adoptCall, [identity, host]);
  if (row === undefined) return null;
  return row.run_id === null ? "held" : { runId: row.run_id, said: Number(row.said) };
}

/** The result of an adoption. Without a run id, the host that has the call still reports. */
interface AdoptedRow {
  readonly run_id: string | null;
  readonly said: string | null;
}

/** Gives a call to the new host, if the old host no longer reports. */
const adoptCall = `
  with known as (
    select run_id, exists (
      select 1 from toolmount_fleet_members where name = host and until >= now()) as held
    from toolmount_fleet_calls where identity = $1 and host <> $2 order by added_at limit 1 for update),
  adopted as (
    update toolmount_fleet_calls as calls set host = $2 from known
    where calls.run_id = known.run_id and not held returning calls.run_id)
  select adopted.run_id, (
    select coalesce(max(number), 0) from toolmount_fleet_messages as said where said.run_id = known.run_id) as said
  from known left join adopted using (run_id)`;

/**
 * Adds a call by start-time fair queueing: a session's next call comes after its last waiting call, and a session without a
 * waiting call begins at the smallest rank that waits.
 */
const addCall = `
  insert into toolmount_fleet_calls (run_id, host, queue, session, tool, digest, idempotent, job, nested, identity, rank)
  select $1, $2, $3, $4, $5, $6, $7, $8, $10, $11, greatest(0,
    (select max(rank) + 1 from toolmount_fleet_calls where state = 'waiting' and queue = $3 and session = $4),
    (select min(rank) from toolmount_fleet_calls where state = 'waiting' and queue = $3))
  where ($10 or $9 > (select count(*) from (
    select 1 from toolmount_fleet_calls where state = 'waiting' and queue = $3 limit $9) as waiting))
    and not exists (select 1 from toolmount_fleet_calls where identity = $11 and host <> $2)
  on conflict (run_id) do nothing
  returning ${delivery}`;

/** Takes calls. Statements that change several rows lock them in the same order, so that they do not block each other. */
const takeCalls = `
  with free as (
    select run_id from toolmount_fleet_calls
    where run_id = any($1) and state = 'waiting' and digest = any($3) order by run_id for update)
  update toolmount_fleet_calls as calls
  set state = 'taken', worker = $2, attempt = attempt + 1, lease_until = now() + $4 * interval '1 ms'
  from free where calls.run_id = free.run_id
  returning calls.run_id, host, queue, tool, digest, idempotent, attempt, rank, job`;

const renewLeases = `
  with kept as (
    select run_id from toolmount_fleet_calls
    where run_id = any($1) and worker = $2 and state = 'taken' order by run_id for update)
  update toolmount_fleet_calls as calls set lease_until = now() + $3 * interval '1 ms'
  from kept where calls.run_id = kept.run_id returning calls.run_id`;

const expireLeases = `
  with late as (
    select run_id, idempotent and not cancelled as again from toolmount_fleet_calls
    where state = 'taken' and lease_until <= now() for update skip locked),
  handled as (
    update toolmount_fleet_calls as calls
    set state = case when again then 'waiting' else 'ended' end,
        ending = case when again then null else $1 end,
        ended_at = case when again then null else now() end,
        delivered_at = now(), worker = null, lease_until = null
    from late where calls.run_id = late.run_id
    returning calls.run_id, host, queue, tool, digest, attempt, nested, rank, state)
  select *, case state when 'ended' then pg_notify('toolmount_fleet_' || host, 'ended ' || run_id) end
  from handled`;

const deliverAgain = `
  update toolmount_fleet_calls set delivered_at = now()
  where run_id in (
    select run_id from toolmount_fleet_calls
    where state = 'waiting' and queue = any($1) and delivered_at <= now() - $2 * interval '1 ms'
    order by rank limit 1000 for update skip locked)
  returning ${delivery}`;

interface DepthRow {
  readonly waiting: string;
  readonly running: string;
  readonly oldest: string | null;
  readonly oldest_tool: string | null;
}

const depthOf = `
  select count(*) filter (where state = 'waiting') as waiting,
         count(*) filter (where state = 'taken') as running,
         extract(epoch from now() - min(added_at) filter (where state = 'waiting')) * 1000 as oldest,
         (array_agg(tool order by added_at) filter (where state = 'waiting'))[1] as oldest_tool
  from toolmount_fleet_calls where queue = $1 and state <> 'ended'`;

function deliveryOf({ run_id, queue, tool, digest, attempt, nested, rank }: Row): FleetDelivery {
  return { runId: run_id, queue, tool, digest, attempt, nested, rank };
}

/** Reads a job. If a job cannot be read, its call must end with the reason, which the host that sent the call reports. */
function readJob(text: string): Pick<FleetCall, "job" | "unreadable"> {
  try {
    return { job: readRow(text) as Json };
  } catch (error) {
    return { job: null, unreadable: messageOf(error) };
  }
}

function callOf({ run_id, host, queue, tool, digest, idempotent, attempt, job }: Row): FleetCall {
  return { runId: run_id, host, queue, tool, digest, idempotent, attempt, ...readJob(job) };
}
