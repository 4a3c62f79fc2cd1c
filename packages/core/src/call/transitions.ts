import { errorMessage, type ErrorCode, type ErrorDetails, type RunnerFailure } from "../contract/errors.ts";
import type { CallStatus, Phase, ToolOutcome } from "../contract/outcome.ts";
import type { CallRequest } from "../contract/context.ts";
import type { Call, CallHost, HopAnswer } from "./call.ts";
import type { Stop } from "./call-state.ts";

/** The hops of every call, in order; `pipeline.ts` has their functions. A test compares `docs/reference/life-of-a-call.md` with them. */
export const hopNames = ["find", "parse", "decide", "approve", "execute", "shape", "notify"] as const;

export type HopName = (typeof hopNames)[number];

export const parseHop = hopNames.indexOf("parse");
export const executeHop = hopNames.indexOf("execute");
export const notifyHop = hopNames.indexOf("notify");

interface WaitOptions {
  /** Whether the wait may last only as long as the tool may run. Nothing has run yet, so the call then ends as timed out. */
  readonly isLimited?: boolean;
  /** Called when the promise settles after the call has continued without it. */
  readonly onLate?: (call: Call) => void;
}

/** Makes the call wait for a promise, then continues with `onValue` or `onError`. Without `onError`, a rejection is a host's fault. */
export function waitFor<Value>(
  call: Call,
  promise: PromiseLike<Value>,
  onValue: (call: Call, value: Value) => HopAnswer,
  onError: (call: Call, error: unknown) => HopAnswer = rethrow,
  { isLimited = false, onLate }: WaitOptions = noOptions,
): "waiting" {
  const { token } = call;
  promise.then(
    (value) => (call.token === token ? resumeCall(call, token, onValue, value) : onLate?.(call)),
    (error: unknown) => (call.token === token ? resumeCall(call, token, onError, error) : onLate?.(call)),
  );
  if (isLimited && call.tool!.timeoutMs > 0) {
    const { deadlines, time } = call.host;
    deadlines.start(call, call.tool!.timeoutMs, time.now());
  }
  return "waiting";
}

const noOptions: WaitOptions = Object.freeze({});

/** Options of a wait for a store before the tool begins. */
export const storeWait: WaitOptions = Object.freeze({ isLimited: true });

function rethrow(_call: Call, error: unknown): never {
  throw error;
}

/** Continues a call that waits, unless it has continued since it had `token`. `take` may make it wait again. */
export function resumeCall<Value>(
  call: Call,
  token: number,
  take: (call: Call, value: Value) => HopAnswer,
  value: Value,
): void {
  if (call.token !== token) return;
  const { host, timing } = call;
  call.token++;
  call.waiting = false;
  if (timing.deadlineAt === 0 && call.due !== 0) host.deadlines.end(call); // the time limit of the wait
  try {
    if (take(call, value) !== "next") return void (call.waiting = true);
  } catch (thrown) {
    host.failInternally(call, thrown);
  }
  host.runPipeline(call);
}

/** Ends a call with a failure that the host states. Only the hop `notify` then remains. */
export function endCall<Code extends ErrorCode>(
  call: Call,
  status: CallStatus,
  code: Code,
  details: ErrorDetails<Code>,
  resultDetails?: Readonly<Record<string, unknown>>,
): "next" {
  const { ending, timing } = call;
  leaveHop(call);
  ending.status = status;
  ending.result = {
    tool: call.tool?.name ?? call.request.name,
    fetchedAt: call.host.time.stamp(timing.executedAt === 0 ? timing.startedAt : timing.executedAt),
    error: call.host.redact(errorMessage(code, details)) as string,
    code,
    ...(resultDetails === undefined ? {} : { details: resultDetails as never }),
  };
  return "next";
}

/** Ends a call with what its runner reports. Secrets in the message are masked, because it may quote the tool's process. */
export function endCallAs(call: Call, { code, status, message, details }: RunnerFailure): "next" {
  const { ending, timing, host } = call;
  leaveHop(call);
  ending.status = status;
  ending.result = {
    tool: call.tool!.name,
    fetchedAt: host.time.stamp(timing.executedAt),
    error: host.redact(message) as string,
    code,
    ...(details === undefined ? {} : { details: host.redact(details as never) as never }),
  };
  return "next";
}

/** Ends a call with the outcome that an earlier run of it had. */
export function endAsBefore(call: Call, { status, result }: ToolOutcome): "next" {
  leaveHop(call);
  call.ending.status = status;
  call.ending.result = result;
  return "next";
}

