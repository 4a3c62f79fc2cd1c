import type { PastCall, PastCallFilter } from "../contract/audit.ts";
import { isRecord, type Json } from "../json/json.ts";

/** A line of a program with the calls that it made, in the order in which they began. */
export interface ProgramLine<Call extends PastCall = PastCall> {
  /** Counted from 1; null for calls whose line is not known. */
  readonly line: number | null;
  readonly code: string;
  /** Whether the program has reached this line, and waits there for the end of a call. */
  readonly isNow: boolean;
  readonly calls: readonly Call[];
}

/** A program as its records describe it, even after it has ended. */
export interface PastProgram<Call extends PastCall = PastCall> {
  readonly lines: readonly ProgramLine<Call>[];
  /** Whether only the beginning of the program's source is known. Later lines are then known only if they made calls. */
  readonly isCut: boolean;
  /** Whether the program made more calls than are shown. */
  readonly hasMore: boolean;
}

/** Lists calls, newest first. */
type List<Call> = (filter: PastCallFilter) => Promise<{ calls: readonly Call[]; hasMore: boolean }>;

/** Maximum number of calls of a program that are shown. */
const maxCalls = 1_000;

/** Maximum number of earlier runs of a program, whose processes died, that are read. */
const maxRuns = 100;

/**
 * Reads the program that a call ran: its source from the arguments `given`, and its calls with `list`. Null if the arguments
 * contain no source.
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

/** Returns the ids of a run and of the earlier runs that it continues, because their processes died. */
async function runsOf(list: List<PastCall>, call: PastCall): Promise<readonly string[]> {
  const { runId, callId, sessionId, tool, startedAt } = call;
  if (sessionId === null) return [runId];
  const same = { callId, sessionId, tool, until: startedAt + 1, limit: maxRuns };
  const earlier = (await list(same)).calls.filter((one) => one.runId !== runId);
  const ended = earlier.findIndex(({ status }) => status !== "unknown" && status !== "running");
  return [runId, ...earlier.slice(0, ended === -1 ? maxRuns : ended).map((one) => one.runId)];
}

/** Returns the source in the arguments of a call. The audit keeps only the beginning of the JSON of long arguments. */
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
