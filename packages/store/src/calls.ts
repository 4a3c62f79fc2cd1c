import type { AuditEntry, AuditRecord, PastCall } from "@toolmount/core";
import { joinRecord, wordsOf } from "@toolmount/core/record";
import type { Transaction } from "kysely";
import type { CallWords, WordsOfCall } from "./call-words.ts";
import { readRow } from "./read-row.ts";
import type { Tables } from "./tables.ts";

/** Milliseconds without a report after which the calls of a process count as lost. */
export const aliveMs = 45_000;

/** Maximum number of rows of one insert. Each has 15 values, and SQLite accepts 32766 values. */
const rowsPerInsert = 1_000;

/** A call after its newest records were added. */
interface ChangedCall {
  readonly call: PastCall;
  readonly writer: string;
  readonly words: Set<string>;
  /** Whether a search finds the call, because it has ended or waits. */
  readonly isSettled: boolean;
  /** Whether the words include those of the call's arguments. */
  readonly hasArguments: boolean;
}

/** Adds records to the calls that they are about, in the same commit that stores the records. */
export async function storeCalls(
  db: Transaction<Tables>,
  records: readonly AuditRecord[],
  words: CallWords,
  now: number,
): Promise<void> {
  const changed = changedCalls(records);
  for (let at = 0; at < changed.length; at += rowsPerInsert) {
    const part = changed.slice(at, at + rowsPerInsert);
    await words.put(db, await indexed(db, part, await upsert(db, part, now)));
  }
}

function changedCalls(records: readonly AuditRecord[]): readonly ChangedCall[] {
  const changed = new Map<string, ChangedCall>();
  for (const { writer, entry } of records) {
    const before = changed.get(entry.runId);
    changed.set(entry.runId, {
      call: joinRecord(before?.call ?? null, entry),
      writer,
      words: new Set([...(before?.words ?? []), ...wordsOf(entry)]),
      isSettled: entry.kind === "end" || entry.kind === "pending" || before?.isSettled === true,
      hasArguments: entry["arguments"] !== undefined || before?.hasArguments === true,
    });
  }
  return [...changed.values()];
}

/** Adds the calls, or changes those of their columns that can change. Resolves to their numbers, by run id. */
async function upsert(
  db: Transaction<Tables>,
  changed: readonly ChangedCall[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .insertInto("calls")
    .values(changed.map(({ call, writer }) => rowOf(call, writer, now)))
    .onConflict((conflict) =>
      conflict.column("run_id").doUpdateSet((row) => ({
        status: row.ref("excluded.status"),
        code: row.ref("excluded.code"),
        duration_ms: row.ref("excluded.duration_ms"),
        alive_until: row.ref("excluded.alive_until"),
        line: row
          .case()
          .when("calls.line", "=", "")
          .then(row.ref("excluded.line"))
          .else(row.ref("calls.line"))
          .end(),
        writer: row.ref("excluded.writer"),
      })),
    )
    .returning(["run_id", "sequence"])
    .execute();
  return new Map(rows.map(({ run_id, sequence }) => [run_id, sequence]));
}

/** Returns the words of the calls that a search finds. If a start had the arguments, the words of earlier records are added. */
async function indexed(
  db: Transaction<Tables>,
  changed: readonly ChangedCall[],
  sequences: ReadonlyMap<string, number>,
): Promise<readonly WordsOfCall[]> {
  const settled = changed.filter(({ isSettled }) => isSettled);
  const partial = settled
    .filter(({ hasArguments }) => !hasArguments)
    .map(({ call }) => plainText(call.runId));
  const earlier = await wordsBefore(db, partial);
  return settled.map(({ call, words }) => {
    const runId = plainText(call.runId);
    return { sequence: sequences.get(runId)!, words: new Set([...words, ...(earlier.get(runId) ?? [])]) };
  });
}

async function wordsBefore(
  db: Transaction<Tables>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>();
  if (runIds.length === 0) return found;
  const rows = await db
    .selectFrom("audit")
    .select(["run_id", "body"])
    .where("run_id", "in", [...runIds])
    .execute();
  for (const { run_id, body } of rows) {
    const { entry } = readRow(body) as { readonly entry: AuditEntry };
    found.set(run_id, new Set([...wordsOf(entry), ...(found.get(run_id) ?? [])]));
  }
  return found;
}

function rowOf(call: PastCall, writer: string, now: number): Omit<Tables["calls"], "sequence"> {
  const optional = (text: string | null) => (text === null ? null : plainText(text));
  return {
    run_id: plainText(call.runId),
    call_id: plainText(call.callId),
    kind: call.kind,
    tool: plainText(call.tool),
    status: call.status,
    code: call.code,
    user_id: optional(call.userId),
    session_id: optional(call.sessionId),
    turn_id: optional(call.turnId),
    parent_run_id: optional(call.parentRunId),
    place: call.place === null ? null : JSON.stringify(call.place),
    line: plainText(call.line),
    at: call.startedAt,
    duration_ms: call.durationMs,
    alive_until: call.status === "running" ? now + aliveMs : null,
    writer,
  };
}

/** Returns a text without the characters that Postgres refuses. The stored record itself has them, as escapes of JSON. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
