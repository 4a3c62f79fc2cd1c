import { tracingChannel } from "node:diagnostics_channel";
import {
  context,
  diag,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Meter,
  type Span,
  type SpanOptions,
  type Tracer,
} from "@opentelemetry/api";
import { createRedactor } from "@toolmount/core/text";
import {
  callChannelName,
  modelChannelName,
  safeListener,
  turnChannelName,
  type CallTrace,
  type ModelTrace,
  type TurnTrace,
} from "@toolmount/core/tracing";
import {
  endAttributes,
  endOfRequest,
  endOfTurn,
  errorText,
  startAttributes,
  startOfRequest,
  startOfTurn,
} from "./attributes.ts";
import { ContextStore } from "./context-store.ts";
import { createCounters } from "./counters.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /** Default: the one that is registered with OpenTelemetry's API. */
  readonly tracer?: Tracer | undefined;
  /** Default: the one that is registered with OpenTelemetry's API when something is counted. */
  readonly meter?: Meter | undefined;
  /** The host whose calls are sent: its capability `host.id`. Default: all hosts of the process. */
  readonly hostId?: string | undefined;
  /** Puts arguments and results on the spans, without secrets and cut to 8192 characters. Default false. */
  readonly content?: boolean | undefined;
  /** Texts that are masked wherever they would stand on a span. */
  readonly secrets?: readonly string[] | undefined;
}

/** Running telemetry, as `createTelemetry` returns it. */
export interface Telemetry {
  /** Ends it: spans of calls that still run are ended, and nothing more is sent. */
  stop(): void;
}

/** Name of the tracer and the meter. */
const scope = "@toolmount/otel";

/** A span that is open, and the context in which what it covers runs. */
interface Open {
  readonly span: Span;
  readonly context: Context;
}

/** The messages of all three channels. */
type Message = CallTrace | TurnTrace | ModelTrace;

/** How the messages of one channel become spans. */
interface Kind<Sent extends Message> {
  readonly channel: string;
  begin(message: Sent): { readonly name: string; readonly options: SpanOptions };
  /** The parent, if it is not the span in `traceparent`. */
  maker?(message: Sent): Context | undefined;
  finish(message: Sent, span: Span): void;
}

/**
 * Makes spans and metrics of calls, of turns and of requests to models, by OpenTelemetry's semantic conventions for
 * generative AI: `execute_tool`, `invoke_agent` and `chat`.
 *
 * The parent of a span is the tool or the turn that made it, otherwise the caller's `traceparent` or active span.
 * A resumed turn, also in another process, stays in the trace in which it began.
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { tracer = trace.getTracer(scope), hostId, content = false } = options;
  const redact = createRedactor(options.secrets);
  const count = createCounters(() => options.meter ?? metrics.getMeter(scope));
  const calls = new Map<string, Open>();
  const bySpan = new Map<string, Open>();
  const spans = { tracer, hostId, bySpan };
  const fail = (span: Span, failure: { readonly message: string } | undefined): void => {
    if (failure === undefined) return;
    span.setStatus({ code: SpanStatusCode.ERROR, message: errorText(failure.message, redact) });
  };

  const undo = [
    follow<CallTrace>(
      spans,
      {
        channel: callChannelName,
        begin: (call) => ({
          name: `execute_tool ${call.tool}`,
          options: { kind: SpanKind.INTERNAL, attributes: startAttributes(call) },
        }),
        maker: (call) => calls.get(call.parentRunId ?? "")?.context,
        finish(call, span) {
          calls.delete(call.runId);
          // The name of an unknown tool may be any text.
          span.updateName(call.info === undefined ? "execute_tool" : `execute_tool ${call.tool}`);
          span.setAttributes(endAttributes(call, content, redact));
          fail(span, call.error);
          count.call(call);
        },
      },
      (call, open) => void calls.set(call.runId, open),
    ),
    ...followTurns(spans, count, fail),
  ];
  return {
    stop() {
      for (const leave of undo) leave();
      for (const { span } of bySpan.values()) span.end();
      bySpan.clear();
      calls.clear();
    },
  };
}

/** Spans and metrics of turns, and of requests to models. */
function followTurns(
  spans: Parameters<typeof follow>[0],
  count: ReturnType<typeof createCounters>,
  fail: (span: Span, failure: { readonly message: string } | undefined) => void,
): readonly (() => void)[] {
  return [
    follow<TurnTrace>(spans, {
      channel: turnChannelName,
      begin: (turn) => ({
        name: turn.agent === null ? "invoke_agent" : `invoke_agent ${turn.agent.name}`,
        options: { kind: SpanKind.INTERNAL, attributes: startOfTurn(turn), links: linksOf(turn) },
      }),
      finish(turn, span) {
        span.setAttributes(endOfTurn(turn));
        fail(span, turn.failure);
        count.turn(turn);
      },
    }),
    follow<ModelTrace>(spans, {
      channel: modelChannelName,
      begin: (request) => ({
        name: `chat ${request.model}`,
        options: { kind: SpanKind.CLIENT, attributes: startOfRequest(request) },
      }),
      finish(request, span) {
        span.setAttributes(endOfRequest(request));
        fail(span, request.failure);
        count.request(request);
      },
    }),
  ];
}

