import { createMemoryStore, type HostOptions } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { createCallCollector, judgeTurn, type SeenTurn } from "@toolmount/testing/evals";
import type { OpenReasoner } from "../agent/open-reasoner.ts";
import type { PlanEval } from "./read.ts";

/** The result of one evaluation. */
export interface EvalReport {
  readonly test: PlanEval;
  readonly turn: SeenTurn;
  /** Differences from the expectation; empty when it passes. */
  readonly problems: readonly string[];
}

/** Options of a host in which no tool runs, every question is approved, and nothing is stored. */
export interface EvalBench {
  readonly options: HostOptions;
  run(host: OpenedHost, opened: OpenReasoner, test: PlanEval): Promise<EvalReport>;
}

export function createEvalBench(): EvalBench {
  let current: PlanEval | null = null;
  let count = 0;
  const options: HostOptions = {
    store: createMemoryStore(),
    approver: () => ({ decision: "approve", by: "the evaluation" }),
    runner: {
      run: async ({ info: { tool } }) => (current?.given[tool] ?? { data: null }) as never,
    },
  };
  return {
    options,
    async run(host, { reasoner, settings }, test) {
      current = test;
      const { onEvent, calls } = createCallCollector();
      const began = performance.now();
      const turn = await reasoner.run(host, {
        prompt: test.prompt,
        sessionId: `eval ${++count}`,
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
      return { test, turn: seen, problems: [...problems, ...judgeTurn(test.expect, seen)] };
    },
  };
}
