import { ToolmountError } from "../contract/errors.ts";
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

/** Returns what one more record changes of a call. `before` is null for the first record that is known of it. */
export function joinRecord(before: PastCall | null, entry: AuditEntry): PastCall {
  const { kind, at, runId, tool, durationMs } = entry;
  const known = before ?? {
    runId,
    callId: textOf(entry["callId"]) ?? "",
    kind: kindOf(entry),
    tool,
    // A call without a start was refused, or it asked: its time is over when its first record is written.
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

/** The kind of a call, by its record or its trace. */
export function kindOf({ rehearsalId, undoOf }: AuditEntry | CallTrace): CallKind {
  if (typeof rehearsalId === "string") return "rehearsal";
  return typeof undoOf === "string" ? "undo" : "call";
}

function placeOf(place: Json | undefined): PastCall["place"] {
  if (!isRecord(place)) return null;
  const { line, code } = place;
  return typeof line === "number" && typeof code === "string" ? { line, code } : null;
}

/** The longest line of arguments, in characters. */
const maxLine = 200;

/** Arguments as a line for a list: `to: ACME, amount: 5`. A text is the beginning of their JSON. */
export function lineOf(given: Json | undefined): string {
  if (given === undefined || given === null) return "";
  const line = (isRecord(given) ? membersOf(given) : shortText(given)).slice(0, maxLine + 1).toWellFormed();
  return line.length > maxLine ? `${line.slice(0, maxLine - 1)}…` : line;
}

/** No more members than a line has room for: an object may have thousands. */
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

/** The words that a search finds in a record: those of arguments, result and error. */
export function wordsOf(entry: Pick<AuditEntry, string>): ReadonlySet<string> {
  const words = new Set<string>();
  const { arguments: given, result, resultText } = entry;
  addWords(typeof given === "string" ? withoutEscapes(given) : given, words);
  addWords(typeof resultText === "string" ? withoutEscapes(resultText) : result, words);
  addWords(entry["error"], words);
  return words;
}

/** The beginning of a JSON text, as words: an escape is a space. */
function withoutEscapes(json: string): string {
  return json.replaceAll(/\\(?:u[0-9a-fA-F]{4}|.)/g, " ");
}

/** Words of one record, and characters of one word, that a search finds. */
const maxWords = 2_000;
const maxWordLength = 64;

/** A letter of a script that puts no spaces between words, or a run of other letters, digits and underscores. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_])+/gu;

/** A word that a person searches for. */
export interface SoughtWord {
  readonly word: string;
  /** Words with this beginning, too. */
  readonly isStart: boolean;
}

/** Most words of a search, and most of them with `*`: each of these may mean every word of the audit. */
const maxSought = { words: 64, starts: 2 } as const;

/** The words of a search: `order*` is each word with that beginning. Throws `OPTION_INVALID` for too many. */
export function soughtWords(text: string): readonly SoughtWord[] {
  const problem = searchProblem(text);
  if (problem !== null) throw new ToolmountError("OPTION_INVALID", { option: "text", problem });
  return readSearch(text);
}

/** Why a text is no search; null for one that is. */
export function searchProblem(text: string): string | null {
  const sought = readSearch(text);
  if (sought.length > maxSought.words) return `a search has at most ${maxSought.words} words`;
  if (sought.filter(({ isStart }) => isStart).length <= maxSought.starts) return null;
  return `a search has at most ${maxSought.starts} words with *; write the others whole`;
}

/** Each word once, without beginnings that another word has anyway. */
function readSearch(text: string): readonly SoughtWord[] {
  const words = new Map<string, SoughtWord>();
  for (const { 0: found, index } of text.toWellFormed().matchAll(word)) {
    const isStart = text[index + found.length] === "*";
    const one = { word: foldWord(found), isStart };
    words.set(`${one.word}${isStart ? "*" : ""}`, one);
  }
  const all = [...words.values()];
  return all.filter(
    (one) => !one.isStart || !all.some((other) => other !== one && other.word.startsWith(one.word)),
  );
}

function foldWord(found: string): string {
  return found.toLowerCase().slice(0, maxWordLength);
}

function addWords(value: unknown, words: Set<string>): void {
  if (value === undefined || value === null || words.size >= maxWords) return;
  const text = typeof value === "string" ? value : textOfJson(value);
  for (const [found] of text.toWellFormed().matchAll(word)) {
    words.add(foldWord(found));
    if (words.size >= maxWords) return;
  }
}

/** The texts of a value, its keys included, without the escapes of JSON. */
function textOfJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Array.isArray(value) ? value : Object.entries(value).flat();
  return parts.map((part) => (typeof part === "string" ? part : textOfJson(part))).join(" ");
}

/** The calls of a whole audit, for a sink that has all records in memory. */
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

/** Whether a call has what a filter names, its text aside. */
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

/** Whether a search finds a call with these words. */
export function hasWords(words: ReadonlySet<string>, wanted: readonly SoughtWord[]): boolean {
  return wanted.every(({ word: one, isStart }) =>
    isStart ? [...words].some((known) => known.startsWith(one)) : words.has(one),
  );
}

type Place = Pick<PastCall, "startedAt" | "runId">;

/** The order of a list of calls. */
export function newestFirst(one: Place, other: Place): number {
  if (one.startedAt !== other.startedAt) return other.startedAt - one.startedAt;
  return one.runId === other.runId ? 0 : one.runId < other.runId ? 1 : -1;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
