import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { AuditEntry, AuditRecord, AuditSink, Json, JsonObject } from "@toolmount/core";
import { messageOf, ToolmountError } from "@toolmount/core/errors";
import { tapeHeader, type TapeCall } from "@toolmount/core/tape";

/** What a policy answers to a call. */
export type PolicyVerdict = "allow" | "ask" | "deny";

/** One call of a tape or an audit. */
export interface RecordedCall {
  readonly tool: string;
  /** Null where the record has only the beginning of them, or none. */
  readonly arguments: JsonObject | null;
  /** What the policy answered. */
  readonly answer: PolicyVerdict;
  /** What a person answered; null where no person was asked, or none has answered. */
  readonly person: "allowed" | "denied" | null;
  /** What asked, such as a line of the plan. */
  readonly rules: readonly string[];
  readonly user: string | undefined;
  readonly session: string | undefined;
  /** Names the call in a report: its run, or its number on a tape. */
  readonly id: string;
}

/**
 * Reads the calls of a tape, or of an audit as JSON lines, one after the other. Calls that ended before any decision, such
 * as one with invalid arguments, are left out. Rejects with `REPLAY_INVALID`.
 */
export async function* readCallsOf(file: string): AsyncIterable<RecordedCall> {
  const open = new OpenRuns();
  let isTape = false;
  let number = 0;
  for await (const line of linesOf(file)) {
    number++;
    if (number === 1 && line === tapeHeader) isTape = true;
    else if (line !== "") {
      const value = parseLine(line, file, number);
      const call = isTape ? callOfTape(value) : open.add(entryIn(value, file, number));
      if (call !== null) yield call;
    }
  }
  yield* open.rest();
}

/** The calls of a host's audit, read page by page. */
export async function* readCallsOfAudit(sink: AuditSink): AsyncIterable<RecordedCall> {
  const open = new OpenRuns();
  for await (const { entry } of readPages(sink)) {
    const call = open.add(entry);
    if (call !== null) yield call;
  }
  yield* open.rest();
}

/** Records of one page. */
const pageSize = 2_000;

/** All records of an audit since a time, oldest first, without holding more than a page. */
export async function* readPages(sink: AuditSink, since?: number): AsyncIterable<AuditRecord> {
  let after: AuditRecord | undefined;
  for (;;) {
    const page = await sink.read({ since, page: { size: pageSize, after } });
    yield* page;
    after = page.at(-1);
    if (page.length < pageSize) return;
  }
}

async function* linesOf(file: string): AsyncIterable<string> {
  try {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw new ToolmountError("REPLAY_INVALID", { file, problem: messageOf(cause) }, { cause });
  }
}

function parseLine(line: string, file: string, number: number): JsonObject {
  try {
    const value = JSON.parse(line) as Json;
    if (isObject(value)) return value;
  } catch {
    // It is reported below.
  }
  throw new ToolmountError("REPLAY_INVALID", { file, problem: `line ${number}: it is not a JSON object` });
}

function callOfTape(value: JsonObject): RecordedCall | null {
  if ("answer" in value) return null;
  const { order, tool, arguments: given, decision, result } = value as unknown as TapeCall;
  if (decision === "none" || result === undefined) return null;
  const wasDenied = "error" in result && result.code === "DENIED";
  return {
    tool,
    arguments: isObject(given) ? given : null,
    answer: decision,
    person: decision === "ask" ? (wasDenied ? "denied" : "allowed") : null,
    rules: [],
    user: undefined,
    session: undefined,
    id: `call ${order}`,
  };
}

/** A line is a record of the audit, or its entry. */
function entryIn(value: JsonObject, file: string, number: number): AuditEntry {
  const entry = isObject(value["entry"]) ? value["entry"] : value;
  if (typeof entry["kind"] === "string" && typeof entry["runId"] === "string")
    return entry as unknown as AuditEntry;
  const problem = `line ${number}: it is neither a record of an audit nor a call of a tape`;
  throw new ToolmountError("REPLAY_INVALID", { file, problem });
}

/** Most runs whose end is awaited. Calls under way at one time are far fewer. */
const maxOpen = 50_000;

/** Joins the records of a run: its arguments are in the first one, its answer in the last. */
class OpenRuns {
  readonly #runs = new Map<string, AuditEntry>();

  add(entry: AuditEntry): RecordedCall | null {
    if (entry.kind === "decision") return null;
    const joined = { ...this.#runs.get(entry.runId), ...entry };
    this.#runs.delete(entry.runId);
    if (entry.kind === "end") return callOfRun(joined);
    this.#runs.set(entry.runId, joined);
    if (this.#runs.size <= maxOpen) return null;
    const [[runId, oldest]] = this.#runs as unknown as [[string, AuditEntry]];
    this.#runs.delete(runId);
    return callOfRun(oldest);
  }

  *rest(): Iterable<RecordedCall> {
    for (const entry of this.#runs.values()) {
      const call = callOfRun(entry);
      if (call !== null) yield call;
    }
  }
}

/** Phases before a policy decides. */
const early: ReadonlySet<unknown> = new Set(["find", "parse"]);

function callOfRun(entry: AuditEntry): RecordedCall | null {
  const { tool, runId, status, asked, phase, arguments: given, userId, sessionId } = entry;
  if (early.has(phase)) return null;
  const reasons = (Array.isArray(asked) ? asked : []) as readonly { source?: string; rule?: string | null }[];
  const answer = reasons.length > 0 ? "ask" : status === "denied" ? "deny" : "allow";
  const isOpen = answer !== "ask" || status === "pending" || status === undefined;
  return {
    tool,
    arguments: isObject(given) ? given : null,
    answer,
    person: isOpen ? null : status === "denied" ? "denied" : "allowed",
    rules: reasons.map(({ source = "rule", rule }) => rule ?? source),
    user: typeof userId === "string" ? userId : undefined,
    session: typeof sessionId === "string" ? sessionId : undefined,
    id: runId,
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
