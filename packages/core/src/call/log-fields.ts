import type { Run } from "./call.ts";
import { traceparentOf } from "./trace.ts";

/** Ids of a span in a line of a log, by the names under which OpenTelemetry's own log instrumentations write them. */
export interface TraceFields {
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly trace_flags?: string;
}

/** Source: W3C Trace Context, section 3.2. */
const pattern = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;

/** The ids that a W3C `traceparent` holds, for a log; nothing for one that is none. */
export function traceFields(traceparent: string | undefined): TraceFields {
  const [, traceId, spanId, flags] = pattern.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return {};
  return { trace_id: traceId, span_id: spanId, trace_flags: flags };
}

/** What a line of the log says of the call it speaks of. */
export function runFields(run: Run): Record<string, unknown> {
  const { given } = run;
  return {
    tool: run.tool === null ? run.request.name : run.tool.name,
    run_id: run.runId,
    call_id: run.callId,
    ...(given.sessionId === undefined ? {} : { session_id: given.sessionId }),
    ...(given.conversationId === undefined ? {} : { conversation_id: given.conversationId }),
    ...(given.turnId === undefined ? {} : { turn_id: given.turnId }),
    ...traceFields(traceparentOf(run)),
  };
}
