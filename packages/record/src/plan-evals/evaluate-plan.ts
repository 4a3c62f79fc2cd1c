import { resolve } from "node:path";
import type { OpenedPlan, OpenHostOptions, PlanInput } from "@toolmount/loader";
import { openPlanAgent, type AskedModel } from "./asking.ts";
import { chooseEvals, type Chosen } from "./read.ts";
import type { EvalReport } from "./run.ts";
import { runSide } from "./side.ts";
import { gateFailures, summarize, type EvalSummary, type Gates } from "./summary.ts";
import { openEvalTape } from "./tape.ts";

/** Options of `evaluatePlan`: those of its host, and further ones. */
export interface EvaluatePlanOptions extends Omit<OpenHostOptions, "record">, AskedModel, Chosen, Gates {
  /** How often each evaluation is run; default 1. */
  readonly runs?: number | undefined;
  /** How many turns run at the same time; default 1. */
  readonly parallel?: number | undefined;
  /** A file to which the model's answers are written, for `model: "replay:<file>"`. Its answers that still fit are kept. */
  readonly record?: string | undefined;
}

/** The results of the evaluations of a plan. */
export interface PlanEvalReport {
  readonly plan: OpenedPlan;
  /** Whether all gates were passed. */
  readonly passed: boolean;
  readonly evals: readonly EvalReport[];
  readonly summary: EvalSummary;
  /** The gates that were not passed, one sentence each. */
  readonly failures: readonly string[];
}

/**
 * Asks a model the prompts in the `tests:` of a plan, and judges which tools it chooses. No tool of the plan runs. Rejects with
 * `USAGE_INVALID` for a plan without a prompt or an agent, and with `PLAN_INVALID` or `PLAN_VALUE_INVALID` for one that cannot
 * be read.
 */
export async function evaluatePlan(
  input: PlanInput,
  options: EvaluatePlanOptions = {},
): Promise<PlanEvalReport> {
  const { model, baseUrl, runs = 1, parallel = 1, record, text, tools, minPass = 1, ...rest } = options;
  const { maxCost, maxP95, ...given } = rest;
  const cwd = resolve(given.cwd ?? ".");
  const recordTo = record === undefined ? null : await openEvalTape(resolve(cwd, record));
  const asking = { open: openPlanAgent, cwd, note: () => {} };
  const side = { model, baseUrl, runs, parallel, recordTo, asking };
  const { host, reports } = await runSide(
    input,
    given,
    ({ plan }) => chooseEvals(plan, { text, tools }),
    side,
  );
  try {
    recordTo?.end({ keepsAll: text !== undefined || tools !== undefined });
    const summary = summarize(reports, host.tools());
    const failures = gateFailures(summary, { minPass, maxCost, maxP95 });
    return { plan: host.plan, passed: failures.length === 0, evals: reports, summary, failures };
  } finally {
    await host.close();
  }
}
