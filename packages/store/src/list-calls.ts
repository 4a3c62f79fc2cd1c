import type { PastCall, PastCallFilter, PastCallPage } from "@toolmount/core";
import { soughtWords, type SoughtWord } from "@toolmount/core/record";
import {
  sql,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
} from "kysely";
import type { CallWords } from "./call-words.ts";
import { plainText } from "./calls.ts";
import { readRow } from "./read-row.ts";
import type { Tables } from "./tables.ts";

/** Reads a page of calls, newest first. */
export async function listCalls(
  db: Kysely<Tables>,
  filter: PastCallFilter,
  words: CallWords,
  now: number,
): Promise<PastCallPage> {
  const { limit } = filter;
  const sought = soughtWords(filter.text ?? "");
  const query = db
    .selectFrom("calls")
    .selectAll("calls")
    .where((row) => row.and(conditions(row, filter, now)))
    .limit(limit + 1);
  const rows = await (
    sought.length === 0 ? newest(query, filter) : newestWith(query, sought, words, filter)
  ).execute();
  return { calls: rows.slice(0, limit).map((row) => callOf(row, now)), hasMore: rows.length > limit };
}

type CallQuery = SelectQueryBuilder<Tables, "calls", Selectable<Tables["calls"]>>;

function newest(query: CallQuery, { after }: PastCallFilter): CallQuery {
  const ordered = query.orderBy("calls.at", "desc").orderBy("calls.run_id", "desc");
  if (after === undefined) return ordered;
  return ordered
    .where("calls.at", "<=", after.startedAt) // the index is only by time
    .where((row) =>
      row.or([row("calls.at", "<", after.startedAt), row("calls.run_id", "<", plainText(after.runId))]),
    );
}

/** Reads calls in the order of the index, in which they were stored. The read stops at the limit and needs no sort. */
function newestWith(
  query: CallQuery,
  sought: readonly SoughtWord[],
  words: CallWords,
  { after }: PastCallFilter,
): CallQuery {
  const found = query
    .innerJoin(sql<object>`call_words`.as("found"), (join) =>
      join.on(words.sequence, "=", sql.ref("calls.sequence")),
    )
    .where(words.has(sought))
    .orderBy(words.sequence, "desc");
  if (after === undefined) return found;
  const last = sql<number>`(select sequence from calls where run_id = ${plainText(after.runId)})`;
  return found.where(words.sequence, "<", last) as CallQuery;
}

const columns = {
  tool: "tool",
  code: "code",
  userId: "user_id",
  sessionId: "session_id",
  callId: "call_id",
} as const;

function conditions(
  row: ExpressionBuilder<Tables, "calls">,
  filter: PastCallFilter,
  now: number,
): Expression<SqlBool>[] {
  const { status, runIds, parentRunIds, since, until } = filter;
  const equal = Object.entries(columns).flatMap(([name, column]) => {
    const value = filter[name as keyof typeof columns];
    return value === undefined ? [] : [row(column, "=", plainText(value))];
  });
  return [
    ...equal,
    ...(runIds === undefined ? [] : [row("run_id", "in", runIds.map(plainText))]),
    ...(parentRunIds === undefined ? [] : [row("parent_run_id", "in", parentRunIds.map(plainText))]),
    ...(status === undefined ? [] : [hasStatus(row, status, now)]),
    ...(since === undefined ? [] : [row("at", ">=", since)]),
    ...(until === undefined ? [] : [row("at", "<", until)]),
  ];
}

/** Returns the condition that a call has a status. A running call whose process has ended is `unknown`. */
function hasStatus(
  row: ExpressionBuilder<Tables, "calls">,
  status: string,
  now: number,
): Expression<SqlBool> {
  const runs = row("status", "=", "running");
  if (status === "running") return row.and([runs, row("alive_until", ">=", now)]);
  if (status !== "unknown") return row("status", "=", status);
  return row.or([row("status", "=", "unknown"), row.and([runs, row("alive_until", "<", now)])]);
}

function callOf(row: Selectable<Tables["calls"]>, now: number): PastCall {
  const isLost = row.alive_until !== null && row.alive_until < now;
  return {
    runId: row.run_id,
    callId: row.call_id,
    kind: row.kind as PastCall["kind"],
    tool: row.tool,
    startedAt: row.at,
    status: isLost ? "unknown" : row.status,
    code: isLost ? "OUTCOME_UNKNOWN" : row.code,
    durationMs: row.duration_ms,
    sessionId: row.session_id,
    userId: row.user_id,
    turnId: row.turn_id,
    parentRunId: row.parent_run_id,
    place: row.place === null ? null : (readRow(row.place) as PastCall["place"]),
    line: row.line,
  };
}
