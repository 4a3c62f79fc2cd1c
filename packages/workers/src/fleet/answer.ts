import { RunnerFailure, type Json } from "@toolmount/core";
import { meter } from "@toolmount/core/json";
import { z } from "zod";
import { farMessage, type FarMessage, type RunMessage } from "../far/far-message.ts";
import { thrownJson } from "../far/to-json.ts";

const failed = z.strictObject({
  type: z.literal("failed"),
  code: z.string(),
  message: z.string(),
  status: z.enum(["failed", "invalid", "cancelled", "timed_out", "unknown"]),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** The end of a run on a worker: what the tool returned or threw, or why the run itself failed. */
export type FleetAnswer = Extract<FarMessage, { type: "returned" | "threw" }> | z.output<typeof failed>;

/** Makes the answer for a run that rejected. */
export function answerOfError(runId: string, error: unknown): FleetAnswer {
  if (!(error instanceof RunnerFailure)) return { type: "threw", runId, thrown: thrownJson(error) };
  const { code, message, status, details } = error;
  return { type: "failed", code, message, status, ...(details !== undefined && { details }) };
}

/** Reads an answer from the ledger; `open` checks its signature. Throws if the text is not an answer. */
export function readAnswer(answer: Json, open: (sealed: Json) => Json = (sealed) => sealed): FleetAnswer {
  requireShallow(answer);
  const read = z.union([failed, farMessage]).parse(open(answer));
  if (read.type === "failed" || read.type === "returned" || read.type === "threw") return read;
  throw new Error(`a worker answered with "${read.type}"`);
}

/** Reads a worker's message about a run, as {@link readAnswer} does; undefined for one that a worker must not send. */
export function readMessage(
  body: Json,
  open: (sealed: Json) => Json = (sealed) => sealed,
): RunMessage | undefined {
  if (!isShallow(body)) return undefined;
  try {
    const parsed = farMessage.parse(open(body));
    return "runId" in parsed ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a message is nested at most {@link maxLevels} deep. A deeper one would crash the process that walks it. */
export function isShallow(body: Json): boolean {
  return meter(body, Number.POSITIVE_INFINITY, maxLevels) === null;
}

/** Deepest nesting of a row, in levels: that of arguments and results, with the levels that the row and its signature add. */
export const maxLevels = 72;

/** Throws for an answer that is nested too deeply, because schemas read by recursion, and a row may hold anything. */
function requireShallow(answer: Json): void {
  const problem = meter(answer, Number.POSITIVE_INFINITY, maxLevels);
  if (problem !== null) throw new Error(`the answer of a worker is ${problem}`);
}
