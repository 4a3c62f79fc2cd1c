import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach } from "vitest";

export let spans: InMemorySpanExporter;
let points: InMemoryMetricExporter;
export let tracers: TracerProvider;
export let meters: MeterProvider;

beforeEach(() => {
  spans = new InMemorySpanExporter();
  points = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: points })] });
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterEach(async () => {
  await tracers.shutdown();
  await meters.shutdown();
  trace.disable();
  metrics.disable();
  context.disable();
});

/** All metrics so far. */
export async function readMetrics() {
  await meters.forceFlush();
  return points.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
}