/** Returns the outcome of a call that could not start: its request is unreadable, the host failed, or a limit is reached. */
export function failedStart<Code extends "INTERNAL" | "UNAVAILABLE">(
  host: CallHost,
  request: unknown,
  code: Code,
  details: (tool: string) => ErrorDetails<Code>,
): ToolOutcome {
  const runId = host.ids.nextRunId();
  const tool = textOf(request, "name") ?? "";
  const fetchedAt = host.time.stamp(1);
  return {
    callId: textOf(request, "id") ?? runId,
    runId,
    tool,
    status: "failed",
    result: { tool, fetchedAt, error: errorMessage(code, details(tool)), code },
    durationMs: 0,
  };
}

/** Reads a text member of an unknown value, whose getters may throw. */
function textOf(value: unknown, key: "id" | "name"): string | undefined {
  try {
    const member: unknown = (value as CallRequest | null | undefined)?.[key];
    return typeof member === "string" ? member : undefined;
  } catch {
    return undefined;
  }
}

/** Moves the call to the hop `notify`. Stores the hop in which the call stopped, unless an earlier end has stored it. */
function leaveHop(call: Call): void {
  if (call.ending.hop < 0) call.ending.hop = Math.max(0, Math.min(call.hop, notifyHop) - 1);
  call.hop = notifyHop;
}

/** Returns the hop in which a call stopped: the hop that ended it, or else `execute` if the tool threw, or `shape`. */
export function phaseOf({ ending, thrown }: Call): Phase {
  if (thrown !== null) return "execute";
  return ending.hop < 0 ? "shape" : (hopNames[ending.hop] as Phase);
}

export function endUnavailable(call: Call, reason: string): "next" {
  return endCall(call, "failed", "UNAVAILABLE", { tool: call.tool?.name ?? call.request.name, reason });
}

/** Ends a call with a denial. The model reads the reason, too. */
export function endDenied(call: Call, reason: string): "next" {
  return endCall(call, "denied", "DENIED", { tool: call.tool!.name, reason: reason.slice(0, 2000) });
}

/** Returns the outcome of a call that has ended. */
export function outcomeOf(call: Call): ToolOutcome {
  const { given, ending, timing } = call;
  const outcome: Record<string, unknown> = {
    callId: call.callId,
    runId: call.runId,
    tool: call.tool?.name ?? String(call.request.name),
    status: ending.status,
    result: ending.result,
    durationMs: timing.endedAt - timing.startedAt,
  };
  if (given.sessionId !== undefined) outcome["sessionId"] = given.sessionId;
  if (given.conversationId !== undefined) outcome["conversationId"] = given.conversationId;
  if (given.turnId !== undefined) outcome["turnId"] = given.turnId;
  if (given.userId !== undefined) outcome["userId"] = given.userId;
  if (ending.cancelled !== null) outcome["cancelled"] = ending.cancelled;
  if (call.ticket !== null) outcome["ticket"] = call.ticket;
  if (ending.injections !== null) outcome["injections"] = ending.injections;
  return outcome as unknown as ToolOutcome;
}

/** Added to the result itself, because some callers read only results. Source: Amplifier's loop-basic. */
const cancelledByToken = { cancelled: true };

export function endStoppedCall(call: Call): void {
  const { tool, stop } = call;
  if (call.hop === parseHop + 1 && call.arguments !== null) call.hop++; // counts as stopped between parse and decide
  if (stop!.reason === "deadline")
    endCall(call, "timed_out", "TIMED_OUT", { tool: tool!.name, timeoutMs: tool!.timeoutMs });
  else endCall(call, "cancelled", "CANCELLED", {}, stop!.reason === "cancel" ? cancelledByToken : undefined);
}

/** Stops a call. Before its tool runs, it ends immediately; while the tool runs, the tool has a grace period to answer. */
export function stopCall(call: Call, reason: Stop["reason"], message = "Request was cancelled"): void {
  if (call.stop !== null || call.hop > executeHop + 1) return;
  call.stop = { reason, message, at: call.host.time.now() };
  if (call.executing) return startGrace(call, call.stop.at);
  if (!call.waiting) return; // the pipeline runs, and checks `stop` before the next hop
  call.withdraw?.();
  endNow(call);
}

function startGrace(call: Call, at: number): void {
  const { deadlines, limits } = call.host;
  deadlines.end(call);
  call.context?.abort();
  deadlines.start(call, limits.graceMs, at);
}

/** Ends a call whose grace period has passed, without waiting for its tool, which may still run. */
export function abandonCall(call: Call): void {
  call.executing = false;
  call.tool!.abandoned++;
  call.host.abandoned.add(call);
  endNow(call);
}

function endNow(call: Call): void {
  call.token++;
  call.waiting = false;
  endStoppedCall(call);
  call.host.runPipeline(call);
}
