import { systemClock, type FleetMember, type RunnerControl, type RunnerJob } from "@toolmount/core";
import { expect } from "vitest";
import { FleetRunner } from "../../src/fleet/fleet-runner.ts";
import { digestOfTool } from "../../src/fleet/group.ts";
import { createSeal } from "../../src/fleet/seal.ts";
import { notedLedger, notingLogger } from "./ledger.ts";

const key = "a key of sixteen characters";
export const seal = createSeal(key);
export const tool = {
  name: "pay",
  declaredName: "pay",
  description: "Pays. Use to pay.",
  inputSchema: { type: "object" },
  idempotent: true,
  timeoutMs: 5,
} as never;
export const digest = digestOfTool(tool);
export const info = { callId: "c", runId: "r", tool: "pay", depth: 0, sessionId: "s" };
export const job = {
  runId: "r",
  tool: "pay",
  info,
  arguments: { a: 1 },
  timeoutMs: 60_000,
} as unknown as RunnerJob;
export const delivery = {
  runId: "r",
  queue: "main",
  tool: "pay",
  digest,
  attempt: 0,
  rank: 0,
  nested: false,
};

/** A runner of one host; `answers` are those of the ledger. */
export function runnerWorld(
  answers: Parameters<typeof notedLedger>[0] = {},
  toolOf: () => object | null = () => tool,
) {
  const noted = notedLedger({ add: () => delivery, ...answers });
  const { logger, lines } = notingLogger();
  const followed: { call: { runId: string; finish(end: object): void }; row: object; stopped: boolean }[] =
    [];
  const delivered: unknown[] = [];
  let workers: FleetMember[] = [];
  const host = {
    name: "h1",
    ledger: noted.ledger,
    report: () => noted.ledger.report({} as never, 0),
    deliver: async (one: unknown) => void delivered.push(one),
    workers: async () => workers,
    follow(call: never, row: object) {
      const one = { call, row, stopped: false };
      followed.push(one);
      return () => void (one.stopped = true);
    },
  };
  const settings = { queue: "main", maxWaiting: 2, waitMs: 1_000, key } as never;
  const runner = new FleetRunner({
    settings,
    host: async () => host as never,
    processes: null,
    toolOf: toolOf as never,
    logger,
    clock: systemClock,
  });
  const controller = new AbortController();
  const session = { snapshot: () => ({ kept: 1 }), set: () => {}, delete: () => true, get: () => undefined };
  const control = { signal: controller.signal, session } as unknown as RunnerControl;
  const run = (of = job) => {
    const running = runner.run(of, control);
    running.catch(() => {});
    return running;
  };
  const finish = (at: number, answer: object, runId = "r") =>
    followed[at]!.call.finish({ kind: "answered", answer: seal.close(["answer", runId], answer as never) });
  const setWorkers = (...list: object[]) => void (workers = list as FleetMember[]);
  return { ...noted, runner, host, run, finish, followed, delivered, lines, controller, setWorkers };
}

/** The failure of a call that ran nothing. */
export const unavailable = (reason: string) => ({
  code: "UNAVAILABLE",
  message: expect.stringContaining(reason),
});

export const returned = { type: "returned", runId: "r", value: { data: "paid" } };
