import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { AuditEntry, AuditSink, Json, JsonObject, PastCallFilter } from "@toolmount/core";
import { messageOf, ToolmountError } from "@toolmount/core/errors";
import { tapeHeader, type TapeCall } from "@toolmount/tape";
import { callOf, readPages, RunJoiner } from "../audit/audited-calls.ts";

/** What a policy answers to a call. */
export type PolicyVerdict = "allow" | "ask" | "deny";

/** A call of a tape or an audit. */
export interface RecordedCall {
  readonly tool: string;
  /** The arguments; null if the record has only their beginning, or none. */
  readonly arguments: JsonObject | null;
  /** What the policy answered. */
  readonly answer: PolicyVerdict;
  /** What a person answered; null if no person was asked or answered. */
  readonly person: "allowed" | "denied" | null;
  /** What caused the question, such as a line of the plan. */
  readonly rules: readonly string[];
  readonly user: string | undefined;
  readonly session: string | undefined;
  /** Identifies the call in a report: its run, its number on a tape, or its session and its id in the session. */
  readonly id: string;
  /** Whether flows ask about the call; only set if the whole session is known. */
  readonly asksOfFlows?: boolean;
}

/**
 * Reads the calls of a tape, or of an audit as JSON lines, one after the other. Calls that ended before any decision, for
 * example because of invalid arguments, are left out. Rejects with `REPLAY_INVALID`.
 */
export async function* readCallsOf(file: string): AsyncIterable<RecordedCall> {
  const open = new RunJoiner();
  let isTape = false;
  let number = 0;
  for await (const line of linesOf(file)) {
    number++;
    if (number === 1 && line === tapeHeader) isTape = true;
    else if (line !== "") {
      const value = parseLine(line, file, number);
      const call = isTape ? callOfTape(value) : callOfRun(open.add(entryIn(value, file, number)));
      if (call !== null) yield call;
    }
  }
  yield* restOf(open);
}

/** Reads the calls of a host's audit, page by page. */
export async function* readCallsOfAudit(sink: AuditSink): AsyncIterable<RecordedCall> {
  const open = new RunJoiner();
  for await (const { entry } of readPages(sink)) {
    const call = callOfRun(open.add(entry));
    if (call !== null) yield call;
  }
  yield* restOf(open);
}

/** Number of calls that are read and judged before the process does other work. */
const pageSize = 50;

/** Reads the newest calls of an audit that can list calls, newest first. Between pages, the process does other work. */
export async function* readNewestCallsOf(sink: AuditSink, last: number): AsyncIterable<RecordedCall> {
  let after: PastCallFilter["after"];
  for (let left = last; left > 0; left -= pageSize) {
    const { calls, hasMore } = await sink.calls!({ after, limit: Math.min(pageSize, left) });
    const open = new RunJoiner();
    for (const { entry } of await sink.read({ runIds: calls.map(({ runId }) => runId) })) {
      const call = callOfRun(open.add(entry));
      if (call !== null) yield call;
    }
    yield* restOf(open);
    after = calls.at(-1);
    if (!hasMore) return;
    await setImmediate();
  }
}

function* restOf(open: RunJoiner): Iterable<RecordedCall> {
  for (const entry of open.rest()) {
    const call = callOfRun(entry);
    if (call !== null) yield call;
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
    // The problem is reported below.
  }
  throw new ToolmountError("REPLAY_INVALID", { file, problem: `line ${number}: it is not a JSON object` });
}

function callOfTape(value: JsonObject): RecordedCall | null {
  if ("answer" in value) return null;
  const { order, tool, arguments: given, decision, ran, result } = value as unknown as TapeCall;
  if (decision === "none" || result === undefined) return null;
  const wasDenied = "error" in result && result.code === "DENIED";
  const person = ran ? "allowed" : wasDenied ? "denied" : null;
  return {
    tool,
    arguments: isObject(given) ? given : null,
    answer: decision,
    person: decision === "ask" ? person : null,
    rules: [],
    user: undefined,
    session: undefined,
    id: `call ${order}`,
  };
}

/** Returns the entry of a line, which is a record of the audit or only its entry. */
function entryIn(value: JsonObject, file: string, number: number): AuditEntry {
  const entry = isObject(value["entry"]) ? value["entry"] : value;
  if (typeof entry["kind"] === "string" && typeof entry["runId"] === "string")
    return entry as unknown as AuditEntry;
  const problem = `line ${number}: it is neither a record of an audit nor a call of a tape`;
  throw new ToolmountError("REPLAY_INVALID", { file, problem });
}

/** Phases of a call before a policy decides. */
const early: ReadonlySet<unknown> = new Set(["find", "parse"]);

function callOfRun(entry: AuditEntry | null): RecordedCall | null {
  if (entry === null || early.has(entry["phase"])) return null;
  const { tool, run, arguments: given, answer, person, rules, user, session } = callOf(entry);
  return {
    tool,
    arguments: isObject(given) ? given : null,
    answer,
    person,
    rules,
    user: user ?? undefined,
    session: session ?? undefined,
    id: run,
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
