import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { context, metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  failure,
  type Host,
  type ToolContext,
  type ToolReturn,
} from "@toolmount/core";
import { serveStreams } from "@toolmount/mcp";
import { createTelemetry } from "@toolmount/otel";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { listen } from "./support/http.ts";
import { open, planOf, until } from "./support/world.ts";

type Era = "legacy" | "modern";
type Execute = (params: object, context: ToolContext) => ToolReturn | Promise<ToolReturn>;

/** What OpenTelemetry's SDK gets. */
function observe() {
  const exporter = new InMemorySpanExporter();
  const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: points })] });
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  metrics.setGlobalMeterProvider(meters);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const telemetry = createTelemetry();
  onTestFinished(async () => {
    telemetry.stop();
    trace.disable();
    metrics.disable();
    context.disable();
    await meters.shutdown();
  });
  return {
    spans: () => exporter.getFinishedSpans(),
    async points(name: string) {
      await meters.forceFlush();
      const all = points
        .getMetrics()
        .at(-1)!
        .scopeMetrics.flatMap((scope) => scope.metrics);
      const found = all.filter(({ descriptor }) => descriptor.name === name);
      return found.flatMap(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes));
    },
    async names() {
      await meters.forceFlush();
      const all = points
        .getMetrics()
        .at(-1)!
        .scopeMetrics.flatMap((scope) => scope.metrics);
      return all.map(({ descriptor, dataPoints }) => ({
        name: descriptor.name,
        unit: descriptor.unit,
        attributes: dataPoints.flatMap(({ attributes }) => Object.keys(attributes)),
      }));
    },
  };
}

const tool = (name: string, execute: Execute) =>
  defineTool({
    name,
    description: `Does what ${name} does. Use it in tests.`,
    schema: z.looseObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute,
  });

/** A server over HTTP, a gateway before it, and a client of the SDK before the gateway, all in this process. */
async function chain(era: Era, execute: Execute = () => data("sunny")) {
  const upstream = createHost();
  upstream.coordinator.mount("tools", tool("weather", execute));
  onTestFinished(async () => void (await upstream.close()));
  const url = await listen(upstream);
  const gateway = await open(planOf({ url, era }), { store: createMemoryStore() });
  return { ...(await connect(gateway, era)), gateway, server: new URL(url) };
}

async function connect(host: Host, era: Era) {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(host, { input: up, output: down });
  const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  onTestFinished(async () => {
    await client.close();
    await served.close();
  });
  await client.connect(new StdioServerTransport(down, up));
  return { client, served };
}

const callersTrace = "0af7651916cd43dd8448eb211c80319c";
const traced = { traceparent: `00-${callersTrace}-b7ad6b7169203331-01` };

test.each(["legacy", "modern"] as const)(
  "a call through a gateway is one trace, from the client's span down (%s)",
  async (era) => {
    const seen = observe();
    const { client, server } = await chain(era);
    await client.callTool({ name: "weather", arguments: {}, _meta: traced });

    const spans = seen.spans().filter((span) => span.spanContext().traceId === callersTrace);
    const nameOf = (id: string | undefined) =>
      spans.find((span) => span.spanContext().spanId === id)?.name ?? id;
    expect(
      spans.map(({ name, kind, parentSpanContext }) => [
        name,
        SpanKind[kind],
        nameOf(parentSpanContext?.spanId),
      ]),
    ).toEqual([
      ["execute_tool weather", "INTERNAL", "tools/call weather"],
      ["tools/call weather", "SERVER", "execute_tool weather"],
      // The client's side of the call upstream is shown by this span, and has none of its own.
      ["execute_tool weather", "INTERNAL", "tools/call weather"],
      ["tools/call weather", "SERVER", "b7ad6b7169203331"],
    ]);
    const version = era === "legacy" ? "2025-11-25" : "2026-07-28";
    const session = era === "legacy" ? { "mcp.session.id": expect.any(String) } : {};
    const common = { "mcp.method.name": "tools/call", "mcp.protocol.version": version };
    const http = { ...common, ...session, "network.transport": "tcp", "network.protocol.name": "http" };
    const [, far, outer, near] = spans.map(({ attributes }) => attributes);
    expect(outer).toMatchObject({
      ...http,
      "gen_ai.tool.name": "weather",
      "server.address": "127.0.0.1",
      "server.port": Number(server.port),
      "jsonrpc.request.id": expect.any(String),
    });
    expect(far).toMatchObject({
      ...http,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
    });
    expect(near).toMatchObject({ ...common, "network.transport": "pipe", "gen_ai.tool.name": "weather" });
    expect(near).not.toHaveProperty("network.protocol.name");
  },
);

