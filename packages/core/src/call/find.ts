import { messageOf } from "../contract/errors.ts";
import { Link } from "../scheduling/linked-list.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import { nearestNames } from "../text/nearest.ts";
import type { Generation } from "../registry/generation.ts";
import type { Call, HopAnswer } from "./call.ts";
import { applyCancellation } from "./cancellation.ts";
import { areSmall, argumentsProblem, dropArguments, idProblem, makeReadable } from "./unreadable.ts";
import { endCall, endUnavailable, limitWait, stopCall, waitFor } from "./transitions.ts";

/** Hop 1: finds the tool in the generation in which the call began. */
export function find(call: Call): HopAnswer {
  const { host, generation, parent } = call;
  call.phase = "find";
  const given: unknown = call.request.arguments;
  const { argumentBytes } = host.limits;
  const problem = areSmall(given, argumentBytes) ? null : argumentsProblem(given, argumentBytes);
  if (problem !== null) return endUnread(call, problem);
  const name: unknown = call.request.name;
  if (host.closing && parent === null) return endUnavailable(call, "the host is closed");
  if (typeof name !== "string" || typeof call.callId !== "string" || idProblem(call.given) !== null)
    return endUnreadable(call);
  if (name === "") return endNotFound(call, []);
  const caller = parent?.tool ?? null;
  const tool = caller === null ? generation.find(name) : generation.findFor(caller, name);
  if (tool === undefined || !isFor(call, tool))
    return endNotFound(call, nearestNames(name, listedNames(generation)));
  call.tool = tool;
  if (tool.drifted()) return endCall(call, "denied", "LOCK_DRIFT", { tool: tool.name });
  if (call.depth > host.limits.depth)
    return endUnavailable(call, `tools may call tools at most ${host.limits.depth} deep`);
  if (!claimId(call)) return endDuplicate(call);
  host.active.add(call);
  followCaller(call);
  return call.stop === null ? loadSession(call) : "next";
}

/** Ends a call whose arguments are too large to be read. Events, logs and traces see none of them. */
function endUnread(call: Call, problem: string): "next" {
  call.phase = "parse";
  makeReadable(call);
  dropArguments(call);
  return endCall(call, "invalid", "INVALID_ARGUMENTS", { message: problem });
}

/** An internal tool is there for internal calls, and for those that continue one. */
function isFor({ isInternal, stored }: Call, { info }: MountedTool): boolean {
  return info.status !== "internal" || isInternal || stored !== null;
}

function listedNames({ tools }: Generation): string[] {
  return [...tools.values()].filter(({ info }) => info.status !== "internal").map(({ name }) => name);
}

/** Ends a call whose request or context has wrong types. Events and logs see readable ones. */
function endUnreadable(call: Call): "next" {
  const message = makeReadable(call);
  return message === null
    ? endNotFound(call, [])
    : endCall(call, "invalid", "INVALID_ARGUMENTS", { message });
}

function endNotFound(call: Call, near: readonly string[]): "next" {
  const tool = String(call.request.name).slice(0, 200);
  return endCall(call, "not_found", "TOOL_NOT_FOUND", { tool, near });
}

function endDuplicate(call: Call): "next" {
  return endCall(call, "failed", "DUPLICATE_CALL", { callId: call.callId.slice(0, 200) });
}

/** Claims the caller's id. Only calls of a session have one that can repeat; the host makes the ids of nested calls. */
function claimId(call: Call): boolean {
  const { sessionId } = call.given;
  if (call.request.id === undefined || sessionId === undefined || call.stored !== null) return true;
  call.claimedId = call.host.ids.claim(sessionId, call.callId);
  return call.claimedId;
}

/** Stops the call with the host, the caller's token or the caller's signal. */
function followCaller(call: Call): void {
  const { host, given } = call;
  if (host.cancelState !== "none") applyCancellation(call, host.cancelState);
  if (given.cancellation !== undefined)
    host.cancellations.follow(given.cancellation, (call.cancellation = new Link(call)));
  const signal = given.abortSignal;
  if (signal?.aborted) stopCall(call, "caller");
  else if (signal !== undefined) host.signals.follow(signal, (call.signal = new Link(call)));
}

/**
 * Loads the session's state, unless that was done for this call, and refuses an id under which a call of it waits. Calls
 * that tools make skip this.
 */
function loadSession(call: Call): HopAnswer {
  const { sessionId } = call.given;
  if (sessionId === undefined || call.parent !== null) return "next";
  const state = call.host.states.of(sessionId);
  // A session that ended meanwhile has another state.
  const loaded = call.session === state ? null : call.host.states.load(sessionId);
  call.session = state;
  const repeated = call.claimedId ? isWaiting(call, sessionId) : null;
  if (loaded === null && repeated === null) return "next";
  limitWait(call);
  return waitFor(call, Promise.all([repeated, loaded]), takeSession, onSessionFailure);
}

function takeSession(call: Call, [isRepeated]: readonly [boolean | null, unknown]): "next" {
  return isRepeated === true ? endDuplicate(call) : "next";
}

function onSessionFailure(call: Call, err: unknown): "next" {
  call.host.logger.error({ err, run_id: call.runId }, `a session could not be read: ${messageOf(err)}`);
  return endUnavailable(call, "the stored state of its session could not be read");
}

/** Whether a call of this id waits in the store; null without a store. */
function isWaiting({ callId, generation, host }: Call, sessionId: string): Promise<boolean> | null {
  const store = host.stores.approvals(generation);
  return store === null ? null : host.stores.isTaken(store, { sessionId, callId });
}
