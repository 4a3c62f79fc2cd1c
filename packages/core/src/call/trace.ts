import { tracingChannel } from "node:diagnostics_channel";
import type { ToolInfo } from "../contract/tool.ts";
import type { CallStatus, Phase } from "../contract/outcome.ts";
import type { ToolResult } from "../contract/result.ts";
import type { Run } from "./call.ts";

/** Name of the tracing channel of `node:diagnostics_channel` on which every call of every host is told. */
export const callChannelName = "toolmount:call";

/**
 * The channel itself. Its moments are those of an asynchronous function: `start` when the call comes, `end` when the
 * part of it that ran at once is over, `error` if it ended badly, then `asyncStart` and `asyncEnd`.
 */
export const callChannel = tracingChannel(callChannelName);

/**
 * What listeners of the channel are given of a call: one object for all its moments, filled as the call goes on.
 * It holds real arguments and results; who sends them elsewhere leaves out secrets.
 */
export interface CallTrace {
  /** The host's, as the capability `host.id`; listeners hear all hosts of the process. */
  readonly hostId: string;
  readonly runId: string;
  readonly callId: string;
  /** The name asked for; from `end` on that of the tool that was found. */
  tool: string;
  readonly depth: number;
  readonly parentRunId?: string;
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly turnId?: string;
  readonly userId?: string;
  /** The call waited as `pending` before, and goes on. */
  readonly resumed: boolean;
  /** W3C trace context of the caller. What a listener to `start` puts here, the tool and the calls it makes see. */
  traceparent: string | undefined;
  /** The parsed arguments, else what came in; there at the end. */
  arguments?: unknown;
  /** What is known of the tool, once it was found. */
  info?: ToolInfo;
  status?: CallStatus;
  /** The hop in which it stopped, unless it is `ok` or `pending`. */
  phase?: Phase;
  durationMs?: number;
  result?: ToolResult;
  /** What went wrong, unless it is `ok` or `pending`. `thrown`: an interrupt, with which the call rejects. */
  error?: {
    readonly code: string;
    readonly message: string;
    readonly type: string;
    readonly thrown?: unknown;
  };
}

/** A trace, and whether its `end` was told. */
export interface RunTrace {
  readonly message: CallTrace;
  ended: boolean;
}

/** Tells of a run's start and walks it, inside the stores that listeners bound to the channel. */
export function beginTrace(run: Run): void {
  const trace: RunTrace = { message: messageOf(run), ended: false };
  run.trace = trace;
  callChannel.start.runStores(trace.message, () => run.host.walk(run));
  if (!trace.ended) tellEnd(run, trace);
}

/** Tells that the run is over; a run that never waited has yet to tell of its `end`. */
export function endTrace(run: Run, trace: RunTrace): void {
  const { message } = trace;
  if (!trace.ended) tellEnd(run, trace);
  message.status = run.status;
  message.arguments = run.arguments ?? run.request.arguments;
  message.durationMs = run.endedAt - run.startedAt;
  message.result = run.result!;
  if (run.status !== "ok" && run.status !== "pending") tellError(run, message);
  callChannel.asyncStart.publish(message);
  callChannel.asyncEnd.publish(message);
}

/** The trace context that a run's tool and nested calls see. */
export function traceparentOf(run: Run): string | undefined {
  return run.trace === null ? run.given.traceparent : run.trace.message.traceparent;
}

function tellEnd(run: Run, trace: RunTrace): void {
  trace.ended = true;
  if (run.tool !== null) {
    trace.message.tool = run.tool.name;
    trace.message.info = run.tool.info;
  }
  callChannel.end.publish(trace.message);
}

function tellError(run: Run, message: CallTrace): void {
  const { code = "TOOL_FAILED", error = "" } = run.result!;
  message.phase = run.phase;
  message.error = {
    code,
    message: error,
    type: run.failureType,
    ...(run.interrupt === null ? {} : { thrown: run.interrupt.thrown }),
  };
  callChannel.error.publish(message);
}

function messageOf(run: Run): CallTrace {
  const { given, parent } = run;
  return {
    hostId: run.host.id,
    runId: run.runId,
    callId: run.callId,
    tool: typeof run.request.name === "string" ? run.request.name : "",
    depth: run.depth,
    resumed: run.announced,
    traceparent: given.traceparent,
    ...(parent === null ? {} : { parentRunId: parent.runId }),
    ...(given.sessionId === undefined ? {} : { sessionId: given.sessionId }),
    ...(given.conversationId === undefined ? {} : { conversationId: given.conversationId }),
    ...(given.turnId === undefined ? {} : { turnId: given.turnId }),
    ...(given.userId === undefined ? {} : { userId: given.userId }),
  };
}
