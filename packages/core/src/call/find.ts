import type { CallContext, CallRequest } from "../contract/context.ts";
import { isRecord } from "../json/json.ts";
import { measure, meter, smallBytes } from "../json/meter.ts";
import { mostValues } from "../json/shape.ts";
import { messageOf } from "../contract/errors.ts";
import type { SessionId } from "../contract/own-session.ts";
import { ownSession } from "./call-state.ts";
import type { MountedTool } from "../registry/prepare-tool.ts";
import { nearestNames } from "../text/nearest.ts";
import { logId } from "../pending/session-logs.ts";
import { generationOf, type Generation } from "../registry/generation.ts";
import { emptyContext, type Call, type HopAnswer } from "./call.ts";
import { applyCancellation } from "./cancellation.ts";
import { undoRefusal } from "./changes.ts";
import { endCall, endUnavailable, parseHop, stopCall, storeWait, waitFor } from "./transitions.ts";

/** Hop 1: finds the tool in the generation in which the call began. */
export function find(call: Call): HopAnswer {
  const { host, generation, parent } = call;
  const given: unknown = call.request.arguments;
  const { argumentBytes } = host.limits;
  const problem = areSmall(given, argumentBytes) ? null : argumentsProblem(call, given);
  if (problem !== null) return endUnread(call, problem);
  const name: unknown = call.request.name;
  if (host.closing && parent === null) return endUnavailable(call, "the host is closed");
  if (typeof name !== "string" || typeof call.callId !== "string" || idProblem(call.given) !== null)
    return endUnreadable(call);
  if (name === "") return endNotFound(call, []);
  const tool = call.own ?? findTool(generation, parent, name);
  if (tool === undefined || !isFor(call, tool))
    return endNotFound(call, nearestNames(name, listedNames(generation)));
  call.tool = tool;
  const refusal = call.undo === null ? null : undoRefusal(call, call.undo.owner);
  if (refusal !== null)
    return endCall(call, "failed", "UNDO_UNAVAILABLE", { tool: tool.name, reason: refusal });
  if (call.undo?.isUnclear === true) return endCall(call, "unknown", "OUTCOME_UNKNOWN", { tool: tool.name });
  if (tool.drifted?.())
    return endCall(call, "denied", "LOCK_DRIFT", { tool: tool.name, isLocked: tool.isLocked });
  if (call.depth > host.limits.depth)
    return endUnavailable(call, `tools may call tools at most ${host.limits.depth} deep`);
  if (!claimId(call)) return endDuplicate(call);
  followCaller(call);
  host.active.add(call);
  const { sessionKey } = call;
  return sessionKey === undefined || parent !== null || call.stop !== null
    ? "next"
    : loadSession(call, sessionKey);
}

/** Returns the generation in which a tool's calls find tools: the call's own or, for the host's own tools, the current one. */
export function generationBelow(parent: Call): Generation {
  return parent.own === null ? parent.generation : generationOf(parent.host.moduleSet);
}

/** Finds the tool that a call names. `parent` is the call whose tool makes this call; null for a call from outside. */
export function findTool(generation: Generation, parent: Call | null, name: string): MountedTool | undefined {
  return parent === null || parent.own !== null
    ? generation.find(name)
    : generation.findFor(parent.tool!, name);
}

/** Arguments within both numbers need no measuring: even if every character is escaped, their JSON is below 64 KB. */
const fewCharacters = 8_192;
const fewMembers = 32;

