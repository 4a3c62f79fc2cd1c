import { AsyncLocalStorage } from "node:async_hooks";
import { createMemoryStore, type Clock, type HostOptions, type JsonObject } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { judgeState, judgeTurn, type SeenTurn } from "@toolmount/testing/evals";
import type { OpenReasoner } from "./asking.ts";
import { converse } from "./converse.ts";
import type { PlanEval } from "./read.ts";
import { stateAfter, type OpenWorld, type World } from "./world.ts";

/** One run of an evaluation. */
export interface EvalRun {
  readonly turn: SeenTurn;
  /** Whether the tape lacks the answer to a request, because the prompt, instructions, tools or results have changed. */
  readonly isStale: boolean;
  /** Differences from the expectation; empty if the run passes. */
  readonly problems: readonly string[];
}

/** The result of one evaluation. */
export interface EvalReport {
  readonly test: PlanEval;
  readonly runs: readonly EvalRun[];
}

/** How evaluations are run. */
export interface RunOptions {
  /** How often each evaluation is run. */
  readonly runs: number;
  /** How many evaluations run at the same time. */
  readonly parallel: number;
}

/** Options of a host in which none of its tools runs, every question is approved, and nothing is stored. */
export interface EvalBench {
  readonly options: HostOptions;
  /** Answers requests from a tape. For a request without an answer, the model is asked or, with `only`, the run is stale. */
  answerFrom(host: OpenedHost, find: (request: string) => JsonObject | null, only: boolean): () => void;
  runAll(
    host: OpenedHost,
    opened: OpenReasoner,
    tests: readonly PlanEval[],
    options: RunOptions,
  ): Promise<readonly EvalReport[]>;
}

const stale = "stale: its prompt, instructions, tools or results are not the recorded ones";

interface Running {
  readonly test: PlanEval;
  readonly world: World | null;
  isStale: boolean;
}

export function createEvalBench(openWorld: OpenWorld, clock: Clock): EvalBench {
  const running = new AsyncLocalStorage<Running>();
  const wantedStates = new Map<PlanEval, Promise<unknown>>();
  let count = 0;
  const wantedState = (test: PlanEval): Promise<unknown> => {
    const known = wantedStates.get(test) ?? stateAfter(openWorld, test.world!, test.stateAfter!);
    wantedStates.set(test, known);
    return known;
  };
  const runOnce = async (host: OpenedHost, opened: OpenReasoner, test: PlanEval): Promise<EvalRun> => {
    const world = test.world === undefined ? null : await openWorld(test.world);
    try {
      const state: Running = { test, world, isStale: false };
      const place = { sessionId: `eval ${++count}`, clock };
      const { seen, failure } = await running.run(state, () => converse(host, opened, test, place));
      if (state.isStale) return { turn: seen, isStale: true, problems: [stale] };
      const turn = world === null ? seen : { ...seen, state: await world.state() };
      const problems = failure === null ? [] : [failure];
      problems.push(...judgeTurn(test.expect, turn));
      if (test.stateAfter !== undefined)
        problems.push(...judgeState(await wantedState(test), turn.state, true));
      return { turn: seen, isStale: false, problems };
    } finally {
      await world?.close();
    }
  };
  return {
    options: {
      store: createMemoryStore(),
      approver: () => ({ decision: "approve", by: "the evaluation" }),
      runner: {
        run: async ({ info: { tool }, arguments: given }) => {
          const now = running.getStore();
          return (now?.test.given[tool] ?? (await now?.world?.call(tool, given)) ?? { data: null }) as never;
        },
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

/** Does the work for all items, at most `parallel` at a time. The results are in the order of the items. */
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
