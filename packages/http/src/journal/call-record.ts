import { lineOf } from "@toolmount/core/record";
import { createRedactor, redactArguments } from "@toolmount/core/text";
import { omissionLine, type Json, type Omission, type PastCall } from "@toolmount/core";

/** One moment of a call. */
export interface CallStep {
  readonly at: number;
  /** `arrived`, the name of an event, or `ended`. */
  readonly name: string;
  /** A text about the step, for people. */
  readonly note?: string;
}

/** A call as the page lists it. Times are milliseconds since the epoch. */
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
  /** The number of the call's last change; each change of any call adds 1 to a common counter. */
  change: number;
}

/** A call with its details, as a person sees it. */
export interface CallDetails extends CallSummary {
  readonly phase: string | null;
  readonly traceparent: string | null;
  readonly arguments: Shown | null;
  readonly result: Shown | null;
  readonly steps: readonly CallStep[];
}

/** A call with everything that is kept of it. */
export interface CallRecord extends CallSummary {
  /** Whether its run is in this process now. A call that waits for its ticket does not run. */
  isHere: boolean;
  phase: string | null;
  traceparent: string | null;
  arguments: Kept | null;
  result: Kept | null;
  readonly steps: CallStep[];
}

/** JSON text of a value with its secrets masked, or the beginning of it. It is parsed when a person looks at it. */
interface Kept {
  readonly text: string;
  /** Length of the whole text. */
  readonly characters: number;
}

/** A kept value as it is shown: whole, or only the beginning of its text. */
export type Shown = { readonly value: Json } | { readonly text: string; readonly characters: number };

/** Most characters of JSON that are kept of one value. */
const maxShown = 20_000;

/** Most steps that are kept of one call. */
const maxSteps = 100;

const redactor = createRedactor([]);

/** Returns a value with its secrets masked. Text that is not JSON stays text. */
export function masked(value: unknown): Json | undefined {
  return value === undefined ? undefined : redactor(toJson(value));
}

/** Turns a masked value into the form in which it is kept. */
export function keep(value: Json | undefined): Kept | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  const characters = text.length;
  return { text: characters <= maxShown ? text : text.slice(0, maxShown).toWellFormed(), characters };
}

type Arguments = Pick<CallRecord, "arguments" | "line">;

/** Arguments that were already prepared. A call has the same frozen object from start to end, unless a gate changes it. */
const knownArguments = new WeakMap<object, Arguments>();

/** Keeps the arguments of a call, masked, and their line. */
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

/** Returns a kept value as it is shown. */
export function shownOf(kept: Kept | null): Shown | null {
  if (kept === null) return null;
  return kept.characters > kept.text.length ? kept : { value: JSON.parse(kept.text) as Json };
}

/** Returns the kept value itself: all of it, or the beginning of its text. */
export function valueOf(kept: Kept | null): Json {
  const shown = shownOf(kept);
  if (shown === null) return null;
  return "value" in shown ? shown.value : shown.text;
}

/** Parses arguments that a model wrote as text, if they are JSON. */
function toJson(value: unknown): Json {
  if (typeof value !== "string") return value as Json;
  const text = redactArguments(value, redactor) as string;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Returns how much a call counts towards the limit for details, in characters. */
export function sizeOf({ arguments: given, result }: CallRecord): number {
  return (given?.text.length ?? 0) + (result?.text.length ?? 0);
}

/** Creates a step that says what a result leaves out, because the kept result may be only its beginning. */
export function omittedStep(at: number, omission: Omission): CallStep {
  return { at, name: "omitted", note: omissionLine(omission).replace("Omitted: ", "") };
}

/** Adds a step. A call with endless progress keeps its first and its last steps. */
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
