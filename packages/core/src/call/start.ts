import type { CallContext, CallRequest } from "../contract/context.ts";
import { errorMessage, type ErrorDetails } from "../contract/errors.ts";
import type { ToolOutcome } from "../contract/outcome.ts";
import type { Generation } from "../registry/generation.ts";
import { Call, type CallHost, type Resolve } from "./call.ts";
import { readRequest } from "./unreadable.ts";
import { endCall } from "./transitions.ts";
import { beginTrace, callChannel, traceparentOf } from "./trace.ts";

/** What a call begins with, beside its request and context. */
export interface CallOrigin {
  /** The call of the tool that makes it. */
  readonly parent: Call | null;
  /** The state of its session, where that was loaded for this call; else the hop find loads it. */
  readonly session: object | null;
  /** It may call an internal tool: no model and no program chose the name. */
  readonly isInternal?: boolean;
}

/** Starts a call from outside in the current generation, or one that a tool makes in the generation of its parent. */
export function startCall(
  host: CallHost,
  generation: () => Generation,
  request: CallRequest,
  context: CallContext,
  origin: CallOrigin,
): Promise<ToolOutcome> {
  const promise = new Promise<ToolOutcome>(keepResolve);
  const resolve = keptResolve;
  let call: Call;
  try {
    call = newCall(host, generation, request, context, origin, resolve);
  } catch (err) {
    startUnreadable(host, generation, request, context, origin, resolve, err);
    return promise;
  }
  beginCall(call);
  return promise;
}

function newCall(
  host: CallHost,
  generation: () => Generation,
  request: CallRequest,
  context: CallContext,
  { parent, session, isInternal = false }: CallOrigin,
  resolve: Resolve,
): Call {
  if (parent === null) {
    const call = new Call(host, generation(), request, context, resolve, host.ids.nextRunId());
    if (session !== null) call.session = session;
    if (isInternal) call.isInternal = true;
    return call;
  }
  const call = new Call(host, parent.generation, request, context, resolve, host.ids.nextRunId());
  call.parent = parent;
  call.depth = parent.depth + 1;
  return call;
}

/** Ends a call whose request cannot be read as invalid, with an event like any other. */
function startUnreadable(
  host: CallHost,
  generation: () => Generation,
  request: unknown,
  context: unknown,
  origin: CallOrigin,
  resolve: Resolve,
  err: unknown,
): void {
  try {
    const readable = readRequest(request, context);
    if (readable.problem === null) throw err;
    const made = newCall(host, generation, readable.request, readable.context, origin, resolve);
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
  else call.host.runPipeline(call);
}

/** The context of a call that a tool makes: the same session and people, the tool's signal. Progress and questions are its own. */
export function nestedContext(parent: Call): CallContext {
  return {
    ...parent.given,
    abortSignal: parent.context!.abortSignal,
    onProgress: undefined,
    onQuestion: undefined,
    traceparent: traceparentOf(parent),
  };
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