test.each(["legacy", "modern"] as const)(
  "durations of requests and of sessions are measured, on both sides (%s)",
  async (era) => {
    const seen = observe();
    const { client, served, gateway } = await chain(era);
    await client.callTool({ name: "weather", arguments: {} });
    await served.close();
    await gateway.close();

    const version = era === "legacy" ? "2025-11-25" : "2026-07-28";
    const calls = (points: readonly object[]) =>
      points.filter((point) => Object.values(point).includes("tools/call"));
    expect(calls(await seen.points("mcp.client.operation.duration"))).toMatchObject([
      {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "weather",
        "gen_ai.operation.name": "execute_tool",
      },
    ]);
    // Names of tools that a client writes are not in metrics.
    const received = calls(await seen.points("mcp.server.operation.duration"));
    expect(received).toHaveLength(2);
    for (const point of received) expect(Object.keys(point)).not.toContain("gen_ai.tool.name");
    await until(async () => (await seen.points("mcp.server.session.duration")).length > 0);
    expect(await seen.points("mcp.server.session.duration")).toContainEqual({
      "network.transport": "pipe",
      "mcp.protocol.version": version,
    });
    // Requests of the 2026 revision over HTTP stand alone: there is no session to measure.
    expect(await seen.points("mcp.client.session.duration")).toMatchObject(
      era === "legacy" ? [{ "network.transport": "tcp", "mcp.protocol.version": version }] : [],
    );
  },
);

test("a failed tool, an unknown one, and a cancelled request have their kind of error", async () => {
  const seen = observe();
  let begun = (): void => {};
  const { client } = await chain("modern", ({ waits }: { waits?: boolean }, { abortSignal }) => {
    if (waits !== true) return failure("no such city", { code: "CITY_UNKNOWN" });
    begun();
    return new Promise((_resolve, reject) => {
      abortSignal.addEventListener("abort", () => reject(new Error("cancelled")));
    });
  });
  await client.callTool({ name: "weather", arguments: {} });
  await client.callTool({ name: "x".repeat(50), arguments: {} }).catch(() => {});
  const cancel = new AbortController();
  begun = () => cancel.abort();
  const waiting = { name: "weather", arguments: { waits: true } };
  await client.callTool(waiting, { signal: cancel.signal }).catch(() => {});
  await until(() => seen.spans().some(({ attributes }) => attributes["error.type"] === "cancelled"));

  const served = seen
    .spans()
    .filter(({ kind, name }) => kind === SpanKind.SERVER && name.startsWith("tools/call"));
  // A request that failed may name anything, so its span has the method alone.
  expect(new Set(served.map(({ name }) => name))).toEqual(new Set(["tools/call"]));
  expect(new Set(served.map(({ attributes }) => attributes["error.type"]))).toEqual(
    new Set(["tool_error", "-32602", "cancelled"]),
  );
  for (const { status } of served) expect(status.code).toBe(SpanStatusCode.ERROR);
});

test("every name of MCP's telemetry is one of the published conventions", async () => {
  const seen = observe();
  const { client, served } = await chain("legacy");
  await client.callTool({ name: "weather", arguments: {} });
  await client.getPrompt({ name: "none" }).catch(() => {});
  await served.close();
  await until(async () => (await seen.points("mcp.server.session.duration")).length > 0);

  // Generated from the YAML of the conventions.
  const values = Object.entries(conventions as Readonly<Record<string, unknown>>).filter(
    ([, value]) => typeof value === "string",
  );
  const published = new Set(
    values.flatMap(([name, value]) => (/^(?:ATTR|METRIC)_/.test(name) ? [value] : [])),
  );
  const named = await seen.names();
  const mcp = named.filter(({ name }) => name.startsWith("mcp."));
  expect(mcp.length).toBeGreaterThanOrEqual(3);
  const spans = seen.spans().filter(({ attributes }) => attributes["mcp.method.name"] !== undefined);
  const used = [
    ...mcp.flatMap(({ name, attributes }) => [name, ...attributes]),
    ...spans.flatMap(({ attributes }) => Object.keys(attributes)),
  ].filter((name) => !name.startsWith("toolmount."));
  expect([...new Set(used)].filter((name) => !published.has(name))).toEqual([]);
  expect(new Set(mcp.map(({ unit }) => unit))).toEqual(new Set(["s"]));
});
