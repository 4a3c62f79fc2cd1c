import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { Histogram } from "@opentelemetry/sdk-metrics";
import { beginMcp, endMcp, publishMcpSession, type McpTrace } from "@toolmount/core/tracing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTelemetry, type Telemetry } from "../src/index.ts";
import { readMetrics, spans, tracers } from "./exporters.ts";

let telemetry: Telemetry;

beforeEach(() => void (telemetry = createTelemetry()));
afterEach(() => telemetry.stop());

const base = { hostId: "h", requestId: "7", traceparent: undefined, transport: "pipe" } as const;

/** Publishes a request from its start to its end, and returns its span. */
async function request(given: Omit<McpTrace, keyof typeof base> & Partial<McpTrace>) {
  const message: McpTrace = { ...base, ...given };
  beginMcp(message, () => {});
  endMcp(message);
  await tracers.forceFlush();
  return spans.getFinishedSpans().at(-1)!;
}

async function measured(name: string) {
  const all = await readMetrics();
  return all
    .filter(({ descriptor }) => descriptor.name === name)
    .flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes));
}

test("a request over HTTP has the attributes of the connection, its server and its session", async () => {
  const { name, kind, attributes } = await request({
    side: "client",
    method: "tools/call",
    subject: "echo",
    transport: "tcp",
    server: "tools.example:8443",
    sessionId: "s-1",
    protocolVersion: "2026-07-28",
  });

  expect({ name, kind }).toEqual({ name: "tools/call echo", kind: SpanKind.CLIENT });
  expect(attributes).toEqual({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "echo",
    "jsonrpc.request.id": "7",
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": "2026-07-28",
    "mcp.session.id": "s-1",
    "network.protocol.name": "http",
    "network.transport": "tcp",
    "server.address": "tools.example",
    "server.port": 8443,
  });
});

test("a request over a pipe names no protocol of the network, and no server", async () => {
  const { kind, attributes } = await request({ side: "server", method: "prompts/get", subject: "greet" });

  expect(kind).toBe(SpanKind.SERVER);
  expect(attributes).toEqual({
    "gen_ai.prompt.name": "greet",
    "jsonrpc.request.id": "7",
    "mcp.method.name": "prompts/get",
    "network.transport": "pipe",
  });
});

test("the address of a resource is an attribute of the span, and in no name and no metric", async () => {
  const uri = "file:///notes/ada.txt";
  const { name, attributes } = await request({ side: "client", method: "resources/read", subject: uri });

  expect(name).toBe("resources/read");
  expect(attributes).toMatchObject({ "mcp.resource.uri": uri });
  expect(await measured("mcp.client.operation.duration")).toEqual([
    { "mcp.method.name": "resources/read", "network.transport": "pipe" },
  ]);
});

test.each([
  { code: "-32602", status: "-32602" },
  { code: "32602", status: "32602" },
  { code: "tool_error", status: undefined },
  { code: "e-32602", status: undefined },
])(
  "a failure with the code $code has the status $status, and its subject is in no name",
  async ({ code, status }) => {
    const failure = { code, message: "it failed" };
    const span = await request({
      side: "server",
      method: "tools/call",
      subject: "made up by a client",
      failure,
    });

    expect(span.name).toBe("tools/call");
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
    expect(span.attributes["error.type"]).toBe(code);
    expect(span.attributes["rpc.response.status_code"]).toBe(status);
  },
);

test("a server counts requests without the names that its clients say, a client with them", async () => {
  await request({ side: "server", method: "tools/call", subject: "echo" });
  await request({ side: "client", method: "tools/call", subject: "echo" });
  const common = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "echo",
    "mcp.method.name": "tools/call",
    "network.transport": "pipe",
  };

  expect(await measured("mcp.client.operation.duration")).toEqual([common]);
  expect(await measured("mcp.server.operation.duration")).toEqual([
    { "mcp.method.name": "tools/call", "network.transport": "pipe" },
  ]);
});

test.each(["client", "server"] as const)(
  "a session that ended is measured as its %s sees it",
  async (role) => {
    publishMcpSession({ hostId: "h", role, transport: "tcp", durationMs: 1_500 });

    expect(await measured(`mcp.${role}.session.duration`)).toEqual([
      { "network.protocol.name": "http", "network.transport": "tcp" },
    ]);
  },
);

test("durations of MCP are in seconds, in the buckets that the conventions advise", async () => {
  await request({ side: "client", method: "ping", durationMs: 250 });
  publishMcpSession({ hostId: "h", role: "server", transport: "pipe", durationMs: 1_500 });
  const all = await readMetrics();
  const found = all.map(({ descriptor: { name, unit }, dataPoints }) => {
    const [{ sum, buckets } = {}] = dataPoints.map(({ value }) => value as Partial<Histogram>);
    return { name, unit, sum, bounds: buckets?.boundaries };
  });
  const bounds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

  expect(found).toEqual([
    { name: "mcp.client.operation.duration", unit: "s", sum: 0.25, bounds },
    { name: "mcp.server.session.duration", unit: "s", sum: 1.5, bounds },
  ]);
});
