import type { FleetAnswered, FleetEnd, FleetLedger } from "@toolmount/core";
import { readForeign } from "../read-row.ts";
import type { Query } from "./query.ts";
import { readEnd } from "./read-end.ts";

/** Longest answer, in characters, that is read together with the end of its call. A longer answer is read separately. */
const inlineLength = 65_536;

/** The end for an answer that cannot be read. The host then fails only this call. */
const unreadable = { kind: "answered", answer: null } as const;

/** Returns the methods that end calls, and by which hosts read the ends. */
export function endRows(
  query: Query,
): Pick<
  FleetLedger,
  "answer" | "answerOf" | "withdraw" | "cancel" | "cancelled" | "ends" | "collect" | "forget"
> {
  const isChanged = async (sql: string, values: readonly unknown[]) => (await query(sql, values)).length > 0;
  return {
    async answer(worker, answers) {
      const rows = answers.map(rowOfAnswer);
      const last = answers.flatMap(({ runId, last: bodies = [] }) => bodies.map((body) => ({ runId, body })));
      const ended = await query<{ readonly run_id: string }>(endWithAnswers, [
        worker,
        rows.map(({ runId }) => runId),
        rows.map(({ end }) => end),
        rows.map(({ answer }) => answer),
        last.map(({ runId }) => runId),
        last.map(({ body }) => JSON.stringify(body)),
      ]);
      return ended.map(({ run_id }) => run_id);
    },
    async answerOf(runId) {
      const sql = "select answer from toolmount_fleet_calls where run_id = $1";
      const [row] = await query<{ readonly answer: string | null }>(sql, [runId]);
      if (typeof row?.answer !== "string") throw new Error(`the ledger has no answer of the run "${runId}"`);
      return readForeign(row.answer);
    },
    withdraw: (runId) => isChanged(endWaiting, [runId, JSON.stringify({ kind: "withdrawn" })]),
    cancel: async (runId) => void (await query(cancelRunning, [runId])),
    async cancelled(runIds) {
      const rows = await query<{ readonly run_id: string }>(findCancelled, [runIds]);
      return rows.map(({ run_id }) => run_id);
    },
    async ends(runIds) {
      const rows = await query<{ readonly run_id: string; readonly ending: string }>(findEnds, [runIds]);
      return new Map(rows.map(({ run_id, ending }) => [run_id, readEnd(ending) ?? unreadable]));
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

/** Maximum number of bytes of an end that a notification carries. Postgres refuses a payload of 8000 bytes. */
const noticeBytes = 7_000;

/** Returns the columns of an answer. A short answer is a part of the end; a long one has its own column. */
function rowOfAnswer({ runId, answer }: FleetAnswered) {
  const text = JSON.stringify(answer);
  const isLong = text.length > inlineLength;
  const end: FleetEnd = isLong
    ? { kind: "stored", bytes: Buffer.byteLength(text) }
    : { kind: "answered", answer };
  return { runId, end: JSON.stringify(end), answer: isLong ? text : null };
}

/**
 * Ends calls. The notification carries a short end, so that the host need not read the row, unless it must read messages first.
 * A worker whose lease has passed may still answer until another statement handles the lease, because the row decides.
 */
const endWithAnswers = `
  with own as (
    select run_id from toolmount_fleet_calls
    where run_id = any($2) and worker = $1 and state = 'taken' order by run_id for update),
  ended as (
    update toolmount_fleet_calls as calls
    set state = 'ended', ending = given.ending, answer = given.answer, ended_at = now(), lease_until = null
    from own join unnest($2::text[], $3::text[], $4::text[]) as given (run_id, ending, answer) using (run_id)
    where calls.run_id = own.run_id returning calls.run_id, host, calls.ending),
  last as (
    select run_id, body, place
    from ended join unnest($5::text[], $6::text[]) with ordinality as last (run_id, body, place) using (run_id)),
  said as (
    insert into toolmount_fleet_messages (run_id, recipient, body)
    select run_id, 'host', body from last order by place)
  select run_id, pg_notify('toolmount_fleet_' || host, 'ended ' || run_id || case
    when octet_length(ending) > ${noticeBytes} or run_id = any($5) or exists (
      select 1 from toolmount_fleet_messages as messages where messages.run_id = ended.run_id and recipient = 'host')
    then '' else ' ' || ending end) from ended`;

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
