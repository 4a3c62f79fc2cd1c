import { mcNemar } from "@toolmount/testing/evals";
import type { EvalReport, EvalRun } from "./run.ts";

/** The results of two ways to run the same evaluations, compared in pairs of runs. */
export interface Comparison {
  readonly first: string;
  readonly second: string;
  readonly pairs: number;
  readonly firstPassed: number;
  readonly secondPassed: number;
  /** Number of pairs in which only the first run passed. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly test: "exact McNemar test, two-sided";
  readonly p: number;
  /** The name of the better side, at p < 0.05; null if no difference is shown. */
  readonly better: string | null;
  /** Evaluations for which a different number of runs passed, with both numbers. */
  readonly changed: readonly { readonly name: string; readonly first: number; readonly second: number }[];
}

/** A difference counts as shown if p is below this. */
const level = 0.05;

/** One side of a comparison: a plan with a model. */
export interface Side {
  readonly name: string;
  readonly reports: readonly EvalReport[];
}

/**
 * Compares each run of an evaluation with the run of the same number on the other side. If neither side is better, a pair that
 * differs is as likely to differ in either direction, whatever the evaluation is.
 */
export function compareSides(first: Side, second: Side): Comparison {
  const pairs = first.reports.flatMap(({ runs }, at) =>
    runs.map((run, index) => [passes(run), passes(second.reports[at]!.runs[index]!)] as const),
  );
  const onlyFirst = pairs.filter(([one, other]) => one && !other).length;
  const onlySecond = pairs.filter(([one, other]) => !one && other).length;
  const p = mcNemar(onlyFirst, onlySecond);
  const winner = onlyFirst > onlySecond ? first.name : second.name;
  return {
    first: first.name,
    second: second.name,
    pairs: pairs.length,
    firstPassed: pairs.filter(([one]) => one).length,
    secondPassed: pairs.filter(([, other]) => other).length,
    onlyFirst,
    onlySecond,
    test: "exact McNemar test, two-sided",
    p,
    better: p < level ? winner : null,
    changed: first.reports
      .map(({ test, runs }, at) => ({
        name: test.name,
        first: runs.filter(passes).length,
        second: second.reports[at]!.runs.filter(passes).length,
      }))
      .filter((each) => each.first !== each.second),
  };
}

function passes({ problems }: EvalRun): boolean {
  return problems.length === 0;
}

/** Describes a comparison in sentences. */
export function describeComparison(comparison: Comparison): string[] {
  const { first, second, pairs, firstPassed, secondPassed, onlyFirst, onlySecond, better } = comparison;
  const result = better === null ? "no difference is shown" : `${better} is better`;
  return [
    `${first}: ${firstPassed} of ${pairs} pass; ${second}: ${secondPassed} of ${pairs}`,
    ...comparison.changed.map(
      (each) => `  ${each.name}: ${each.first} with ${first}, ${each.second} with ${second}`,
    ),
    `only ${first} passes in ${onlyFirst} pairs, only ${second} in ${onlySecond}: ${result} (${comparison.test}, p = ${printP(comparison.p)})`,
  ];
}

function printP(p: number): string {
  return p < 0.0001 ? p.toExponential(1) : p.toFixed(4);
}
