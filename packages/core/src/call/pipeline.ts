import type { CallContext, CallRequest } from "../contract/context.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import { approve } from "./approve.ts";
import { Call, type CallHost, type HopAnswer, type Resolve } from "./call.ts";
import type { MadeIn } from "./call-state.ts";
import { decide } from "./decide.ts";
import { execute } from "./execute.ts";
import { find, generationBelow, makeReadable, readRequest } from "./find.ts";
import { finish, notify } from "./notify.ts";
import { parse } from "./parse.ts";
import { shape } from "./shape.ts";
import { beginTrace, callChannel, logError } from "./trace.ts";
import {
  endCall,
  endStoppedCall,
  executeHop,
  failedStart,
  hopNames,
  notifyHop,
  parseHop,
  waitFor,
  type HopName,
} from "./transitions.ts";
import { generationOf } from "../registry/generation.ts";

/*
 * The life of a call:
 *
 *  1. find: the tool, by name or alias, in the generation in which the call began; then the call's id, signal and token.
 *  2. parse: the arguments, by the tool's schema. Its result is the arguments for every hop after it.
 *  3. decide: gates on `tool:pre` by priority, then policies, then the tool's own `requiresConfirmation`.
 *  4. approve: one question to a person, if hop 3 asked for it.
 *  5. execute: permits, the start in the audit, then the tool, under one signal and its deadline.
 *  6. shape: the result against the contract and `outputSchema`, within its size.
 *  7. notify: gates on the result, the audit, observers, and the caller.
 *
 * A call that ends early skips to hop 7. A hop that waits leaves the pipeline, and `resumeCall` enters it again.
 */

/** What a call begins with, in addition to its request and context. */
export interface CallOrigin {
  /** The call whose tool makes this call; null for a call from outside. */
  readonly parent: Call | null;
  /** The state of its session if it was loaded for this call already; if null, the hop `find` loads it. */
  readonly session: object | null;
  /** Whether the call may run an internal tool, which is so only if the host itself chose the tool, not a model or a caller. */
  readonly isInternal?: boolean;
  /** The host's own tool that the call runs. */
  readonly own?: Call["own"];
  /** The call's place in the log of its parent. */
  readonly madeIn?: MadeIn | null;
  /** The change that the call undoes. */
  readonly undo?: Call["undo"];
}

const outside: CallOrigin = Object.freeze({ parent: null, session: null });

/** Starts a call. A call from outside uses the current generation; a call that a tool makes uses its parent's generation. */
export function startCall(
  host: CallHost,
  request: CallRequest,
  context: CallContext,
  origin: CallOrigin = outside,
): Promise<ToolOutcome> {
  const { promise, resolve } = Promise.withResolvers<ToolOutcome>();
  let call: Call;
  try {
    call = newCall(host, request, context, origin, resolve);
  } catch (err) {
    startUnreadable(host, request, context, origin, resolve, err);
    return promise;
  }
  beginCall(call);
  return promise;
}

function newCall(
  host: CallHost,
  request: CallRequest,
  context: CallContext,
  { parent, session, isInternal = false, own = null, madeIn = null, undo }: CallOrigin,
  resolve: Resolve,
): Call {
  const runId = host.ids.nextRunId();
  const generation = parent === null ? generationOf(host.moduleSet) : generationBelow(parent);
  const call = new Call(host, generation, request, context, resolve, runId);
  if (session !== null) call.session = session;
  if (isInternal) call.isInternal = true;
  if (own !== null) call.own = own;
  if (madeIn !== null) call.madeIn = madeIn;
  if (undo !== undefined) call.undo = undo;
  if (parent !== null) {
    call.parent = parent;
    call.depth = parent.depth + 1;
  }
  return call;
}

/** Ends a call as invalid because its request cannot be read, and notifies observers as for any other call. */
function startUnreadable(
  host: CallHost,
  request: unknown,
  context: unknown,
  origin: CallOrigin,
  resolve: Resolve,
  err: unknown,
): void {
  try {
    const readable = readRequest(request, context);
    if (readable.problem === null) throw err;
    const made = newCall(host, readable.request, readable.context, origin, resolve);
    endCall(made, "invalid", "INVALID_ARGUMENTS", { message: readable.problem });
    beginCall(made);
  } catch (failed) {
    host.logger.error({ err: failed }, "a call could not start");
    resolve(failedStart(host, request, "INTERNAL", () => ({})));
  }
}

/** Runs a call, and traces it if the tracing channel has listeners. */
export function beginCall(call: Call): void {
  if (callChannel.hasSubscribers) beginTrace(call);
  else runPipeline(call);
}

const byName: Readonly<Record<HopName, (call: Call) => HopAnswer>> = {
  find,
  parse,
  decide,
  approve,
  execute,
  shape,
  notify,
};
const hops = hopNames.map((name) => byName[name]);

/** Runs the hops of a call until it waits or has ended. No other function runs hops. */
export function runPipeline(call: Call): void {
  while (call.hop < hops.length) {
    if (call.stop !== null && call.hop > parseHop && call.hop <= executeHop) endStoppedCall(call);
    const hop = hops[call.hop++]!;
    try {
      if (hop(call) !== "next") return void (call.waiting = true);
      if (call.isLarge && call.hop < hops.length) return pause(call);
    } catch (thrown) {
      failInternally(call, thrown);
    }
  }
}

/** Lets the host do other work before the next hop of a call. */
function pause(call: Call): void {
  call.waiting = true;
  waitFor(call, new Promise<void>((resolve) => void setImmediate(resolve)), () => "next");
}

/** Handles a fault of the host itself: logs the whole error, and ends the call without its text. */
export function failInternally(call: Call, thrown: unknown): void {
  const notifyFailed = call.hop > notifyHop;
  const { timing } = call;
  call.executing = false;
  timing.endedAt = Math.max(timing.startedAt, timing.endedAt);
  const problem = call.tool === null || call.arguments === null ? makeReadable(call) : null;
  if (problem === null) endCall(call, "failed", "INTERNAL", {});
  else endCall(call, "invalid", "INVALID_ARGUMENTS", { message: problem });
  logError(call, thrown, problem ?? "the host failed in a call");
  if (notifyFailed) finish(call); // no later hop answers the caller
}
