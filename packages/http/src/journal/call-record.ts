import { lineOf } from "@toolmount/core/record";
import { createRedactor, redactArguments } from "@toolmount/core/text";
import { omissionLine, type Json, type Omission, type PastCall } from "@toolmount/core";

/** One step in the course of a call. */
export interface CallStep {
  readonly at: number;
  /** `arrived`, the name of an event, or `ended`. */
  readonly name: string;
  /** A text about the step, for people. */
  readonly note?: string;
}

/** A call as it is listed. Times are milliseconds since the epoch. */
export interface CallSummary {
  readonly runId: string;
  readonly callId: string;
  readonly kind: PastCall["kind"];
  readonly tool: string;
  /** `running`, `waiting`, `decided` (its question is answered, but it is not resumed), or how it ended. */
  status: string;
  readonly startedAt: number;
  durationMs: number | null;
  code: string | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly turnId: string | null;
  readonly parentRunId: string | null;
  /** The line of the program that made the call, from 1. */
  readonly place: { readonly line: number; readonly code: string } | null;
  /** The arguments as one line for a list. */
  line: string;
  /** The number of the call's last change. All calls of a host share one counter, which each change increases by 1. */
  change: number;
}

/** A call with its details, as the API shows it to people. */
export interface CallDetails extends CallSummary {
  readonly phase: string | null;
  readonly traceparent: string | null;
  readonly arguments: Shown | null;
  readonly result: Shown | null;
  readonly steps: readonly CallStep[];
}

/** A call with all that the journal keeps about it. */
export interface CallRecord extends CallSummary {
  /** Whether the call runs in this process now. A call that waits to be resumed does not run. */
  isHere: boolean;
  phase: string | null;
  traceparent: string | null;
  arguments: Kept | null;
  result: Kept | null;
  readonly steps: CallStep[];
}

/** The JSON text of a value with its secrets masked, or the beginning of this text. It is parsed only when it is shown. */
interface Kept {
  readonly text: string;
  /** Length of the whole text. */
  readonly characters: number;
}

/** A kept value in the form of the API: the complete value, or the beginning of its JSON text. */
export type Shown = { readonly value: Json } | { readonly text: string; readonly characters: number };

/** Maximum number of characters of a value's JSON text that are kept. */
const maxShown = 20_000;

/** Maximum number of steps that are kept of one call. */
const maxSteps = 100;

const redactor = createRedactor([]);

/** Returns a value with its secrets masked. Text that is not JSON stays a text. */
export function masked(value: unknown): Json | undefined {
  return value === undefined ? undefined : redactor(toJson(value));
}

/** Returns the form in which a masked value is kept; null for undefined. */
export function keep(value: Json | undefined): Kept | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  const characters = text.length;
  return { text: characters <= maxShown ? text : text.slice(0, maxShown).toWellFormed(), characters };
}

type Arguments = Pick<CallRecord, "arguments" | "line">;

/**
 * Arguments that were masked before, by the object. A call has the same frozen object from its start to its end, unless a gate
 * changes the arguments.
 */
const knownArguments = new WeakMap<object, Arguments>();

/** Stores the masked arguments of a call, and a line about them for lists. */
export function keepArguments(call: CallRecord, given: unknown): void {
  const isObject = typeof given === "object" && given !== null;
  const kept = (isObject && knownArguments.get(given)) || argumentsOf(given);
  if (isObject && Object.isFrozen(given)) knownArguments.set(given, kept);
  Object.assign(call, kept);
}

function argumentsOf(given: unknown): Arguments {
  const shown = masked(given);
  return { arguments: keep(shown), line: lineOf(shown) };
}

/** Returns a kept value in the form of the API; null if nothing is kept. */
export function shownOf(kept: Kept | null): Shown | null {
  if (kept === null) return null;
  return kept.characters > kept.text.length ? kept : { value: JSON.parse(kept.text) as Json };
}

/** Returns a kept value: the complete value, or the beginning of its JSON text; null if nothing is kept. */
export function valueOf(kept: Kept | null): Json {
  const shown = shownOf(kept);
  if (shown === null) return null;
  return "value" in shown ? shown.value : shown.text;
}

/** Returns a value as JSON. A text that a model wrote as arguments is parsed if it is JSON. */
function toJson(value: unknown): Json {
  if (typeof value !== "string") return value as Json;
  const text = redactArguments(value, redactor) as string;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Returns the number of kept characters of a call's arguments and result. */
export function sizeOf({ arguments: given, result }: CallRecord): number {
  return (given?.text.length ?? 0) + (result?.text.length ?? 0);
}

/** Creates a step that says what a result leaves out, because often only the beginning of the result is kept. */
export function omittedStep(at: number, omission: Omission): CallStep {
  return { at, name: "omitted", note: omissionLine(omission).replace("Omitted: ", "") };
}

/** Adds a step to a call. A call with too many steps keeps its first and its last ones. */
export function addStep({ steps }: CallRecord, step: CallStep): void {
  if (steps.length >= maxSteps) steps.splice(maxSteps / 2, 1);
  steps.push(step);
}

/** Statuses of a call that has not ended: it runs, waits, or is decided but not resumed. */
export const openStatuses: readonly string[] = ["running", "waiting", "decided"];

/** Tests whether a call has not ended. */
export function isOpen({ status }: Pick<CallSummary, "status">): boolean {
  return openStatuses.includes(status);
}
