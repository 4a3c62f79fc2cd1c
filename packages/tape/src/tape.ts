import type { FailureResult, Json, JsonObject, SuccessResult } from "@toolmount/core";
import { isRecord, maxDepth, meter } from "@toolmount/core/json";

/** The host's decision about a call; `none` if the call ended before any decision, for example because of wrong arguments. */
export type TapeDecision = "allow" | "ask" | "deny" | "none";

/** The result of a call, without the time and the tool that every result contains. */
export type TapeResult =
  | Omit<SuccessResult, "tool" | "fetchedAt">
  | Omit<FailureResult, "tool" | "fetchedAt">;

/** One recorded call. */
export interface TapeCall {
  /** The position in the order in which the calls began, from 1. */
  readonly order: number;
  /** The name under which the tool was offered. */
  readonly tool: string;
  /** The digest of the tool's definition, as in a lock file; `null` if there is no such tool. */
  readonly definition: string | null;
  readonly arguments: Json;
  readonly decision: TapeDecision;
  /** Whether the tool was started. For example, a denied call ends earlier. */
  readonly ran: boolean;
  readonly result: TapeResult;
  /** Set for a call that a tool made. A replay does not repeat it, because no tool runs. */
  readonly nested?: true;
}

/** The recorded calls, and the answers of the model, each in their order. */
export interface Tape {
  readonly calls: readonly TapeCall[];
  /** The answers of the model. Empty if no model was asked. */
  readonly answers: readonly TapeAnswer[];
}

/** One answer of a model. */
export interface TapeAnswer {
  /** The response, as in the Responses API. */
  readonly answer: JsonObject;
  /** A digest of the request: its prompt, instructions and tools, and the results so far. Older tapes do not have it. */
  readonly request?: string;
}

/** The first line of a tape file. */
export const tapeHeader = '{"toolmount":"tape","version":1}';

/** Returns a call as a line of a tape file, without the line break. */
export function printTapeCall(call: TapeCall): string {
  return JSON.stringify(call);
}

/** Returns an answer of a model as a line of a tape file, without the line break. */
export function printTapeAnswer(answer: TapeAnswer): string {
  return JSON.stringify(answer);
}

/**
 * Parses the text of a tape, which is a header followed by lines of JSON. The calls are sorted by the order in which they began.
 *
 * Throws a `TapeError` with the number of an invalid line. An incomplete last line is ignored, because the process that recorded
 * it was killed.
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

/** An error in the text of a tape, with the number of the line. */
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
  // Arguments and result may each have `maxDepth` levels. The object of the line adds the levels around them.
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
