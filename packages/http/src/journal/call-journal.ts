import { tracingChannel } from "node:diagnostics_channel";
import { callChannelName, safeListener, type CallTrace } from "@toolmount/core/tracing";
import { hasWords, isWanted, kindOf, soughtWords, wordsOf } from "@toolmount/core/record";
import type { Clock, EventData, Host, Logger, PastCallFilter } from "@toolmount/core";
import {
  addStep,
  keep,
  keepArguments,
  masked,
  omittedStep,
  sizeOf,
  valueOf,
  type CallRecord,
  type CallSummary,
} from "./call-record.ts";

/** How many calls are kept. For one more, the oldest ended call is removed. */
const maxCalls = 10_000;
/** How many characters of arguments and results of all calls are kept together. */
const maxDetail = 16_000_000;

/** Which calls are listed, as for stored calls. */
interface CallFilter extends PastCallFilter {
  /** Only calls that changed after this change number. */
  readonly changedAfter?: number | undefined;
}

/** The newest calls of one host, updated while they run. Secrets are masked before values are kept. */
export class CallJournal {
  readonly #calls = new Map<string, CallRecord>();
  readonly #detailed: CallRecord[] = [];
  readonly #listeners = new Set<(call: CallSummary) => void>();
  readonly #clock: Clock;
  readonly #onError: (err: unknown) => void;
  readonly #stops: (() => void)[] = [];
  #detail = 0;
  #change = 0;

