import { errorMessage } from "../contract/errors.ts";
import { defaultTimeoutMs } from "../contract/tool.ts";
import type { ToolEvent } from "../contract/hooks.ts";
import type { FailureResult } from "../contract/result.ts";
import { frozenCopy, NotJson } from "../json/freeze.ts";
import { normalizeResult } from "../result/normalize.ts";
import { truncateResult } from "../result/truncate.ts";
import { emptyContext, givenArguments, type Call, type HopAnswer } from "./call.ts";
import { leaveSignal, leaveToken } from "./cancellation.ts";
import { askGates, type Verdict } from "../registry/gates.ts";
import { withTimeout } from "../scheduling/time.ts";
import { storeResult } from "./kept-result.ts";
import { isRecorded, recordEnd } from "./journal.ts";
import { isRealRead } from "./rehearse.ts";
import { releasePermits } from "./execute.ts";
import { deliverTicket, requeue } from "./hold.ts";
import { ContractBreach } from "../result/normalize.ts";
import { endTrace, logError } from "./trace.ts";
import { hopNames, outcomeOf, phaseOf, waitFor } from "./transitions.ts";

/** Hop 7: lets gates replace the result, then gives it to the audit, the observers and the caller. */
export function notify(call: Call): HopAnswer {
  const { ending, generation, host, timing } = call;
  if (call.stored !== null && ending.status === "failed") requeue(call, call.stored);
  release(call);
  timing.endedAt = Math.max(timing.startedAt, host.time.now());
  // A call with valid arguments that waits, or was stopped, denied or refused before its tool ran, is not announced yet.
  if (!call.announced && call.arguments !== null)
    announce(call, ending.status === "pending" ? "ask" : "deny");
  if (ending.status === "pending") return record(call);
  if (isWatched(call)) sealResult(call);
  const gates = ending.status === "ok" ? generation.postGates : generation.errorGates;
  if (gates.length === 0 || !call.announced || ending.interrupt !== null) return record(call);
  const event = ending.status === "ok" ? "tool:post" : "tool:error";
  const verdict = askGates(host, gates, event, eventOf(call));
  if (!(verdict instanceof Promise)) return applyVerdict(call, verdict);
  return waitFor(call, verdict, applyVerdict, () => {
    withhold(call, "its gates could not be asked");
    return record(call);
  });
}

/** Removes the ended call from everything that listed it while it ran, and gives back its permits. */
function release(call: Call): void {
  const { host, given } = call;
  if (call.followedSignal !== null) leaveSignal(call, call.followedSignal);
  if (call.followedToken !== null) leaveToken(call, call.followedToken);
  if (call.trackedAs !== null) given.cancellation!.registerToolComplete(call.trackedAs);
  host.deadlines.end(call);
  host.active.remove(call);
  if (call.permits.length > 0) releasePermits(call);
  if (call.inner !== null) host.endQuestions(call);
  if (call.claimedId) releaseId(call);
  for (const check of host.onCallEnd) check();
}

function releaseId(call: Call): void {
  call.host.ids.release(call.sessionKey!, call.callId);
  call.claimedId = false;
}

/** Whether anyone but the caller sees the result. */
function isWatched({ ending, generation, stored }: Call): boolean {
  const { postGates, postObservers, errorGates, errorObservers } = generation;
  if (stored !== null) return true;
  return ending.status === "ok"
    ? postGates.length > 0 || postObservers.length > 0
    : errorGates.length > 0 || errorObservers.length > 0;
}

/** Freezes the result before anyone sees it. A result that cannot be copied, for example because a getter throws, is a breach. */
function sealResult(call: Call): void {
  try {
    freezeResult(call);
  } catch (error) {
    const { ending } = call;
    const { tool, fetchedAt } = ending.result!;
    logError(call, error, "a tool broke the contract");
    const message = errorMessage("CONTRACT_VIOLATION", { tool, rule: ContractBreach.of(error).message });
    if (ending.status === "ok") ending.status = "unknown";
    ending.result = { tool, fetchedAt, error: message, code: "CONTRACT_VIOLATION" };
    ending.resultFrozen = false;
    freezeResult(call);
  }
}

