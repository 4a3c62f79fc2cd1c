import { channel } from "node:diagnostics_channel";
import {
  SpanKind,
  ValueType,
  type Attributes,
  type Histogram,
  type Meter,
  type Span,
} from "@opentelemetry/api";
import {
  callChannelName,
  mcpChannelName,
  mcpSessionChannelName,
  safeListener,
  type McpSessionTrace,
  type McpTrace,
  type TraceFailure,
} from "@toolmount/core/tracing";
import { addressAttributes } from "./attributes.ts";
import { follow, report, type Spans } from "./follow.ts";

/** Bounds of the buckets in seconds. Source: the advice of OpenTelemetry's conventions for durations of MCP. */
const boundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** By the first part of a request's method, the attribute that names what the request is about. */
const subjects: Readonly<Record<string, string>> = {
  tools: "gen_ai.tool.name",
  prompts: "gen_ai.prompt.name",
  resources: "mcp.resource.uri",
};

/**
 * Makes spans and metrics of MCP requests and sessions, by the semantic conventions for MCP. If a call of the host calls a tool
 * of an MCP server, this request gets no separate span, and its attributes are added to the span `execute_tool`.
 */
export function followMcp(
  spans: Spans,
  findMeter: () => Meter,
  fail: (span: Span, failure: TraceFailure | undefined) => void,
): readonly (() => unknown)[] {
  const record = createRecorder(findMeter);
  const ended = safeListener((session: McpSessionTrace) => {
    if (spans.hostId === undefined || spans.hostId === session.hostId) record.session(session);
  }, report);
  channel(mcpSessionChannelName).subscribe(ended);
  const leave = follow<McpTrace>(spans, {
    channel: mcpChannelName,
    joins: ({ side, method }, own) =>
      side === "client" && method === "tools/call" && own.channel === callChannelName,
    begin: ({ method, side }) => ({
      name: method,
      options: { kind: side === "client" ? SpanKind.CLIENT : SpanKind.SERVER },
    }),
    finish(request, span, joined) {
      record.request(request);
      span.setAttributes({ ...requestAttributes(request), ...connectionAttributes(request) });
      if (joined) return;
      span.setAttributes({ ...subjectAttributes(request), ...failureAttributes(request) });
      const { method, subject, failure } = request;
      // A failed request may name anything, and there are too many addresses of resources. So they are not part of the span's
      // name.
      if (subject !== undefined && failure === undefined && !method.startsWith("resources/"))
        span.updateName(`${method} ${subject}`);
      fail(span, failure);
    },
  });
  return [leave, () => channel(mcpSessionChannelName).unsubscribe(ended)];
}

/** Returns the attributes of a request that are only for spans. Metrics would get a time series for each id. */
function requestAttributes({ method, requestId, sessionId }: McpTrace): Attributes {
  return {
    "mcp.method.name": method,
    "jsonrpc.request.id": requestId,
    ...(sessionId === undefined ? {} : { "mcp.session.id": sessionId }),
  };
}

function connectionAttributes({
  transport,
  server,
  protocolVersion,
}: McpTrace | McpSessionTrace): Attributes {
  return {
    "network.transport": transport,
    ...(transport === "tcp" ? { "network.protocol.name": "http" } : {}),
    ...(protocolVersion === undefined ? {} : { "mcp.protocol.version": protocolVersion }),
    ...(server === undefined ? {} : addressAttributes(server)),
  };
}

function subjectAttributes({ method, subject }: McpTrace): Attributes {
  const attribute = subjects[method.split("/", 1)[0]!];
  return {
    ...(method === "tools/call" ? { "gen_ai.operation.name": "execute_tool" } : {}),
    ...(attribute === undefined || subject === undefined ? {} : { [attribute]: subject }),
  };
}

/** Returns the attributes of a failure. Only a number is the code of a JSON-RPC error; a failed result has a text as its code. */
function failureAttributes({ failure }: McpTrace | McpSessionTrace): Attributes {
  if (failure === undefined) return {};
  const isStatus = /^-?\d+$/.test(failure.code);
  return { "error.type": failure.code, ...(isStatus ? { "rpc.response.status_code": failure.code } : {}) };
}

/** Creates a recorder that uses the current meter for each value, because a provider can be registered later, or removed. */
function createRecorder(findMeter: () => Meter) {
  let meter: Meter | null = null;
  let made = new Map<string, Histogram>();
  const histogram = (name: string, description: string): Histogram => {
    const found = findMeter();
    if (found !== meter) made = new Map();
    meter = found;
    const known = made.get(name) ?? found.createHistogram(name, options(description));
    made.set(name, known);
    return known;
  };
  return {
    request(request: McpTrace) {
      const { side, method, durationMs = 0 } = request;
      const { "mcp.resource.uri": _uri, ...subject } = subjectAttributes(request);
      const instrument =
        side === "client"
          ? histogram("mcp.client.operation.duration", "How long a request took, as its sender sees it")
          : histogram("mcp.server.operation.duration", "How long a request took, as its receiver sees it");
      instrument.record(durationMs / 1_000, {
        "mcp.method.name": method,
        ...connectionAttributes(request),
        // A client of our server may name any tool, and each invented name would become a time series. So the name is left out.
        ...(side === "client" ? subject : {}),
        ...failureAttributes(request),
      });
    },
    session(session: McpSessionTrace) {
      const { role, durationMs = 0 } = session;
      histogram(`mcp.${role}.session.duration`, `How long a session lasted, as its ${role} sees it`).record(
        durationMs / 1_000,
        { ...connectionAttributes(session), ...failureAttributes(session) },
      );
    },
  };
}

function options(description: string) {
  const advice = { explicitBucketBoundaries: boundaries };
  return { description, unit: "s", valueType: ValueType.DOUBLE, advice };
}
