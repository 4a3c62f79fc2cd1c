import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { Writable } from "node:stream";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace";
import { data, defineTool, failure, type Coordinator, type Logger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import * as otel from "@toolmount/otel";
import * as reasonerModule from "@toolmount/reasoner";
import type { Reasoner } from "@toolmount/reasoner";
import * as store from "@toolmount/store";
import * as delegate from "@toolmount/tool-delegate";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const call = (id: string, name: string, given: object = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(given),
});
const say = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

/** What the model says: the session's request, the two of the agent that it begins, and the one after the approval. */
const lines = [
  [
    call("c1", "broken"),
    call("c2", "delegate", { agent: "reader", instruction: "What does the log say?" }),
    call("c3", "publish"),
  ],
  [call("k1", "read_log")],
  [say("It says nothing.")],
  [say("Published.")],
];

async function serveLines(): Promise<string> {
  let at = 0;
  const server = createServer(async (request, answer) => {
    await json(request);
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: `r${at}`, status: "completed", output: lines[at++] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Tools that write to the log of their call, one of which fails and one of which waits for a person. */
const acts = {
  mount(coordinator: Coordinator) {
    const act = (name: string, requiresConfirmation = false) =>
      defineTool({
        name,
        description: `Does ${name}. Use in tests.`,
        schema: z.strictObject({}),
        category: "side_effect",
        consequenceLevel: "low",
        requiresConfirmation,
        execute: (_, { logger }) => {
          logger.info({ did: name }, "at work");
          return name === "broken" ? failure("no such city", { code: "CITY_UNKNOWN" }) : data(name);
        },
      });
    for (const name of ["broken", "read_log"]) coordinator.mount("tools", act(name));
    coordinator.mount("tools", act("publish", true));
  },
};

/** The real SDK, registered as a program registers it. */
function recordSpans(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(tracers);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(async () => {
    await tracers.shutdown();
    trace.disable();
    context.disable();
  });
  return exporter;
}

type Line = Readonly<Record<string, unknown>>;

/** A pino that writes to a stream; `lines` are what it wrote. */
function recordLog(): { readonly logger: Logger; readonly lines: readonly Line[] } {
  const written: Line[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  const logger: Logger = pino({ level: "info" }, stream);
  return { logger, lines: written };
}

async function open(cwd: string, baseUrl: string, logger: Logger) {
  const plan = {
    version: 1,
    state: "sqlite:./state.db",
    agent: {
      model: "m",
      baseUrl,
      stream: false,
      agents: { reader: { description: "Reads logs.", tools: ["read_*"] } },
    },
    hooks: [{ module: "otel" }],
    tools: [{ module: "delegate" }, { module: "acts" }],
  };
  const host = await openHost(plan, {
    cwd,
    env: {},
    logger,
    approver: () => ({ decision: "later" }),
    extensions: {
      "@toolmount/reasoner": reasonerModule,
      "@toolmount/store": store,
      otel,
      delegate,
      acts,
    },
  });
  return { host, reasoner: host.coordinator.get("orchestrator") as Reasoner };
}

/** A span, as its name and the status of its call or turn, and what lies under it, by name. */
interface Branch {
  readonly [name: string]: readonly Branch[];
}

function treeOf(spans: readonly ReadableSpan[], parent?: string): Branch[] {
  return spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
    .toSorted((a, b) => labelOf(a).localeCompare(labelOf(b)))
    .map((span) => ({ [labelOf(span)]: treeOf(spans, span.spanContext().spanId) }));
}

function labelOf({ name, attributes }: ReadableSpan): string {
  return [name, attributes["toolmount.status"]].filter(Boolean).join(": ");
}

test("a turn with a failure, an agent and an approval, resumed by another host, is one trace, and its log has the same ids", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-trace-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const exporter = recordSpans();
  const log = recordLog();
  const baseUrl = await serveLines();

  const first = await open(folder, baseUrl, log.logger);
  const paused = await first.reasoner.run(first.host, { sessionId: "s", prompt: "publish the log" });
  expect(paused).toMatchObject({ status: "paused", waiting: [{ callId: "c3", waitsFor: "approval" }] });
  await first.host.close();

  const second = await open(folder, baseUrl, log.logger);
  const [question] = await second.host.approvals.list({ sessionId: "s" });
  await second.host.approvals.decide(question!.id, "approve", "ada");
  const done = await second.reasoner.resume(second.host, { sessionId: "s" });
  expect(done).toMatchObject({ status: "done", text: "Published.", turnId: paused.turnId });
  const [child] = await second.reasoner.list({ parentId: "s" });
  await second.host.close();

  const spans = exporter.getFinishedSpans();
  const traceIds = new Set(spans.map((span) => span.spanContext().traceId));
  expect(traceIds.size).toBe(1);
  expect(treeOf(spans)).toEqual([
    {
      "invoke_agent: paused": [
        { "chat m": [] },
        { "execute_tool broken: failed": [] },
        {
          "execute_tool delegate: ok": [
            {
              "invoke_agent reader: done": [
                { "chat m": [] },
                { "chat m": [] },
                { "execute_tool read_log: ok": [] },
              ],
            },
          ],
        },
        { "execute_tool publish: pending": [] },
        { "invoke_agent: done": [{ "chat m": [] }, { "execute_tool publish: ok": [] }] },
      ],
    },
  ]);
  const failed = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR);
  expect(
    failed.map(({ name, status, attributes }) => [name, status.message, attributes["error.type"]]),
  ).toEqual([["execute_tool broken", "no such city", "CITY_UNKNOWN"]]);

  const idsOf = (name: string) => {
    const span = spans.find(
      (one) => one.name === `execute_tool ${name}` && labelOf(one) !== `${one.name}: pending`,
    )!;
    const { traceId, spanId } = span.spanContext();
    return { trace_id: traceId, span_id: spanId, run_id: span.attributes["toolmount.run.id"] };
  };
  const own = { session_id: "s", turn_id: paused.turnId };
  const atWork = log.lines.filter(({ msg }) => msg === "at work");
  expect(atWork.toSorted((a, b) => String(a["did"]).localeCompare(String(b["did"])))).toMatchObject([
    { did: "broken", call_id: "c1", ...own, ...idsOf("broken") },
    { did: "publish", call_id: "c3", ...own, ...idsOf("publish") },
    { did: "read_log", call_id: "k1", session_id: child!.id, ...idsOf("read_log") },
  ]);
});