/** Applies what the gates answered about the result. */
function applyVerdict(call: Call, verdict: Verdict | null): HopAnswer {
  if (verdict === null) return record(call);
  const { ending } = call;
  if (verdict.injections !== null) ending.injections = [...(ending.injections ?? []), ...verdict.injections];
  if (verdict.denied !== null) withhold(call, verdict.denied.reason);
  else if (verdict.modified) replaceResult(call, verdict.data["tool_result"]);
  return record(call);
}

/** Withholds a result that a gate denied or could not check: gates fail closed. */
function withhold(call: Call, reason: string): void {
  const { ending } = call;
  const { tool, fetchedAt } = ending.result!;
  if (ending.status === "ok") ending.status = "denied";
  ending.resultFrozen = false;
  ending.result = {
    tool,
    fetchedAt,
    error: `"${tool}" ran, and its result is withheld: ${reason}`,
    code: "DENIED",
  };
}

/** Replaces the result by the result of a gate, which is checked like any other. A failure stays a failure. */
function replaceResult(call: Call, given: unknown): void {
  const { ending, host } = call;
  const tool = call.tool!;
  try {
    const replaced = normalizeResult(tool.name, tool.name, ending.result!.fetchedAt, given);
    if (ending.status !== "ok" && replaced.error === undefined)
      throw new NotJson("turns a failure into a success");
    ending.resultFrozen = false;
    const maxBytes = tool.limits.outputBytes ?? host.limits.outputBytes;
    ending.result = truncateResult(replaced, maxBytes, {
      keep: (text) => host.outputs.keep(text, call.given.userId),
    });
    freezeResult(call);
    if (ending.status === "ok" && replaced.error !== undefined) ending.status = "failed";
  } catch (error) {
    logError(call, error, "a gate replaced a result by an invalid one");
    withhold(call, "a gate replaced it by an invalid result");
  }
}

/** Writes the audit record first, then notifies observers and the caller. */
function record(call: Call): HopAnswer {
  const recorded = isRecorded(call) ? recordEnd(call) : null;
  const kept = call.generation.keepsResults && isSeen(call) ? keepResult(call) : null;
  if (kept !== null) return waitFor(call, withStoreTime(call, Promise.all([kept, recorded])), finish);
  if (recorded === null) return finish(call);
  return waitFor(call, withStoreTime(call, recorded), finish);
}

/** Whether the session sees the result of the tool. */
function isSeen(call: Call): boolean {
  const { announced, ending, given, undo } = call;
  const { status, result } = ending;
  return (
    undo === null &&
    (given.rehearsal === undefined || isRealRead(call)) &&
    given.sessionId !== undefined &&
    announced &&
    result !== null &&
    (status === "ok" || status === "failed")
  );
}

function keepResult(call: Call): Promise<void> | null {
  if (!call.ending.resultFrozen) sealResult(call);
  return storeResult(call);
}

function withStoreTime(call: Call, work: Promise<unknown>): Promise<unknown> {
  return withTimeout(call.host.clock, storeMs(call), work, () =>
    call.ending.addWarning("its end is not stored yet; the store has not answered"),
  );
}

/** Minimum number of milliseconds that a store gets to store the end of a call. */
const leastStoreMs = 250;

/** Returns how long the caller waits for the store: until the deadline, or the minimum if that is longer or after a stop. */
function storeMs({ stop, timing, tool }: Call): number {
  if (stop !== null) return leastStoreMs;
  const { deadlineAt, endedAt } = timing;
  const left = deadlineAt === 0 ? tool?.timeoutMs || defaultTimeoutMs : deadlineAt - endedAt;
  return Math.max(leastStoreMs, left);
}

/** Notifies observers and answers the caller. Runs exactly once for each call. */
export function finish(call: Call): "next" {
  const { interrupt } = call.ending;
  call.hop = hopNames.length;
  try {
    notifyObservers(call);
  } catch (err) {
    logError(call, err, "the observers of a call's end were not notified");
  }
  if (call.trace !== null) endTrace(call, call.trace);
  call.resolve(interrupt === null ? outcomeOf(call) : Promise.reject(interrupt.thrown));
  if (call.ticket !== null) deliverTicket(call);
  return "next";
}

function notifyObservers(call: Call): void {
  const { ending, generation, host, stored } = call;
  if (stored !== null && stored.lost) return; // another host has ended the call, and notified its observers
  if (ending.status === "pending") return notifyPending(call);
  const isOk = ending.status === "ok";
  const observers = isOk ? generation.postObservers : generation.errorObservers;
  if (observers.length === 0) return;
  freezeResult(call);
  host.observers.notify(observers, isOk ? "tool:post" : "tool:error", eventOf(call));
}

