import type { AuditEntry, AuditRecord, AuditSink, Json, JsonObject, PastCall } from "@toolmount/core";
import { hasWords, kindOf, soughtWords, wordsOf } from "@toolmount/core/record";

/** Number of records in a page. */
const pageSize = 2_000;

/** Yields all records of an audit since a time, oldest first. It keeps only one page of them in memory. */
export async function* readPages(
  sink: AuditSink,
  { since, tool }: { readonly since?: number | undefined; readonly tool?: string | undefined } = {},
): AsyncIterable<AuditRecord> {
  let after: AuditRecord | undefined;
  for (;;) {
    const page = await sink.read({ since, tool, page: { size: pageSize, after } });
    yield* page;
    after = page.at(-1);
    if (page.length < pageSize) return;
  }
}

/** Maximum number of runs that are kept until their end is read. Far fewer calls run at the same time. */
const maxOpen = 50_000;

/** Joins the records of each run: its arguments are in the first record, and how it ended in the last. */
export class RunJoiner {
  readonly #runs = new Map<string, AuditEntry>();

  /** Adds a record. Returns the joined record of a run that has ended or, with too many open runs, of the oldest; else null. */
  add(entry: AuditEntry): AuditEntry | null {
    const before = this.#runs.get(entry.runId);
    const joined = before === undefined ? entry : joinedOf([before, entry]);
    this.#runs.delete(entry.runId);
    if (entry.kind === "end") return joined;
    this.#runs.set(entry.runId, joined);
    if (this.#runs.size <= maxOpen) return null;
    const [[runId, oldest]] = this.#runs as unknown as [[string, AuditEntry]];
    this.#runs.delete(runId);
    return oldest;
  }

  /** Returns the joined records of the runs that have not ended. */
  rest(): Iterable<AuditEntry> {
    return this.#runs.values();
  }
}

/** Returns the members of an earlier record that a later one may lack. Only the last record says how the run ended. */
function keptOf({ arguments: given, asked, approvedBy, allowedBy, runBy, by }: AuditEntry) {
  return { arguments: given, asked, approvedBy, allowedBy, runBy, by };
}

/** Joins the records of one run, oldest first, to one record. */
export function joinedOf(entries: readonly AuditEntry[]): AuditEntry {
  return entries.reduce((before, entry) => ({ ...keptOf(before), ...entry }));
}

/** A call of an audit, with the facts that people ask about. */
export interface AuditedCall {
  readonly at: number;
  readonly run: string;
  /** A rehearsal changed nothing; an undo restored what an earlier call had changed. */
  readonly kind: PastCall["kind"];
  readonly tool: string;
  /** The arguments; a text if the audit has only their beginning. */
  readonly arguments: JsonObject | string | null;
  readonly user: string | null;
  readonly session: string | null;
  /** What the policy answered. */
  readonly answer: "allow" | "ask" | "deny";
  /** What caused the question, such as a line of the plan. */
  readonly rules: readonly string[];
  /** The person who approved the call. */
  readonly approvedBy: string | null;
  readonly deniedBy: string | null;
  /** The person who ran the call instead of its caller. */
  readonly runBy: string | null;
  /** The line of the plan, or the default, that removed a question. */
  readonly allowedBy: string | null;
  /** What a person answered; null if no person answered. */
  readonly person: "allowed" | "denied" | null;
  /** How the call ended. `running` and `waiting` mean that it has not ended yet. */
  readonly status: string;
  readonly code: string | null;
  readonly error: string | null;
  /** The data of the call's result; a text with `…` if the audit has only the beginning of the data. */
  readonly result: Json;
  readonly durationMs: number | null;
}

/** Reads a joined record. */
export function callOf(entry: AuditEntry): AuditedCall {
  const { kind, at, runId, tool, arguments: given, asked, durationMs } = entry;
  const { result = null, resultText } = entry;
  const reasons = (Array.isArray(asked) ? asked : []) as readonly { source?: string; rule?: string | null }[];
  const ended = kind === "end" ? readText(entry["status"]) : null;
  return {
    at,
    run: runId,
    kind: kindOf(entry),
    tool,
    arguments: typeof given === "string" || isObject(given) ? given : null,
    user: readText(entry["userId"]),
    session: readText(entry["sessionId"]),
    answer: reasons.length > 0 ? "ask" : ended === "denied" ? "deny" : "allow",
    rules: reasons.map(({ source = "rule", rule }) => rule ?? source),
    approvedBy: readText(entry["approvedBy"]),
    deniedBy: readText(entry["by"]),
    runBy: readText(entry["runBy"]),
    allowedBy: readText(entry["allowedBy"]),
    person: reasons.length === 0 ? null : personOf(entry),
    status: ended ?? (reasons.length > 0 ? "waiting" : "running"),
    code: readText(entry["code"]),
    error: readText(entry["error"]),
    result: typeof resultText === "string" ? `${resultText}…` : result,
    durationMs: typeof durationMs === "number" ? durationMs : null,
  };
}

/** Deciders that are not persons. */
const machines: ReadonlySet<unknown> = new Set(["timeout", "the host"]);

/** Returns what a person answered. A question without an answer, or a withdrawn one, does not say what a person wants. */
function personOf({ kind, status, by, approvedBy }: AuditEntry): AuditedCall["person"] {
  if (readText(approvedBy) !== null) return "allowed";
  const isDenied = kind === "end" && status === "denied" && readText(by) !== null;
  return isDenied && !machines.has(by) ? "denied" : null;
}

function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Selects calls of an audit. */
export interface CallFilter {
  readonly run?: string | undefined;
  readonly tool?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Words that are searched in arguments, result and error. */
  readonly text?: string | undefined;
}

/** Yields the joined calls of an audit, in the order in which they ended. Calls that have not ended come last. */
export async function* readAuditedCalls(sink: AuditSink, filter: CallFilter): AsyncIterable<AuditedCall> {
  const runs = new RunJoiner();
  for await (const { entry } of readPages(sink, filter)) {
    const joined = runs.add(entry);
    if (joined !== null && isWanted(joined, filter)) yield callOf(joined);
  }
  for (const entry of runs.rest()) if (isWanted(entry, filter)) yield callOf(entry);
}

/** Whether a joined record fits a filter. */
export function isWanted(entry: AuditEntry, filter: CallFilter): boolean {
  const { run, tool, user, session, status, code, since, until, text } = filter;
  const call = callOf(entry);
  const same = ([wanted, is]: readonly [unknown, unknown]) => wanted === undefined || wanted === is;
  const pairs = [
    [run, call.run],
    [tool, call.tool],
    [user, call.user],
    [session, call.session],
    [status, call.status],
    [code, call.code],
  ] as const;
  return (
    pairs.every(same) &&
    (since === undefined || call.at >= since) &&
    (until === undefined || call.at < until) &&
    (text === undefined || hasWords(wordsOf(entry), soughtWords(text)))
  );
}
