import type { FailureResult, Json, JsonObject, SuccessResult } from "@toolmount/core";
import { isRecord, maxDepth, meter } from "@toolmount/core/json";

/** What the host decided about a call; `none` for a call that ended before any decision, such as one with wrong arguments. */
export type TapeDecision = "allow" | "ask" | "deny" | "none";

/** What a call answered, without the time and the name that every result has. */
export type TapeResult =
  | Omit<SuccessResult, "tool" | "fetchedAt">
  | Omit<FailureResult, "tool" | "fetchedAt">;

/** One call of a tape. */
export interface TapeCall {
  /** Its place among the calls, in the order in which they began; from 1. */
  readonly order: number;
  /** The name under which the tool was offered. */
  readonly tool: string;
  /** Digest of the tool's definition, as in a lock file; `null` when there is no such tool. */
  readonly definition: string | null;
  readonly arguments: Json;
  readonly decision: TapeDecision;
  /** Whether the tool was started. A call that was denied, for example, ends before that. */
  readonly ran: boolean;
  readonly result: TapeResult;
  /** Absent for calls that a tool made: a replay does not make them again, since no tool runs. */
  readonly nested?: true;
}

/** The calls of one session of work, and the answers of its model, each in order. */
export interface Tape {
  readonly calls: readonly TapeCall[];
  /** What the model answered, in order. Empty where no model was asked. */
  readonly answers: readonly TapeAnswer[];
}

/** One answer of a model. */
export interface TapeAnswer {
  /** A response of the Responses API. */
  readonly answer: JsonObject;
  /** Digest of the request: its prompt, instructions and tools, and the results so far. Absent on tapes without it. */
  readonly request?: string;
}

/** The first line of a tape's file. */
export const tapeHeader = '{"toolmount":"tape","version":1}';

/** One call as a line of a file, without its line break. */
export function printTapeCall(call: TapeCall): string {
  return JSON.stringify(call);
}

/** One answer of a model as a line of a file, without its line break. */
export function printTapeAnswer(answer: TapeAnswer): string {
  return JSON.stringify(answer);
}

/**
 * Reads the text of a tape: JSON lines, the header first. The calls are sorted by the order in which they began.
 *
 * Throws a `TapeError` with the line that is not as it must be. An unfinished last line is left out: the process that
 * recorded it was killed.
 */
export function parseTape(text: string): Tape {
  const lines = text.split("\n");
  if (lines[0] !== tapeHeader) throw new TapeError(1, "the first line is not the header of a tape");
  const complete = lines.slice(1, -1);
  const calls: TapeCall[] = [];
  const answers: TapeAnswer[] = [];
  for (const [index, line] of complete.entries()) {
    const value = parseLine(line, index + 2);
    if ("answer" in value) answers.push(parseAnswer(value, index + 2));
    else calls.push(parseCall(value, index + 2));
  }
  return { calls: calls.toSorted((one, other) => one.order - other.order), answers };
}

/** What is wrong with the text of a tape, and in which line. */
export class TapeError extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.line = line;
  }
}

function parseLine(line: string, number: number): Readonly<Record<string, unknown>> {
  const value = parseJson(line, number);
  if (!isRecord(value)) throw new TapeError(number, "it is not an object");
  // A record is around the arguments and the result, which have at most maxDepth levels each.
  const problem = meter(value, Number.POSITIVE_INFINITY, maxDepth + 4);
  if (problem !== null) throw new TapeError(number, `it is ${problem}`);
  return value;
}

function parseAnswer(value: Readonly<Record<string, unknown>>, number: number): TapeAnswer {
  const { answer, request } = value;
  if (!isRecord(answer) || !Array.isArray(answer["output"]))
    throw new TapeError(number, "answer is not a response with an output");
  if (request !== undefined && typeof request !== "string")
    throw new TapeError(number, "request is not a digest");
  return value as unknown as TapeAnswer;
}

function parseCall(value: Readonly<Record<string, unknown>>, number: number): TapeCall {
  const { order, tool, definition, arguments: given, decision, ran, result } = value;
  if (
    typeof order !== "number" ||
    typeof tool !== "string" ||
    typeof ran !== "boolean" ||
    given === undefined
  )
    throw new TapeError(number, "order, tool, arguments or ran is missing");
  if (definition !== null && typeof definition !== "string")
    throw new TapeError(number, "definition is neither a digest nor null");
  if (decision !== "allow" && decision !== "ask" && decision !== "deny" && decision !== "none")
    throw new TapeError(number, `decision is not allow, ask, deny or none`);
  if (!isRecord(result) || "data" in result === "error" in result)
    throw new TapeError(number, "result has neither data nor error, or both");
  return value as unknown as TapeCall;
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new TapeError(number, "it is not JSON");
  }
}
