import { AsyncLocalStorage } from "node:async_hooks";
import { createMemoryStore, type HostOptions, type JsonObject } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { createCallCollector, judgeTurn, type SeenTurn } from "@toolmount/testing/evals";
import type { OpenReasoner } from "../agent/open-reasoner.ts";
import type { PlanEval } from "./read.ts";

/** One run of one evaluation. */
export interface EvalRun {
  readonly turn: SeenTurn;
  /** Whether the tape has no answer to one of its requests: prompt, instructions, tools or results have changed. */
  readonly isStale: boolean;
  /** Differences from the expectation; empty when it passes. */
  readonly problems: readonly string[];
}

/** The result of one evaluation. */
export interface EvalReport {
  readonly test: PlanEval;
  readonly runs: readonly EvalRun[];
}

/** How evaluations are run. */
export interface RunOptions {
  /** How often each is run. */
  readonly runs: number;
  /** How many turns run at a time. */
  readonly parallel: number;
}

/** Options of a host in which no tool runs, every question is approved, and nothing is stored. */
export interface EvalBench {
  readonly options: HostOptions;
  /** Answers from a tape; a request without an answer is asked, or with `only` makes the run stale. */
  answerFrom(host: OpenedHost, find: (request: string) => JsonObject | null, only: boolean): () => void;
  runAll(
    host: OpenedHost,
    opened: OpenReasoner,
    tests: readonly PlanEval[],
    options: RunOptions,
  ): Promise<readonly EvalReport[]>;
}

interface Running {
  readonly test: PlanEval;
  isStale: boolean;
}

export function createEvalBench(): EvalBench {
  const running = new AsyncLocalStorage<Running>();
  let count = 0;
  const runOnce = async (host: OpenedHost, opened: OpenReasoner, test: PlanEval): Promise<EvalRun> => {
    const state: Running = { test, isStale: false };
    const run = await running.run(state, () => runTurn(host, opened, test, `eval ${++count}`));
    if (!state.isStale) return { ...run, isStale: false };
    const stale = "stale: its prompt, instructions, tools or results are not the recorded ones";
    return { ...run, isStale: true, problems: [stale] };
  };
  return {
    options: {
      store: createMemoryStore(),
      approver: () => ({ decision: "approve", by: "the evaluation" }),
      runner: {
        run: async ({ info: { tool } }) => (running.getStore()?.test.given[tool] ?? { data: null }) as never,
      },
    },
    answerFrom: (host, find, only) =>
      host.coordinator.registerCapability("host.find_answer", (request) => {
        const answer = find(request);
        if (answer !== null || !only) return answer;
        const state = running.getStore();
        if (state !== undefined) state.isStale = true;
        throw new Error("the tape has no answer to this request");
      }),
    async runAll(host, opened, tests, { runs, parallel }) {
      const work = tests.flatMap((test) => Array.from({ length: runs }, () => test));
      const done = await inOrder(work, parallel, (test) => runOnce(host, opened, test));
      return tests.map((test, at) => ({ test, runs: done.slice(at * runs, (at + 1) * runs) }));
    },
  };
}

/** Does the work, so much of it at a time; the results are in the order of the items. */
async function inOrder<Item, Result>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const takeTurns = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!);
  };
  await Promise.all(Array.from({ length: parallel }, takeTurns));
  return results;
}

async function runTurn(
  host: OpenedHost,
  { reasoner, settings }: OpenReasoner,
  test: PlanEval,
  sessionId: string,
): Promise<Omit<EvalRun, "isStale">> {
  const { onEvent, calls } = createCallCollector();
  const began = performance.now();
  const turn = await reasoner.run(host, {
    prompt: test.prompt,
    sessionId,
    userId: test.user,
    settings: { ...settings, maxIterations: test.requests },
    onEvent,
  });
  const seen: SeenTurn = {
    calls: calls(),
    text: turn.text,
    durationMs: performance.now() - began,
    tokens: turn.usage.inputTokens + turn.usage.outputTokens,
    cost: turn.cost?.amount,
  };
  const { error } = turn;
  // The last request that is allowed may make calls: what they were is judged.
  const failed = error !== undefined && error.code !== "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED";
  const problems = failed ? [`the turn failed: ${error.code} ${error.message}`] : [];
  return { turn: seen, problems: [...problems, ...judgeTurn(test.expect, seen)] };
}
