import { redact, redactArguments } from "@toolmount/core/text";
import type { Json } from "@toolmount/core";

/** One moment of a call. */
export interface CallStep {
  readonly at: number;
  /** `arrived`, the name of an event, or `ended`. */
  readonly name: string;
  /** What it says, for people. */
  readonly note?: string;
}

/** A call as the page lists it. Times are milliseconds since the epoch. */
export interface CallSummary {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  /** `running`, `waiting`, `decided` (its question is answered, and it is not resumed), or how it ended. */
  status: string;
  readonly startedAt: number;
  durationMs: number | null;
  code: string | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly turnId: string | null;
  readonly parentRunId: string | null;
  /** Its arguments as a line for a list. */
  line: string;
  /** Every change of any call adds 1. */
  change: number;
}

/** A call with everything that is kept of it. */
export interface CallRecord extends CallSummary {
  /** Whether its run is in this process now; a call that waits for its ticket has none. */
  isHere: boolean;
  phase: string | null;
  traceparent: string | null;
  arguments: Shown | null;
  result: Shown | null;
  readonly steps: CallStep[];
}

/** A value with its secrets masked: whole, or the beginning of its JSON text. */
export type Shown = { readonly value: Json } | { readonly text: string; readonly characters: number };

/** Characters of JSON that are kept of one value. */
const maxShown = 20_000;

/** Steps that are kept of one call. */
const maxSteps = 100;

/** Prepares a value to be kept and shown. Text that is no JSON is shown as text. */
export function show(value: unknown): Shown | null {
  if (value === undefined) return null;
  const text = JSON.stringify(redact(toJson(value))) ?? "null";
  return text.length <= maxShown
    ? { value: JSON.parse(text) as Json }
    : { text: text.slice(0, maxShown).toWellFormed(), characters: text.length };
}

/** Arguments that a model wrote as text are shown as the JSON that they are, where they are JSON. */
function toJson(value: unknown): Json {
  if (typeof value !== "string") return value as Json;
  const masked = redactArguments(value, redact) as string;
  try {
    return JSON.parse(masked) as Json;
  } catch {
    return masked;
  }
}

/** How much of the memory for details a value takes. */
export function sizeOf(shown: Shown | null): number {
  if (shown === null) return 0;
  return "text" in shown ? shown.text.length : (JSON.stringify(shown.value) ?? "").length;
}

/** Adds a step; a call that reports endless progress keeps its first and its last steps. */
export function addStep({ steps }: CallRecord, step: CallStep): void {
  if (steps.length >= maxSteps) steps.splice(maxSteps / 2, 1);
  steps.push(step);
}
