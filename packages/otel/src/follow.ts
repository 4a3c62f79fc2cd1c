import { tracingChannel } from "node:diagnostics_channel";
import {
  context,
  diag,
  trace,
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
} from "@opentelemetry/api";
import {
  safeListener,
  type CallTrace,
  type McpTrace,
  type ModelTrace,
  type TurnTrace,
} from "@toolmount/core/tracing";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";
import { AsyncLocalStorage } from "node:async_hooks";

/** An open span, and the OpenTelemetry context in which the traced work runs. */
export interface Open {
  readonly span: Span;
  readonly context: Context;
  /** The name of the tracing channel whose message started the span. */
  readonly channel: string;
}

/** A message of one of the channels whose messages become spans. */
type Message = CallTrace | TurnTrace | ModelTrace | McpTrace;

/** How the messages of one tracing channel become spans. */
interface Kind<Sent extends Message> {
  readonly channel: string;
  begin(message: Sent): { readonly name: string; readonly options: SpanOptions };
  /** Tests whether a message gets no span because its parent's span already describes it. */
  joins?(message: Sent, own: Open): boolean;
  /** Returns the parent's context, if the parent is not the span in `traceparent`. */
  maker?(message: Sent): Context | undefined;
  finish(message: Sent, span: Span, joined: boolean): void;
}

/** What all spans of one telemetry share. */
export interface Spans {
  readonly tracer: Tracer;
  readonly hostId: string | undefined;
  readonly bySpan: Map<string, Open>;
}

/** Makes a span for each message of a channel. `note` gets each message with its span. Returns a function that ends this. */
export function follow<Sent extends Message>(
  { tracer, hostId, bySpan }: Spans,
  kind: Kind<Sent>,
  note: (message: Sent, open: Open) => void = () => {},
): () => void {
  const channel = tracingChannel<unknown, Sent>(kind.channel);
  const spans = new WeakMap<object, Open>();
  const shared = new WeakSet<object>();
  const open = (message: Sent): Context => {
    if (hostId !== undefined && message.hostId !== hostId) return context.active();
    const own = ownOf(message, bySpan);
    if (own !== undefined && kind.joins?.(message, own) === true) {
      shared.add(message);
      spans.set(message, own);
      return own.context;
    }
    const parent = parentOf(message, kind.maker?.(message), bySpan);
    const { name, options } = kind.begin(message);
    const span = tracer.startSpan(name, options, parent);
    message.traceparent = formatTraceparent(span.spanContext()) ?? message.traceparent;
    const inside = { span, context: trace.setSpan(parent, span), channel: kind.channel };
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
    if (shared.has(message)) return kind.finish(message, found.span, true);
    bySpan.delete(found.span.spanContext().spanId);
    try {
      kind.finish(message, found.span, false);
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

/** Logs an error of a tracer or a meter, which must not make the observed work fail. */
export function report(error: unknown): void {
  diag.error("a span or a metric was not recorded", error);
}

/**
 * Returns the context of the parent span: that of `maker` if it is given; otherwise that of the span in `traceparent`, which may
 * be one of ours, the active one, or one of another process; otherwise the active one.
 */
function parentOf(message: Message, maker: Context | undefined, bySpan: ReadonlyMap<string, Open>): Context {
  if (maker !== undefined) return maker;
  const active = context.active();
  const caller = parseTraceparent(message.traceparent);
  if (caller === null) return active;
  const own = ownOf(message, bySpan);
  if (own !== undefined) return own.context;
  if (trace.getSpanContext(active)?.traceId === caller.traceId) return active;
  return trace.setSpanContext(active, caller);
}

/** Returns our open span that `traceparent` names; undefined if it names none. */
function ownOf({ traceparent }: Message, bySpan: ReadonlyMap<string, Open>): Open | undefined {
  const caller = parseTraceparent(traceparent);
  const own = caller === null ? undefined : bySpan.get(caller.spanId);
  return own?.span.spanContext().traceId === caller?.traceId ? own : undefined;
}

/**
 * Runs traced work inside an OpenTelemetry context, so that spans of the tool and its libraries become children of the span. It
 * is bound to the tracing channel's `start`.
 *
 * OpenTelemetry's context is accessible only through its API, so this store keeps nothing itself.
 */
class ContextStore extends AsyncLocalStorage<Context> {
  override run<Result>(store: Context, callback: () => Result): Result;
  override run<Result, Args extends unknown[]>(
    store: Context,
    callback: (...args: Args) => Result,
    ...args: Args
  ): Result {
    return context.with(store, () => callback(...args));
  }
}