/** Makes a span of each message of a channel. Returns the undo. */
function follow<Sent extends Message>(
  { tracer, hostId, bySpan }: { tracer: Tracer; hostId: string | undefined; bySpan: Map<string, Open> },
  kind: Kind<Sent>,
  note: (message: Sent, open: Open) => void = () => {},
): () => void {
  const channel = tracingChannel<unknown, Sent>(kind.channel);
  const spans = new WeakMap<object, Open>();
  const open = (message: Sent): Context => {
    if (hostId !== undefined && message.hostId !== hostId) return context.active();
    const parent = parentOf(message, kind.maker?.(message), bySpan);
    const { name, options } = kind.begin(message);
    const span = tracer.startSpan(name, options, parent);
    message.traceparent = formatTraceparent(span.spanContext()) ?? message.traceparent;
    const inside = { span, context: trace.setSpan(parent, span) };
    spans.set(message, inside);
    bySpan.set(span.spanContext().spanId, inside);
    note(message, inside);
    return inside.context;
  };
  const begin = (message: Sent): Context => {
    try {
      return open(message);
    } catch (error) {
      report(error);
      return context.active();
    }
  };
  const end = safeListener((message: Sent): void => {
    const found = spans.get(message);
    if (found === undefined) return;
    spans.delete(message);
    bySpan.delete(found.span.spanContext().spanId);
    try {
      kind.finish(message, found.span);
    } finally {
      found.span.end();
    }
  }, report);
  const store = new ContextStore();
  channel.start.bindStore(store, begin);
  channel.asyncEnd.subscribe(end);
  return () => {
    channel.start.unbindStore(store);
    channel.asyncEnd.unsubscribe(end);
  };
}

/** A tracer or a meter that fails must not fail what it observes. */
function report(error: unknown): void {
  diag.error("a span or a metric was not recorded", error);
}

/** What made it, else the span that its `traceparent` names: one of ours, the active one's trace, or a far one. */
function parentOf(
  { traceparent }: Message,
  maker: Context | undefined,
  bySpan: ReadonlyMap<string, Open>,
): Context {
  if (maker !== undefined) return maker;
  const active = context.active();
  const caller = parseTraceparent(traceparent);
  if (caller === null) return active;
  const own = bySpan.get(caller.spanId);
  if (own !== undefined && own.span.spanContext().traceId === caller.traceId) return own.context;
  if (trace.getSpanContext(active)?.traceId === caller.traceId) return active;
  return trace.setSpanContext(active, caller);
}

/** A resumed turn stays in its own trace, with a link to the span that resumed it. */
function linksOf({ resumed, resumedBy }: TurnTrace): Link[] {
  if (!resumed) return [];
  const by = parseTraceparent(resumedBy) ?? trace.getSpanContext(context.active());
  return by === undefined ? [] : [{ context: by }];
}
