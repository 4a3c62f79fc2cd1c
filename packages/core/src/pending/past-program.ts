import type { PastCall, PastCallFilter } from "../contract/audit.ts";
import { isRecord, type Json } from "../json/json.ts";

/** A line of a program with the calls that it made, in the order in which they began. */
export interface ProgramLine<Call extends PastCall = PastCall> {
  /** From 1; null for calls of which no line is known. */
  readonly line: number | null;
  readonly code: string;
  /** Whether the program has come here, and waits for the end of a call. */
  readonly isNow: boolean;
  readonly calls: readonly Call[];
}

/** A program as its records say it, also after it has ended. */
export interface PastProgram<Call extends PastCall = PastCall> {
  readonly lines: readonly ProgramLine<Call>[];
  /** Whether only the beginning of its source is known; of later lines there are those that made calls. */
  readonly isCut: boolean;
  /** Whether it made more calls than are shown. */
  readonly hasMore: boolean;
}

/** Lists calls, newest first. */
type List<Call> = (filter: PastCallFilter) => Promise<{ calls: readonly Call[]; hasMore: boolean }>;

/** Calls of a program that are shown. */
const maxCalls = 1_000;

/** Earlier runs of a program, whose processes died. */
const maxRuns = 100;

/**
 * Reads the program that a call ran: its source from the arguments, its calls from the list. Null for a call whose arguments
 * have no source.
 */
export async function readProgram<Call extends PastCall>(
  list: List<Call>,
  call: PastCall,
  given: Json | undefined,
): Promise<PastProgram<Call> | null> {
  const source = sourceOf(given);
  if (source === null) return null;
  const { calls, hasMore } = await list({ parentRunIds: await runsOf(list, call), limit: maxCalls });
  const lines = linesOf(source.text, calls.toReversed(), isOpen(call));
  return { lines, isCut: source.isCut, hasMore };
}

/** The run, and the earlier ones that it continues: their processes died. */
async function runsOf(list: List<PastCall>, call: PastCall): Promise<readonly string[]> {
  const { runId, callId, sessionId, tool, startedAt } = call;
  if (sessionId === null) return [runId];
  const same = { callId, sessionId, tool, until: startedAt + 1, limit: maxRuns };
  const earlier = (await list(same)).calls.filter((one) => one.runId !== runId);
  const ended = earlier.findIndex(({ status }) => status !== "unknown" && status !== "running");
  return [runId, ...earlier.slice(0, ended === -1 ? maxRuns : ended).map((one) => one.runId)];
}

/** The source in the arguments of a call. The audit has long arguments as the beginning of their JSON. */
function sourceOf(given: Json | undefined): { readonly text: string; readonly isCut: boolean } | null {
  if (isRecord(given)) {
    const { source } = given;
    return typeof source === "string" ? { text: source, isCut: false } : null;
  }
  if (typeof given !== "string") return null;
  const [, text] = /^\{"source":"((?:[^"\\]|\\u[\da-f]{4}|\\[^u])*)/i.exec(given) ?? [];
  return text === undefined ? null : { text: JSON.parse(`"${text}"`) as string, isCut: true };
}

function isOpen({ status }: PastCall): boolean {
  return status === "running" || status === "waiting" || status === "decided";
}

function linesOf<Call extends PastCall>(
  source: string,
  calls: readonly Call[],
  isRunning: boolean,
): readonly ProgramLine<Call>[] {
  const made = Map.groupBy(calls, ({ place }) => place?.line ?? null);
  const texts = source.trimEnd().split("\n");
  const known = texts.map((code, at) => ({ line: at + 1, code }));
  const others = [...made.keys()].filter((line) => line === null || line > texts.length);
  const later = others
    .toSorted((one, other) => (one ?? Infinity) - (other ?? Infinity))
    .map((line) => ({ line, code: made.get(line)![0]!.place?.code ?? "" }));
  return [...known, ...later].map(({ line, code }) => {
    const own = made.get(line) ?? [];
    return { line, code, isNow: isRunning && own.some(isOpen), calls: own };
  });
}
