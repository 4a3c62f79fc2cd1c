import type { ToolInfo } from "@toolmount/core";
import {
  checkDescriptions,
  countChoices,
  findOverlaps,
  meanInterval,
  passAll,
  runsToShow,
  wilsonInterval,
  type Interval,
  type Overlap,
  type ToolChoices,
} from "@toolmount/testing/evals";
import type { EvalReport } from "./run.ts";

/** The results of all evaluations together. */
export interface EvalSummary {
  /** Number of runs of all evaluations. */
  readonly runs: number;
  readonly passed: number;
  /** The share of runs that passed, from 0 to 1. */
  readonly passRate: number;
  /** The 95 % interval of the pass rate, after Wilson. It applies to these evaluations, not to other prompts. */
  readonly interval: Interval;
  /** The share of evaluations all of whose runs passed, which is pass^k with k runs. */
  readonly passAll: number;
  /** Names of the evaluations that passed only in some runs. */
  readonly flaky: readonly string[];
  readonly stale: readonly string[];
  readonly tokens: number;
  readonly tokensPerRun: ReturnType<typeof meanInterval>;
  /** Null if the cost of any run is not known, as without prices in the plan. */
  readonly cost: number | null;
  readonly costPerRun: ReturnType<typeof meanInterval> | null;
  readonly p95Ms: number;
  readonly tools: readonly ToolChoices[];
  readonly overlaps: readonly Overlap[];
  /** What descriptions and evaluations lack. */
  readonly gaps: readonly string[];
}

/** Counts how many runs of an evaluation passed. */
export function countPassed({ runs }: EvalReport): number {
  return runs.filter(({ problems }) => problems.length === 0).length;
}

/** Whether some runs of an evaluation passed and others did not. */
export function isFlaky(report: EvalReport): boolean {
  const passed = countPassed(report);
  return passed > 0 && passed < report.runs.length;
}

/** Summarizes the results of evaluations. */
export function summarize(reports: readonly EvalReport[], tools: readonly ToolInfo[]): EvalSummary {
  const all = reports.flatMap(({ test, runs }) => runs.map((run) => ({ test, ...run })));
  const passed = reports.reduce((sum, report) => sum + countPassed(report), 0);
  const choices = countChoices(
    all.map(({ test, turn }) => ({ expect: test.expect, chosen: turn.calls.map(({ tool }) => tool) })),
  );
  const times = all.map(({ turn }) => turn.durationMs).toSorted((one, other) => one - other);
  const tokens = all.map(({ turn }) => turn.tokens);
  const costs = all.map(({ turn }) => turn.cost).filter((cost) => cost !== undefined);
  const isPriced = costs.length === all.length;
  const clean = reports.map((report) => passAll(countPassed(report), report.runs.length, report.runs.length));
  return {
    runs: all.length,
    passed,
    passRate: passed / all.length,
    interval: wilsonInterval(passed, all.length),
    passAll: sumOf(clean) / reports.length,
    flaky: reports.filter(isFlaky).map(({ test }) => test.name),
    stale: reports.filter(({ runs }) => runs.some((run) => run.isStale)).map(({ test }) => test.name),
    tokens: sumOf(tokens),
    tokensPerRun: meanInterval(tokens),
    cost: isPriced ? sumOf(costs) : null,
    costPerRun: isPriced ? meanInterval(costs) : null,
    p95Ms: Math.round(times[Math.ceil(times.length * 0.95) - 1] ?? 0),
    tools: choices,
    overlaps: findOverlaps(choices),
    gaps: checkDescriptions(
      tools,
      reports.map(({ test }) => test),
    ),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** What the evaluations must reach to pass. */
export interface Gates {
  /** Below 1, the lower end of the interval must reach this; at 1, every run must pass. Default of `evaluatePlan`: 1. */
  readonly minPass?: number | undefined;
  readonly maxCost?: number | undefined;
  readonly maxP95?: number | undefined;
}

/** Returns the gates that the evaluations do not pass, one sentence each. */
export function gateFailures(summary: EvalSummary, { minPass, maxCost, maxP95 }: Gates): string[] {
  const { cost, p95Ms, stale } = summary;
  const failures: string[] = [];
  if (stale.length > 0)
    failures.push(`stale: ${stale.length} must be recorded again, with a model and --record`);
  if (minPass !== undefined) failures.push(...passFailure(summary, minPass));
  if (maxCost !== undefined && cost === null)
    failures.push("the cost is not known: the plan has no agent.prices");
  if (maxCost !== undefined && cost !== null && cost > maxCost)
    failures.push(`cost ${cost.toFixed(4)}, more than ${maxCost}`);
  if (maxP95 !== undefined && p95Ms > maxP95)
    failures.push(`95 % of the turns took up to ${p95Ms} ms, more than ${maxP95}`);
  return failures;
}

/** Checks the pass rate. A few samples prove no rate, so below 1 the lower end of the interval counts. */
function passFailure({ passRate, interval, runs }: EvalSummary, minPass: number): string[] {
  const rate = `pass rate ${passRate.toFixed(2)}`;
  if (minPass >= 1) return passRate === 1 ? [] : [`${rate}, less than 1`];
  if (interval.low >= minPass) return [];
  const least = runsToShow(minPass);
  const few = passRate >= minPass && runs < least ? `; it takes ${least} runs that all pass, see --runs` : "";
  return [`${rate}, but its 95 % interval begins at ${interval.low.toFixed(2)}, below ${minPass}${few}`];
}