  constructor({ coordinator }: Host, clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#onError = (err) => logger.error({ err }, "a call could not be kept for the page");
    const hostId = coordinator.getCapability("host.id");
    const ours = (listen: (trace: CallTrace) => void) =>
      safeListener((trace: CallTrace) => {
        if (trace.hostId === hostId) listen(trace);
      }, this.#onError);
    const channel = tracingChannel<unknown, CallTrace>(callChannelName);
    const begin = ours((trace) => this.#begin(trace));
    const end = ours((trace) => this.#end(trace));
    channel.start.subscribe(begin);
    channel.asyncEnd.subscribe(end);
    this.#stops.push(
      () => channel.start.unsubscribe(begin),
      () => channel.asyncEnd.unsubscribe(end),
      ...steps.map((event) => coordinator.hooks.observe(event, (name, data) => this.#step(name, data))),
    );
  }

  /** Returns the calls that match the filter, newest first. */
  list(filter: CallFilter): readonly CallSummary[] {
    const { limit, changedAfter = 0 } = filter;
    const sought = soughtWords(filter.text ?? "");
    const found: CallSummary[] = [];
    for (const call of [...this.#calls.values()].toReversed()) {
      if (found.length >= limit) break;
      if (call.change <= changedAfter || !isWanted(call, filter)) continue;
      if (sought.length > 0 && !hasWords(wordsOf(textsOf(call)), sought)) continue;
      found.push(summaryOf(call));
    }
    return found;
  }

  /** Returns one call with its details; undefined if it is not kept. */
  get(runId: string): CallRecord | undefined {
    return this.#calls.get(runId);
  }

  /** The number of calls that run now. */
  get running(): number {
    let count = 0;
    for (const { status } of this.#calls.values()) if (status === "running") count += 1;
    return count;
  }

  /** Calls `listener` with each change of a call. Returns a function that ends this. */
  watch(listener: (call: CallSummary) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#listeners.clear();
  }

  #begin(trace: CallTrace): void {
    const known = this.#calls.get(trace.runId);
    const call = known ?? newRecord(trace, this.#clock.now());
    call.status = "running";
    call.isHere = true;
    addStep(call, { at: this.#clock.now(), name: known === undefined ? "arrived" : "resumed" });
    this.#calls.set(trace.runId, call);
    this.#makeRoom();
    this.#publish(call);
  }

  #end(trace: CallTrace): void {
    const call = this.#calls.get(trace.runId);
    if (call === undefined) return;
    const { status = "unknown", error, durationMs = null, phase = null, traceparent = null } = trace;
    call.status = status === "pending" ? "waiting" : status;
    call.isHere = false;
    call.durationMs = status === "pending" ? null : durationMs;
    call.code = error?.code ?? null;
    call.phase = phase;
    call.traceparent = traceparent;
    this.#detail -= sizeOf(call);
    keepArguments(call, trace.arguments);
    call.result = keep(masked(trace.result));
    this.#detail += sizeOf(call);
    this.#detailed.push(call);
    const at = this.#clock.now();
    addStep(call, { at, name: status === "pending" ? "waits" : "ended", note: error?.message ?? status });
    for (const omission of trace.result?.omitted ?? []) addStep(call, omittedStep(at, omission));
    this.#dropDetails();
    this.#publish(call);
  }

  #step(name: string, data: EventData): void {
    const call = this.#calls.get(String(data["run_id"]));
    if (call === undefined) return;
    const note = noteOf(name, data);
    addStep(call, { at: this.#clock.now(), name, ...(note !== undefined && { note }) });
    if (name === "approval:required") call.status = "waiting";
    else if (name.startsWith("approval:") && call.status === "waiting")
      call.status = call.isHere ? "running" : "decided";
    else if (name === "tool:pre" && call.arguments === null) {
      keepArguments(call, data["tool_input"]);
      this.#detail += sizeOf(call);
    }
    this.#publish(call);
  }

  #publish(call: CallRecord): void {
    call.change = this.#change += 1;
    for (const listener of this.#listeners) safeListener(listener, this.#onError)(summaryOf(call));
  }

  #makeRoom(): void {
    if (this.#calls.size <= maxCalls) return;
    for (const [runId, call] of this.#calls) {
      if (call.status === "running") continue;
      this.#detail -= sizeOf(call);
      call.arguments = call.result = null;
      this.#calls.delete(runId);
      return;
    }
  }

  #dropDetails(): void {
    while (this.#detail > maxDetail || this.#detailed.length > maxCalls) {
      const oldest = this.#detailed.shift();
      if (oldest === undefined) return;
      this.#detail -= sizeOf(oldest);
      oldest.arguments = oldest.result = null;
    }
  }
}

/** Events of a host that become steps of a call. */
const steps = [
  "tool:pre",
  "tool:progress",
  "approval:required",
  "approval:granted",
  "approval:denied",
  "tool:post",
  "tool:error",
];

function noteOf(name: string, data: EventData): string | undefined {
  if (name === "approval:required") return text(data["prompt"]);
  if (name.startsWith("approval:"))
    return [data["by"], data["reason"]].filter((part) => typeof part === "string").join(": ");
  if (name !== "tool:progress") return undefined;
  return `${JSON.stringify(data["progress"])} ${text(data["message"]) ?? ""}`.trimEnd();
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function newRecord(trace: CallTrace, now: number): CallRecord {
  return {
    runId: trace.runId,
    callId: trace.callId,
    kind: kindOf(trace),
    tool: trace.tool,
    status: "running",
    isHere: true,
    startedAt: now,
    durationMs: null,
    code: null,
    sessionId: trace.sessionId ?? null,
    userId: trace.userId ?? null,
    turnId: trace.turnId ?? null,
    parentRunId: trace.parentRunId ?? null,
    place: trace.place ?? null,
    line: "",
    change: 0,
    phase: null,
    traceparent: trace.traceparent ?? null,
    arguments: null,
    result: null,
    steps: [],
  };
}

/** Returns the values of a call in whose texts a search looks for words. */
function textsOf({ arguments: given, result }: CallRecord) {
  return { arguments: valueOf(given), result: valueOf(result) };
}

/**
 * Returns a call as it is listed. This runs for each change of a call, and naming the members is five times faster than leaving
 * six out.
 */
export function summaryOf(call: CallRecord): CallSummary {
  return {
    runId: call.runId,
    callId: call.callId,
    kind: call.kind,
    tool: call.tool,
    status: call.status,
    startedAt: call.startedAt,
    durationMs: call.durationMs,
    code: call.code,
    sessionId: call.sessionId,
    userId: call.userId,
    turnId: call.turnId,
    parentRunId: call.parentRunId,
    place: call.place,
    line: call.line,
    change: call.change,
  };
}
