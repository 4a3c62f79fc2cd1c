import { tracingChannel } from "node:diagnostics_channel";
import {
  context,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Meter,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { callChannelName, createRedactor, type CallTrace } from "@toolmount/core";
import { endAttributes, errorText, startAttributes } from "./attributes.ts";
import { ContextStore } from "./context-store.ts";
import { createCounters } from "./counters.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

export interface TelemetryOptions {
  /** Default: the one that is registered with OpenTelemetry's API. */
  readonly tracer?: Tracer | undefined;
  /** Default: the one that is registered with OpenTelemetry's API now. */
  readonly meter?: Meter | undefined;
  /** The host whose calls are sent: its capability `host.id`. Default: all hosts of the process. */
  readonly hostId?: string | undefined;
  /** Puts arguments and results on the spans, without secrets and cut to 8192 characters. Default false. */
  readonly content?: boolean | undefined;
  /** Texts that are masked wherever they would stand on a span. */
  readonly secrets?: readonly string[] | undefined;
}

export interface Telemetry {
  /** Ends it: spans of calls that still run are ended, and nothing more is sent. */
  stop(): void;
}

/** Name of the tracer and the meter. */
const scope = "@toolmount/otel";

/**
 * Makes a span and metrics of each call, by OpenTelemetry's semantic conventions for generative AI: `execute_tool`
 * spans, the histogram `gen_ai.execute_tool.duration`, and the counter `toolmount.calls` by status.
 *
 * A call's span lies under that of the tool that made it, else under the caller's `traceparent` or active span. The
 * tool sees its own span as `context.traceparent`.
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const {
    tracer = trace.getTracer(scope),
    meter = metrics.getMeter(scope),
    hostId,
    content = false,
  } = options;
  const redact = createRedactor(options.secrets);
  const count = createCounters(meter);
  const open = new Map<string, { readonly span: Span; readonly context: Context }>();
  const channel = tracingChannel<unknown, CallTrace>(callChannelName);

  const begin = (call: CallTrace): Context => {
    if (hostId !== undefined && call.hostId !== hostId) return context.active();
    const parent = parentOf(call, open.get(call.parentRunId ?? "")?.context);
    const attributes = startAttributes(call);
    const span = tracer.startSpan(
      `execute_tool ${call.tool}`,
      { kind: SpanKind.INTERNAL, attributes },
      parent,
    );
    call.traceparent = formatTraceparent(span.spanContext()) ?? call.traceparent;
    const inside = trace.setSpan(parent, span);
    open.set(call.runId, { span, context: inside });
    return inside;
  };
  const end = (message: unknown): void => {
    const call = message as CallTrace;
    const span = open.get(call.runId)?.span;
    if (span === undefined) return;
    open.delete(call.runId);
    finish(span, call, content, redact);
    count(call);
  };

  const store = new ContextStore();
  channel.start.bindStore(store, begin);
  channel.asyncEnd.subscribe(end);
  return {
    stop() {
      channel.start.unbindStore(store);
      channel.asyncEnd.unsubscribe(end);
      for (const { span } of open.values()) span.end();
      open.clear();
    },
  };
}

/** The tool that made the call, else the caller: its active span, unless `traceparent` names another trace. */
function parentOf({ traceparent }: CallTrace, maker: Context | undefined): Context {
  if (maker !== undefined) return maker;
  const active = context.active();
  const caller = parseTraceparent(traceparent);
  if (caller === null || trace.getSpanContext(active)?.traceId === caller.traceId) return active;
  return trace.setSpanContext(active, caller);
}

function finish(
  span: Span,
  call: CallTrace,
  content: boolean,
  redact: ReturnType<typeof createRedactor>,
): void {
  // A name that nobody mounted may be anything.
  span.updateName(call.info === undefined ? "execute_tool" : `execute_tool ${call.tool}`);
  span.setAttributes(endAttributes(call, content, redact));
  if (call.error !== undefined)
    span.setStatus({ code: SpanStatusCode.ERROR, message: errorText(call.error.message, redact) });
  span.end();
}
