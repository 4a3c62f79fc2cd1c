import { isSpanContextValid, type SpanContext } from "@opentelemetry/api";

/** Matches version 00, and later versions that begin in the same way. Source: W3C Trace Context, section 3.2. */
const pattern = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Reads a W3C `traceparent` as the context of a span; null if it is missing or not valid. */
export function parseTraceparent(text: string | undefined): SpanContext | null {
  const [, traceId, spanId, flags] = pattern.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : null;
}

/** Returns the W3C `traceparent` of a span; null if the span is not valid, for example without a tracer provider. */
export function formatTraceparent(span: SpanContext): string | null {
  if (!isSpanContextValid(span)) return null;
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 0xff).toString(16).padStart(2, "0")}`;
}
