import {
  context,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Link,
  type Meter,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { createRedactor } from "@toolmount/core/text";
import {
  callChannelName,
  modelChannelName,
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
import { createCounters } from "./counters.ts";
import { follow, type Open, type Spans } from "./follow.ts";
import { followMcp } from "./mcp.ts";
import { parseTraceparent } from "./traceparent.ts";

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /** Default: the tracer that is registered with OpenTelemetry's API. */
  readonly tracer?: Tracer | undefined;
  /** Default: the meter that is registered with OpenTelemetry's API when something is counted. */
  readonly meter?: Meter | undefined;
  /** The capability `host.id` of the host whose work is traced. Default: all hosts of the process. */
  readonly hostId?: string | undefined;
  /** Whether spans contain arguments and results, with secrets masked and at most 8192 characters of each. Default false. */
  readonly content?: boolean | undefined;
  /** Texts that are masked in every span. */
  readonly secrets?: readonly string[] | undefined;
}

/** Running telemetry, returned by `createTelemetry`. */
export interface Telemetry {
  /** Stops the telemetry: ends the spans of work that still runs, and sends nothing more. */
  stop(): void;
}

/** The name of the tracer and the meter. */
const scope = "@toolmount/otel";

/**
 * Makes spans and metrics of calls, turns, requests to models, and MCP requests, by OpenTelemetry's semantic conventions for
 * generative AI and MCP.
 *
 * The parent of a span is the tool or the turn that caused it; otherwise the span in the caller's `traceparent`, or the active
 * span. A resumed turn stays in the trace in which it began, even in another process.
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { tracer = trace.getTracer(scope), hostId, content = false } = options;
  const redact = createRedactor(options.secrets);
  const findMeter = () => options.meter ?? metrics.getMeter(scope);
  const count = createCounters(findMeter);
  const calls = new Map<string, Open>();
  const bySpan = new Map<string, Open>();
  const spans: Spans = { tracer, hostId, bySpan };
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
          // An unknown tool can have any name, which would make too many names of spans, so it is left out.
          span.updateName(call.info === undefined ? "execute_tool" : `execute_tool ${call.tool}`);
          span.setAttributes(endAttributes(call, content, redact));
          fail(span, call.error);
          count.call(call);
        },
      },
      (call, open) => void calls.set(call.runId, open),
    ),
    ...followTurns(spans, count, fail),
    ...followMcp(spans, findMeter, fail),
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

/** Makes spans and metrics of turns, and of requests to models. */
function followTurns(
  spans: Spans,
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

/**
 * Returns a link to the span that resumed a turn, because the resumed turn stays in its own trace. Empty for a turn that was not
 * resumed.
 */
function linksOf({ resumed, resumedBy }: TurnTrace): Link[] {
  if (!resumed) return [];
  const by = parseTraceparent(resumedBy) ?? trace.getSpanContext(context.active());
  return by === undefined ? [] : [{ context: by }];
}