/** Emits `tool:pending`, which does not end the call: it waits. */
function notifyPending(call: Call): void {
  const observers = call.generation.observers("tool:pending");
  if (observers.length === 0) return;
  const waits_for = call.stored?.record.state === "handed" ? "client" : "approval";
  call.host.observers.notify(observers, "tool:pending", Object.freeze({ ...toolEvent(call), waits_for }));
}

/** Freezes the result for observers and the caller. The objects that the tool holds stay as they are. */
function freezeResult({ ending }: Call): void {
  if (ending.resultFrozen) return;
  ending.resultFrozen = true;
  const result = ending.result as unknown as Record<string, unknown>;
  const { data, details, content, warnings, omitted, meta } = result;
  if (typeof data === "object" && data !== null) result["data"] = frozenCopy(data);
  if (details !== undefined) result["details"] = frozenCopy(details);
  if (content !== undefined) result["content"] = frozenCopy(content);
  if (warnings !== undefined) result["warnings"] = frozenCopy(warnings);
  if (omitted !== undefined) result["omitted"] = frozenCopy(omitted);
  if (meta !== undefined) result["meta"] = frozenCopy(meta);
  Object.freeze(result);
}

function eventOf(call: Call): ToolEvent {
  const event = endEvent(call);
  if (call.ending.status !== "ok") addError(call, event);
  return Object.freeze(event);
}

function addError(call: Call, event: Record<string, unknown>): void {
  const { ending } = call;
  const { code = "TOOL_FAILED", error } = ending.result as FailureResult;
  event["status"] = ending.status;
  event["error"] = Object.freeze({ code, message: error, type: ending.failureType });
  event["phase"] = phaseOf(call);
}

type Event = Record<string, unknown> & ToolEvent;

/** Returns the common part of a call's events, not frozen yet. The members have the names that Amplifier uses. */
export function toolEvent(call: Call): Event {
  return addIds(call, {
    tool_name: call.tool === null ? call.request.name : call.tool.name,
    tool_call_id: call.callId,
    run_id: call.runId,
    tool_input: call.arguments ?? givenArguments(call) ?? {},
    timestamp: startOf(call),
  });
}

/** Returns the same as {@link toolEvent}, with result and duration. It does not call it, because one literal is cheaper. */
function endEvent(call: Call): Event {
  const { timing, ending } = call;
  return addIds(call, {
    tool_name: call.tool === null ? call.request.name : call.tool.name,
    tool_call_id: call.callId,
    run_id: call.runId,
    tool_input: call.arguments ?? givenArguments(call) ?? {},
    timestamp: startOf(call),
    tool_result: ending.result,
    duration_ms: timing.endedAt - timing.startedAt,
  });
}

/** Returns when the call began, as ISO 8601 text. */
function startOf({ host, timing }: Call): string {
  return (timing.startText ??= host.time.stamp(timing.startedAt));
}

function addIds({ given, parent, undo }: Call, event: Record<string, unknown>): Event {
  if (given === emptyContext && parent === null) return event as Event;
  if (given.sessionId !== undefined) event["session_id"] = given.sessionId;
  if (given.conversationId !== undefined) event["conversation_id"] = given.conversationId;
  if (given.turnId !== undefined) event["turn_id"] = given.turnId;
  if (given.userId !== undefined) event["user_id"] = given.userId;
  if (parent !== null) event["parent_id"] = parent.runId;
  if (given.rehearsal !== undefined) event["rehearsal_id"] = given.rehearsal.id;
  if (undo !== null) event["undo_of"] = undo.request.runId;
  if (given.parallelGroupId !== undefined) event["parallel_group_id"] = given.parallelGroupId;
  return event as Event;
}

/** Notifies observers of `tool:pre`: the final arguments and the decision. */
export function announce(call: Call, decision: "allow" | "ask" | "deny"): void {
  call.announced = true;
  const { preObservers } = call.generation;
  if (preObservers.length === 0) return;
  const event = toolEvent(call);
  event["decision"] = decision;
  call.host.observers.notify(preObservers, "tool:pre", Object.freeze(event));
}
