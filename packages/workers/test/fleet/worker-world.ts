import { systemClock, type FleetCall, type Json } from "@toolmount/core";
import { vi } from "vitest";
import { FleetWorker } from "../../src/fleet/fleet-worker.ts";
import { digestOfTool, groupOf } from "../../src/fleet/group.ts";
import { createSeal, jobSubject } from "../../src/fleet/seal.ts";
import { notedLedger, notingLogger } from "./ledger.ts";

/** Lets time pass. Answers of the same moment are collected, which takes a turn of the process. */
export async function pass(ms = 0): Promise<void> {
  for (let left = ms; ; left -= stepMs) {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (left <= 0) return;
    await vi.advanceTimersByTimeAsync(Math.min(left, stepMs));
  }
}
const stepMs = 50;
const seal = createSeal("a key of sixteen characters");
const payInfo = {
  name: "pay",
  declaredName: "pay",
  description: "Pays.",
  inputSchema: {},
  timeoutMs: 5,
} as never;
export const digest = digestOfTool(payInfo);

/** A worker of one tool, whose engine gives it calls when the test does; `execute` is what the tool does. */
export async function workerOf(
  execute: (given: object, context: { abortSignal: AbortSignal }) => unknown,
  answers: Parameters<typeof notedLedger>[0] = {},
  leaseMs = 3_000,
) {
  const counted = (_: string, list: readonly { runId: string }[]) => list.map(({ runId }) => runId);
  const noted = notedLedger({ answer: counted, ...answers });
  const { logger, lines } = notingLogger();
  const received: unknown[][] = [];
  const runs: Promise<void>[] = [];
  const sent: unknown[][] = [];
  const removed: unknown[][] = [];
  let take: (runIds: readonly string[]) => Promise<readonly Promise<void>[]> = async () => [];
  const engine = {
    async receive(queue: string, group: string, concurrency: number, taking: typeof take) {
      received.push([queue, group, concurrency]);
      take = taking;
      const close = async () => {
        received.push(["closed"]);
        await Promise.all(runs);
      };
      return { close };
    },
    send: async (...words: unknown[]) => void sent.push(words),
    remove: async (...words: unknown[]) => void removed.push(words),
  };
  const tool = {
    definition: { name: "pay", execute },
    info: payInfo,
    provided: [],
    provide: (context: object) => context,
  };
  const worker = new FleetWorker({
    ledger: noted.ledger,
    engine: engine as never,
    queue: "main",
    seal,
    tools: [{ tool, runner: null }] as never,
    concurrency: 4,
    leaseMs,
    keepMs: 90_000,
    facts: { pid: 7 },
    logger,
    clock: systemClock,
  });
  const call = (runId: string, more: object = {}): FleetCall => {
    const facts = { runId, queue: "main", tool: "pay", digest, idempotent: false, attempt: 0, host: "h1" };
    const info = { tool: "pay", callId: "c", runId, depth: 0 };
    const job = { info, arguments: { a: 1 }, timeoutMs: 60_000, state: {}, ...more };
    return { ...facts, job: seal.close(jobSubject(facts), job) };
  };
  const give = async (...calls: FleetCall[]) => {
    noted.answers["take"] = () => calls;
    const given = await take(calls.map(({ runId }) => runId));
    runs.push(...given);
    return { ended: () => Promise.all(given) };
  };
  const answersOf = () =>
    (noted.of("answer") as [string, { runId: string; answer: Json; last: Json[] }[]][]).flatMap(([, list]) =>
      list.map(({ runId, answer, last }) => ({ runId, answer: seal.open(["answer", runId], answer), last })),
    );
  const tell = (runId: string, number: number, message: object) => ({
    runId,
    number,
    body: seal.close(["to worker", runId], message as never),
  });
  return { worker, ...noted, lines, received, sent, removed, call, give, answersOf, tell };
}

/** How a worker reports itself. */
export const member = (name: string, more: object = {}) => ({
  name,
  role: "worker",
  queue: "main",
  group: groupOf({ pay: digest }),
  tools: { pay: digest },
  facts: { pid: 7, concurrency: 4, running: 0, done: 0, ...more },
});
export const forEver = () => new Promise(() => {});
/** A tool that runs until its signal is aborted. */
export const untilAborted = (_: object, { abortSignal }: { abortSignal: AbortSignal }) =>
  new Promise((resolve) => {
    abortSignal.addEventListener("abort", () => resolve({ data: (abortSignal.reason as Error).message }));
  });

/** Closes a worker. What does not end by itself is abandoned after a moment. */
export async function stop(worker: FleetWorker): Promise<void> {
  const closing = worker.close(0);
  await pass(1_000);
  await closing;
}
