import type { FleetEnd, FleetLedger, Json } from "@toolmount/core";
import type { Query } from "./query.ts";

/** Characters of an answer that are read with the end of its call; a longer one is read by itself. */
const inlineLength = 65_536;

type Ends = "answer" | "answerOf" | "withdraw" | "cancel" | "cancelled" | "ends" | "collect" | "forget";

/** How calls end, and what their hosts read of it. */
export function endRows(query: Query): Pick<FleetLedger, Ends> {
  const isChanged = async (sql: string, values: readonly unknown[]) => (await query(sql, values)).length > 0;
  return {
    async answer(runId, worker, answer, last = []) {
      const text = JSON.stringify(answer);
      const isLong = text.length > inlineLength;
      const end: FleetEnd = isLong
        ? { kind: "stored", bytes: Buffer.byteLength(text) }
        : { kind: "answered", answer };
      const bodies = last.map((body) => JSON.stringify(body));
      return isChanged(endWithAnswer, [runId, worker, JSON.stringify(end), isLong ? text : null, bodies]);
    },
    async answerOf(runId) {
      const sql = "select answer from toolmount_fleet_calls where run_id = $1";
      const [row] = await query<{ readonly answer: string | null }>(sql, [runId]);
      if (typeof row?.answer !== "string") throw new Error(`the ledger has no answer of the run "${runId}"`);
      return JSON.parse(row.answer) as Json;
    },
    withdraw: (runId) => isChanged(endWaiting, [runId, JSON.stringify({ kind: "withdrawn" })]),
    cancel: async (runId) => void (await query(cancelRunning, [runId])),
    async cancelled(runIds) {
      const rows = await query<{ readonly run_id: string }>(findCancelled, [runIds]);
      return rows.map(({ run_id }) => run_id);
    },
    async ends(runIds) {
      const rows = await query<{ readonly run_id: string; readonly ending: string }>(findEnds, [runIds]);
      return new Map(rows.map(({ run_id, ending }) => [run_id, JSON.parse(ending) as FleetEnd]));
    },
    collect: async (runIds) =>
      void (await query("delete from toolmount_fleet_calls where run_id = any($1) and state = 'ended'", [
        runIds,
      ])),
    async forget(olderThanMs) {
      return (await query(forgetEnded, [olderThanMs])).length;
    },
  };
}

/** Bytes of an end that a notification carries. Postgres refuses a payload of 8000 bytes. */
const noticeBytes = 7_000;

/**
 * The notification carries a short end, unless the host must read messages first, so that the host need not read the row.
 * A worker whose lease has passed may still answer until another statement handles the lease: the row decides.
 */
const endWithAnswer = `
  with ended as (
    update toolmount_fleet_calls
    set state = 'ended', ending = $3, answer = $4, ended_at = now(), lease_until = null
    where run_id = $1 and worker = $2 and state = 'taken' returning run_id, host),
  said as (
    insert into toolmount_fleet_messages (run_id, recipient, body)
    select run_id, 'host', body from ended, unnest($5::text[]) with ordinality as last (body, place) order by place)
  select pg_notify('toolmount_fleet_' || host, 'ended ' || run_id || case
    when octet_length($3) > ${noticeBytes} or cardinality($5::text[]) > 0 or exists (
      select 1 from toolmount_fleet_messages as messages where messages.run_id = ended.run_id and recipient = 'host')
    then '' else ' ' || $3 end) from ended`;

const endWaiting = `
  with ended as (
    update toolmount_fleet_calls set state = 'ended', ending = $2, ended_at = now(), identity = null
    where run_id = $1 and state = 'waiting' returning run_id, host)
  select pg_notify('toolmount_fleet_' || host, 'ended ' || run_id) from ended`;

const cancelRunning = `
  with marked as (
    update toolmount_fleet_calls set cancelled = true where run_id = $1 and state = 'taken' returning run_id, worker)
  select pg_notify('toolmount_fleet_' || worker, 'cancelled ' || run_id) from marked`;

const findCancelled = `
  select run_id from toolmount_fleet_calls where run_id = any($1) and cancelled and state = 'taken'`;

const findEnds =
  "select run_id, ending from toolmount_fleet_calls where run_id = any($1) and state = 'ended'";

const forgetEnded = `
  delete from toolmount_fleet_calls
  where state = 'ended' and ended_at < now() - $1 * interval '1 ms' returning run_id`;