/** Whether arguments are a few short scalars, as in most calls. Measuring these as well would take 5 % of a call's time. */
function areSmall(given: unknown, maxBytes: number): boolean {
  if (typeof given === "string") return given.length <= smallBytes && given.length * 3 <= maxBytes;
  if (typeof given !== "object" || given === null) return true;
  if (maxBytes < 2 * smallBytes) return false;
  let members = 0;
  let characters = 0;
  try {
    for (const key in given) {
      const member = (given as Record<string, unknown>)[key];
      if (typeof member === "object") return false;
      characters += key.length + (typeof member === "string" ? member.length : 0);
      if (++members > fewMembers || characters > fewCharacters) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Says why arguments are not read at all: they are too large, nested too deep, or cannot be read. Null for all others.
 * Without this check, observers, the journal and traces would get such arguments and walk through them.
 */
export function argumentsProblem(call: Call, given: unknown): string | null {
  const maxBytes = call.host.limits.argumentBytes;
  try {
    const { bytes, values } =
      typeof given === "string" ? { bytes: given.length, values: 0 } : measure(given, maxBytes);
    if (bytes > smallBytes) call.isLarge = true;
    if (typeof given === "string") return said(textProblem(given, maxBytes));
    if (bytes > maxBytes) return said(meter(given, maxBytes));
    return values > mostValues ? `the arguments have more than ${mostValues} values` : null;
  } catch {
    return "the arguments cannot be read";
  }
}

function said(problem: string | null): string | null {
  return problem === null ? null : `the arguments are ${problem}`;
}

function textProblem(text: string, maxBytes: number): string | null {
  const isLonger =
    text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
  return isLonger ? `larger than ${maxBytes} bytes` : null;
}

/** Ends a call whose arguments are too large to be read. Events, logs and traces see none of them. */
function endUnread(call: Call, problem: string): "next" {
  call.hop = parseHop + 1; // counts as a failure of the hop `parse`, because the arguments are at fault
  makeReadable(call);
  dropArguments(call);
  return endCall(call, "invalid", "INVALID_ARGUMENTS", { message: problem });
}

/** Removes the unread arguments from the request, so that no event, log or trace sees them. */
function dropArguments(call: Call): void {
  const { arguments: _, ...rest } = call.request;
  call.request = rest;
}

/** Says which member of a context has a wrong type or value; null if none has. Every call runs this, so it has no loop over names. */
function idProblem(context: Readonly<Record<string, unknown>> | CallContext): string | null {
  if (context === emptyContext) return null;
  const { sessionId, conversationId, turnId, userId, prompts, parentSessionIds, causes } = context;
  if (!isIdOrAbsent(sessionId)) return notText("sessionId");
  if (sessionId !== undefined && logId.test(sessionId as string))
    return `the sessionId of the context is that of a log: it begins with "${logId.exec(sessionId as string)![0]}"`;
  if (!isIdOrAbsent(conversationId)) return notText("conversationId");
  if (!isIdOrAbsent(turnId)) return notText("turnId");
  if (!isIdOrAbsent(userId)) return notText("userId");
  if (!areTextsOrAbsent(prompts)) return notTexts("prompts");
  if (!areCausesOrAbsent(causes)) return "the causes of the context are not a list of turns";
  return areTextsOrAbsent(parentSessionIds) ? null : notTexts("parentSessionIds");
}

const isListOf = (isOne: (item: unknown) => boolean) => (list: unknown) =>
  list === undefined || (Array.isArray(list) && list.every(isOne));
const areTextsOrAbsent = isListOf((text) => typeof text === "string");
const areCausesOrAbsent = isListOf(
  (cause) =>
    isRecord(cause) &&
    typeof cause["sessionId"] === "string" &&
    [cause["turnId"], cause["callId"]].every(isIdOrAbsent),
);

const notTexts = (key: string) => `the ${key} of the context are not a list of texts`;

function isIdOrAbsent(id: unknown): boolean {
  return id === undefined || typeof id === "string";
}

const notText = (key: string) => `the ${key} of the context is not a text`;

/** Ends a call whose request or context has wrong types. Events and logs get readable values instead. */
function endUnreadable(call: Call): "next" {
  const message = makeReadable(call);
  return message === null
    ? endNotFound(call, [])
    : endCall(call, "invalid", "INVALID_ARGUMENTS", { message });
}

/** Replaces the request and the context of a failed call by readable ones. Returns what was wrong with them; null if nothing was. */
export function makeReadable(call: Call): string | null {
  const { request, context, problem } = readRequest(call.request, call.given);
  call.request = request;
  if (typeof call.callId !== "string") call.callId = call.runId;
  if (problem === null) return null;
  call.given = context;
  call.sessionKey = ownSession(context.userId, context.sessionId);
  return problem;
}

/** Reads a request and a context whose members may throw. Unreadable members are left out; `problem` names the first. */
export function readRequest(request: unknown, context: unknown) {
  const given = readMembers(request, "the request");
  const { name, id } = given.members;
  const around = readMembers(context, "the context");
  const problem =
    given.problem ??
    (id === undefined || typeof id === "string" ? null : "the id of the call is not a text") ??
    around.problem ??
    idProblem(around.members);
  const readable: CallRequest = {
    ...given.members,
    name: textOf(name),
    id: typeof id === "string" ? id : undefined,
  };
  const readableContext: CallContext = problem === null ? around.members : emptyContext;
  return { request: readable, context: readableContext, problem };
}

function readMembers(
  value: unknown,
  what: string,
): { members: Record<string, unknown>; problem: string | null } {
  try {
    if (typeof value === "object" && value !== null) return { members: { ...value }, problem: null };
    return { members: {}, problem: `${what} is not an object` };
  } catch {
    return { members: {}, problem: `${what} cannot be read` };
  }
}

/** Returns a name of any type as a text of at most 200 characters. */
function textOf(name: unknown): string {
  try {
    return String(name).slice(0, 200);
  } catch {
    return "";
  }
}

/** Whether a call may find a tool. Internal tools are only for internal calls and for calls that continue or undo another. */
function isFor({ isInternal, own, stored, undo }: Call, { info }: MountedTool): boolean {
  return info.status !== "internal" || isInternal || own !== null || stored !== null || undo !== null;
}

function listedNames({ tools }: Generation): string[] {
  return [...tools.values()].filter(({ info }) => info.status !== "internal").map(({ name }) => name);
}

function endNotFound(call: Call, near: readonly string[]): "next" {
  const tool = String(call.request.name).slice(0, 200);
  return endCall(call, "not_found", "TOOL_NOT_FOUND", { tool, near });
}

/** Claims the caller's id in its session; false when a call of that session uses it. Sessions do not share ids. */
function claimId(call: Call): boolean {
  const { sessionKey } = call;
  if (call.request.id === undefined || sessionKey === undefined || call.stored !== null) return true;
  call.claimedId = call.host.ids.claim(sessionKey, call.callId);
  return call.claimedId;
}

function endDuplicate(call: Call): "next" {
  return endCall(call, "failed", "DUPLICATE_CALL", { callId: call.callId.slice(0, 200) });
}

/** Makes the call stop when the host or the caller's token is cancelled, or when the caller's signal aborts. */
function followCaller(call: Call): void {
  const { host, given } = call;
  if (host.cancelState !== "none") applyCancellation(call, host.cancelState);
  const { cancellation, abortSignal } = given;
  if (cancellation !== undefined) host.callers.followToken(call, cancellation);
  if (abortSignal?.aborted) stopCall(call, "caller");
  else if (abortSignal !== undefined) host.callers.followSignal(call, abortSignal);
}

/**
 * Loads the session's state, unless this call has loaded it already, and refuses an id under which another call of the session
 * waits. Calls that tools make skip this.
 */
function loadSession(call: Call, key: SessionId): HopAnswer {
  const state = call.host.states.of(key);
  // A session that ended meanwhile has a new state object.
  const loaded = call.session === state ? null : call.host.states.load(key);
  call.session = state;
  const repeated = call.claimedId ? isWaiting(call) : null;
  if (loaded === null && repeated === null) return "next";
  return waitFor(call, Promise.all([repeated, loaded]), takeSession, onSessionFailure, storeWait);
}

function takeSession(call: Call, [isRepeated]: readonly [boolean | null, unknown]): "next" {
  return isRepeated === true ? endDuplicate(call) : "next";
}

function onSessionFailure(call: Call, err: unknown): "next" {
  call.host.logger.error({ err, run_id: call.runId }, `a session could not be read: ${messageOf(err)}`);
  return endUnavailable(call, "the stored state of its session could not be read");
}

/** Whether a call of this id waits in the store; null without a store. */
function isWaiting({ callId, generation, given, host }: Call): Promise<boolean> | null {
  const store = host.stores.approvals(generation);
  return store === null ? null : host.stores.isTaken(store, { ...given, callId });
}
