import { isRecord, type Json } from "../json/json.ts";
import type { CallTrace } from "../contract/call-trace.ts";
import type {
  AuditEntry,
  AuditRecord,
  CallKind,
  PastCall,
  PastCallFilter,
  PastCallPage,
} from "../contract/audit.ts";
import { hasWords, soughtWords, wordsOf } from "./call-words.ts";

/** Adds a record to what is known of a call. `before` is null for the first known record of the call. */
export function joinRecord(before: PastCall | null, entry: AuditEntry): PastCall {
  const { kind, at, runId, tool, durationMs } = entry;
  const known = before ?? {
    runId,
    callId: textOf(entry["callId"]) ?? "",
    kind: kindOf(entry),
    tool,
    // A call without a start was refused or asked a person. Its first record is written `durationMs` after the call arrived.
    startedAt: kind === "start" || typeof durationMs !== "number" ? at : Math.floor(at - durationMs),
    sessionId: textOf(entry["sessionId"]),
    userId: textOf(entry["userId"]),
    turnId: textOf(entry["turnId"]),
    parentRunId: textOf(entry["parentRunId"]),
    place: placeOf(entry["place"]),
    line: "",
  };
  return {
    ...known,
    line: known.line === "" ? lineOf(entry["arguments"]) : known.line,
    status: statusOf(entry),
    code: kind === "end" ? textOf(entry["code"]) : null,
    durationMs: kind === "end" && typeof durationMs === "number" ? durationMs : null,
  };
}

/** Returns the kind of a call, given its record or its trace. */
export function kindOf({ rehearsalId, undoOf }: AuditEntry | CallTrace): CallKind {
  if (typeof rehearsalId === "string") return "rehearsal";
  return typeof undoOf === "string" ? "undo" : "call";
}

function placeOf(place: Json | undefined): PastCall["place"] {
  if (!isRecord(place)) return null;
  const { line, code } = place;
  return typeof line === "number" && typeof code === "string" ? { line, code } : null;
}

/** Maximum number of characters of a line of arguments. */
const maxLine = 200;

/** Returns arguments as a line for a list: `to: ACME, amount: 5`. Arguments given as text are the beginning of their JSON. */
export function lineOf(given: Json | undefined): string {
  if (given === undefined || given === null) return "";
  const line = (isRecord(given) ? membersOf(given) : shortText(given)).slice(0, maxLine + 1).toWellFormed();
  return line.length > maxLine ? `${line.slice(0, maxLine - 1)}…` : line;
}

/** Returns as many members as a line has room for, because an object may have thousands. */
function membersOf(given: Readonly<Record<string, Json>>): string {
  let line = "";
  for (const name in given) {
    line += `${line === "" ? "" : ", "}${name}: ${shortText(given[name])}`;
    if (line.length > maxLine) break;
  }
  return line;
}

function shortText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.slice(0, maxLine).replaceAll(/\s+/g, " ");
}

function statusOf({ kind, status }: AuditEntry): string {
  if (kind === "end") return textOf(status) ?? "unknown";
  return { start: "running", pending: "waiting", decision: "decided" }[kind];
}

/** Returns a page of the calls of a whole audit, for a sink that has all records in memory. */
export function pastCalls(records: readonly AuditRecord[], filter: PastCallFilter): PastCallPage {
  const calls = new Map<string, PastCall>();
  const words = new Map<string, Set<string>>();
  for (const { entry } of records) {
    calls.set(entry.runId, joinRecord(calls.get(entry.runId) ?? null, entry));
    if (filter.text === undefined) continue;
    const known = words.get(entry.runId) ?? new Set();
    for (const one of wordsOf(entry)) known.add(one);
    words.set(entry.runId, known);
  }
  const wanted = filter.text === undefined ? null : soughtWords(filter.text);
  const found = [...calls.values()]
    .filter((call) => isWanted(call, filter) && (wanted === null || hasWords(words.get(call.runId)!, wanted)))
    .toSorted(newestFirst);
  return { calls: found.slice(0, filter.limit), hasMore: found.length > filter.limit };
}

/** Whether a call matches a filter, except for its text. */
export function isWanted(call: PastCall, filter: Omit<PastCallFilter, "limit">): boolean {
  const { tool, status, code, userId, sessionId, callId, runIds, parentRunIds, since, until, after } = filter;
  return (
    (runIds === undefined || runIds.includes(call.runId)) &&
    (parentRunIds === undefined || parentRunIds.includes(call.parentRunId ?? "")) &&
    (tool === undefined || call.tool === tool) &&
    (status === undefined || call.status === status) &&
    (code === undefined || call.code === code) &&
    (userId === undefined || call.userId === userId) &&
    (sessionId === undefined || call.sessionId === sessionId) &&
    (callId === undefined || call.callId === callId) &&
    (since === undefined || call.startedAt >= since) &&
    (until === undefined || call.startedAt < until) &&
    (after === undefined || newestFirst(after, call) < 0)
  );
}

type Place = Pick<PastCall, "startedAt" | "runId">;

/** Compares two calls for a list that begins with the newest. */
export function newestFirst(one: Place, other: Place): number {
  if (one.startedAt !== other.startedAt) return other.startedAt - one.startedAt;
  return one.runId === other.runId ? 0 : one.runId < other.runId ? 1 : -1;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
