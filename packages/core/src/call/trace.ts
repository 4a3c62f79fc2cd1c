import { tracingChannel } from "node:diagnostics_channel";
import { withoutUndefined } from "../json/without-undefined.ts";
import { givenArguments, traceparentOf, type Call } from "./call.ts";
import { lineOf } from "../pending/place.ts";
import { phaseOf } from "./transitions.ts";
import { callChannelName, type ActiveTrace, type CallTrace } from "../contract/call-trace.ts";

/** The tracing channel of calls, with the events of an asynchronous function: `start`, `end`, `asyncStart`, `asyncEnd` … */
export const callChannel = tracingChannel(callChannelName);

/** Publishes the start of a call, and runs it inside the stores that listeners have bound to the channel. */
export function beginTrace(call: Call): void {
  const trace: ActiveTrace = { message: newMessage(call), ended: false };
  call.trace = trace;
  callChannel.start.runStores(trace.message, () => call.host.runPipeline(call));
  if (!trace.ended) publishEnd(call, trace);
}

/** Publishes the outcome of a call. If the call never waited, its `end` is published first. */
export function endTrace(call: Call, trace: ActiveTrace): void {
  const { message } = trace;
  const { timing, ending } = call;
  if (!trace.ended) publishEnd(call, trace);
  message.status = ending.status;
  message.arguments = call.arguments ?? givenArguments(call);
  message.durationMs = timing.endedAt - timing.startedAt;
  message.result = ending.result!;
  if (ending.status !== "ok" && ending.status !== "pending") publishError(call, message);
  callChannel.asyncStart.publish(message);
  callChannel.asyncEnd.publish(message);
}

function publishEnd({ tool }: Call, trace: ActiveTrace): void {
  trace.ended = true;
  if (tool !== null) {
    trace.message.tool = tool.name;
    trace.message.info = tool.info;
  }
  callChannel.end.publish(trace.message);
}

function publishError(call: Call, message: CallTrace): void {
  const { ending } = call;
  const { code = "TOOL_FAILED", error = "" } = ending.result!;
  const { failureType: type, interrupt } = ending;
  message.phase = phaseOf(call);
  message.error = {
    code,
    message: error,
    type,
    ...(interrupt === null ? {} : { thrown: interrupt.thrown }),
  };
  callChannel.error.publish(message);
}

/** Makes the message of a call. If its request or context throws when it is read, the message has only what the host knows. */
function newMessage(call: Call): CallTrace {
  const { host, runId, callId, depth, announced: resumed } = call;
  const known = { hostId: host.id, runId, callId, tool: "", depth, resumed, traceparent: undefined };
  try {
    const { sessionId, conversationId, turnId, userId, traceparent, rehearsal } = call.given;
    const { name } = call.request;
    const of = { rehearsalId: rehearsal?.id, undoOf: call.undo?.request.runId };
    const ids = { parentRunId: call.parent?.runId, sessionId, conversationId, turnId, userId, ...of };
    const tool = typeof name === "string" ? name : "";
    return { ...known, tool, traceparent, ...withoutUndefined(ids), ...lineOf(call) };
  } catch {
    return known;
  }
}

/** Ids of a span in a log record, under the names that OpenTelemetry's own log instrumentations use. */
export interface TraceFields {
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly trace_flags?: string;
}

/** Source: W3C Trace Context, section 3.2. */
const traceparentPattern = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;

/** Reads the ids of a W3C `traceparent` for a log record. For an invalid one, the record has no ids. */
export function traceFields(traceparent: string | undefined): TraceFields {
  const [, traceId, spanId, flags] = traceparentPattern.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return {};
  return { trace_id: traceId, span_id: spanId, trace_flags: flags };
}

/** Returns the fields of a log record about a call. */
export function logFields(call: Call): Record<string, unknown> {
  const { given } = call;
  return {
    tool: call.tool === null ? call.request.name : call.tool.name,
    run_id: call.runId,
    call_id: call.callId,
    ...withoutUndefined({
      session_id: given.sessionId,
      conversation_id: given.conversationId,
      turn_id: given.turnId,
    }),
    ...traceFields(traceparentOf(call)),
  };
}

/** Logs an error with the fields of its call. */
export function logError(call: Call, err: unknown, message: string): void {
  call.host.logger.error({ err, ...logFields(call) }, message);
}
