import type { CallContext, CallRequest } from "../contract/context.ts";
import { errorMessage, type ErrorDetails } from "../contract/errors.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { SessionId } from "../contract/own-session.ts";
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
  hopNames,
  notifyHop,
  parseHop,
  waitFor,
  type HopName,
} from "./transitions.ts";

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

/** What a call begins with, beside its request and context. */
export interface CallOrigin {
  /** The call of the tool that makes it. */
  readonly parent: Call | null;
  /** The state of its session, where that was loaded for this call; else the hop find loads it. */
  readonly session: object | null;
  /** It may call an internal tool: no model and no program chose the name. */
  readonly isInternal?: boolean;
  /** The host's own tool that it calls. */
  readonly own?: Call["own"];
  /** Its place in its parent's log. */
  readonly madeIn?: MadeIn | null;
  /** It undoes a change. */
  readonly undo?: Call["undo"];
}

const outside: CallOrigin = Object.freeze({ parent: null, session: null });

/** Starts a call from outside in the current generation, or one that a tool makes in the generation of its parent. */
export function startCall(
  host: CallHost,
  request: CallRequest,
  context: CallContext,
  origin: CallOrigin = outside,
): Promise<ToolOutcome> {
  const promise = new Promise<ToolOutcome>(keepResolve);
  const resolve = keptResolve;
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
  const generation = parent === null ? host.moduleSet.generation() : generationBelow(parent);
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

/** Ends a call whose request cannot be read as invalid, with an event like any other. */
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

/** Takes the `resolve` of a call's promise. An executor for each call would take 160 bytes and 5 % of its time. */
let keptResolve: Resolve = () => {};
const keepResolve = (resolve: Resolve) => {
  keptResolve = resolve;
};

/** Runs a call; traced, if the tracing channel has listeners. */
export function beginCall(call: Call): void {
  if (callChannel.hasSubscribers) beginTrace(call);
  else runPipeline(call);
}

/** The outcome of a call that could not start: the request is not an object, the clock failed, or its caller has too many. */
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

/** Runs the hops of a call until it waits or has ended. The only function that does. */
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

/** The last two digits of a run's number, in base 36: to print the whole number takes 3 % of a call's time. */
const lastDigits = Array.from({ length: 36 * 36 }, (_, run) => run.toString(36).padStart(2, "0"));

/** Run ids, and the callers' ids of calls that have not ended. */
export class CallIds {
  readonly #prefix: string;
  readonly #claimed = new Map<SessionId, Set<string>>();
  #block: string;
  #runs = 0;

  /** `hostId` begins every run id: it is different for each host of a process. */
  constructor(hostId: string) {
    this.#prefix = this.#block = `${hostId}-`;
  }

  nextRunId(): string {
    const run = ++this.#runs;
    if (run < lastDigits.length) return this.#prefix + run.toString(36);
    if (run % lastDigits.length === 0) this.#block = this.#prefix + (run / lastDigits.length).toString(36);
    return this.#block + lastDigits[run % lastDigits.length]!;
  }

  /** Claims a caller's id for a session; false when a call of the session has it already. */
  claim(sessionId: SessionId, callId: string): boolean {
    const ids = this.#claimed.get(sessionId) ?? new Set();
    if (ids.has(callId)) return false;
    this.#claimed.set(sessionId, ids.add(callId));
    return true;
  }

  release(sessionId: SessionId, callId: string): void {
    const ids = this.#claimed.get(sessionId);
    ids?.delete(callId);
    if (ids?.size === 0) this.#claimed.delete(sessionId);
  }
}
