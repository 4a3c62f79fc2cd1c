import { tracingChannel } from "node:diagnostics_channel";
import { callChannelName, safeListener, type CallTrace } from "@toolmount/core/tracing";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Logger } from "@toolmount/core";
import type { ServedHost } from "../served-host.ts";
import type { CallJournal } from "./call-journal.ts";

/**
 * Bounds of the histogram's buckets in seconds. Source: the advice of OpenTelemetry's conventions for durations of tools,
 * shortened.
 */
const buckets = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

/** The label for all tools that do not exist. Otherwise each name that a model invents would become a time series. */
const otherTool = "_OTHER";

/** Metrics of this process and its hosts, as text in Prometheus' format. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** Counts a request that was answered. */
  request(method: string, status: number): void;
  close(): void;
}

/** A host whose calls and questions are counted. */
interface MeasuredHost extends Pick<ServedHost, "host"> {
  readonly journal: CallJournal;
}

/** Creates the metrics. Calls are counted from now on. */
export function createMetrics(hosts: ReadonlyMap<string, MeasuredHost>, logger: Logger): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: "toolmount_calls_total",
    help: "Calls that ended, or that wait, by tool and status",
    labelNames: ["host", "tool", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "toolmount_call_duration_seconds",
    help: "Time from a call's arrival to its outcome, waiting included",
    labelNames: ["host", "tool"],
    buckets,
    registers,
  });
  const requests = new Counter({
    name: "toolmount_http_requests_total",
    help: "Requests over HTTP, by method and status",
    labelNames: ["method", "status"],
    registers,
  });
  addGauges(hosts, registers);
  const names = new Map(
    [...hosts].map(([name, { host }]) => [host.coordinator.getCapability("host.id"), name]),
  );
  const onError = (err: unknown) => logger.error({ err }, "a call could not be counted");
  const count = safeListener(({ hostId, tool, info, status = "unknown", durationMs = 0 }: CallTrace) => {
    const host = names.get(hostId);
    if (host === undefined) return;
    const of = { host, tool: info === undefined ? otherTool : tool };
    calls.inc({ ...of, status });
    if (status !== "pending") durations.observe(of, durationMs / 1_000);
  }, onError);
  const { asyncEnd } = tracingChannel<unknown, CallTrace>(callChannelName);
  asyncEnd.subscribe(count);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    request: (method, status) => requests.inc({ method, status: String(status) }),
    close: () => {
      asyncEnd.unsubscribe(count);
      registry.clear();
    },
  };
}

/** Adds metrics whose values are computed when they are read. */
function addGauges(hosts: ReadonlyMap<string, MeasuredHost>, registers: Registry[]): void {
  const running = new Gauge({
    name: "toolmount_calls_running",
    help: "Calls that run now",
    labelNames: ["host"],
    registers,
    collect() {
      for (const [host, { journal }] of hosts) this.set({ host }, journal.running);
    },
  });
  const waiting = new Gauge({
    name: "toolmount_approvals_waiting",
    help: "Questions that wait for a person",
    labelNames: ["host"],
    registers,
    async collect() {
      for (const [host, { host: served }] of hosts)
        this.set({ host }, (await served.approvals.list({ limit: 1_000 })).length);
    },
  });
  void [running, waiting];
}
