import type { ToolInfo } from "@toolmount/core";
import type { OpenedPlan } from "@toolmount/loader";
import {
  checkDescriptions,
  countChoices,
  findOverlaps,
  type Overlap,
  type ToolChoices,
} from "@toolmount/testing/evals";
import type { Shell } from "../process/shell.ts";
import { shortPath } from "../render/problems.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { writeTable } from "../screen/table.ts";
import type { EvalReport } from "./run.ts";

/** What all evaluations together show. */
export interface EvalSummary {
  readonly passed: number;
  /** From 0 to 1. */
  readonly passRate: number;
  readonly tokens: number;
  /** Null when the plan has no prices. */
  readonly cost: number | null;
  readonly p95Ms: number;
  readonly tools: readonly ToolChoices[];
  readonly overlaps: readonly Overlap[];
  /** What descriptions and evaluations lack. */
  readonly gaps: readonly string[];
}

/** One run, as it is shown. */
export interface EvalOutput {
  readonly plan: OpenedPlan;
  readonly reports: readonly EvalReport[];
  readonly summary: EvalSummary;
  /** What changed since earlier runs. */
  readonly changes: readonly string[];
  /** Why the command ends with 1. */
  readonly failures: readonly string[];
}

export function summarize(reports: readonly EvalReport[], tools: readonly ToolInfo[]): EvalSummary {
  const passed = reports.filter(({ problems }) => problems.length === 0).length;
  const choices = countChoices(
    reports.map(({ test, turn }) => ({ expect: test.expect, chosen: turn.calls.map(({ tool }) => tool) })),
  );
  const times = reports.map(({ turn }) => turn.durationMs).toSorted((one, other) => one - other);
  const costs = reports.map(({ turn }) => turn.cost);
  return {
    passed,
    passRate: passed / reports.length,
    tokens: reports.reduce((sum, { turn }) => sum + turn.tokens, 0),
    cost: costs.includes(undefined) ? null : costs.reduce<number>((sum, cost) => sum + cost!, 0),
    p95Ms: Math.round(times[Math.ceil(times.length * 0.95) - 1] ?? 0),
    tools: choices,
    overlaps: findOverlaps(choices),
    gaps: checkDescriptions(
      tools,
      reports.map(({ test }) => test),
    ),
  };
}

export function writeEvals(output: EvalOutput, asJson: boolean, shell: Shell): void {
  const { reports, summary, changes, failures } = output;
  const { out } = shell;
  if (asJson) return out.json(toJson(output, shell));
  for (const report of reports) writeOne(report, output.plan, shell);
  out.line();
  writeTable(out, columns, summary.tools);
  for (const { tools, count } of summary.overlaps)
    out.line(out.paint("yellow", `confused: ${printable(tools.join(" and "))}, ${countOf(count, "time")}`));
  for (const gap of [...summary.gaps, ...changes]) out.line(out.paint("dim", printable(gap)));
  const cost = summary.cost === null ? "" : `, cost ${summary.cost.toFixed(4)}`;
  out.line(
    `${countOf(reports, "evaluation")}, ${reports.length - summary.passed} failed; ${summary.tokens} tokens${cost}, 95 % within ${summary.p95Ms} ms`,
  );
  for (const failure of failures) out.line(out.paint("red", printable(failure)));
}

const columns = [
  { title: "tool", cell: ({ tool }: ToolChoices) => printable(tool) },
  { title: "expected", cell: ({ expected }: ToolChoices) => String(expected) },
  { title: "chosen", cell: ({ chosen }: ToolChoices) => String(chosen) },
  { title: "missed", cell: ({ missed }: ToolChoices) => String(missed) },
  { title: "extra", cell: ({ extra }: ToolChoices) => String(extra) },
  { title: "confused with", cell: ({ confused }: ToolChoices) => printable(printConfused(confused)) },
];

function printConfused(confused: ToolChoices["confused"]): string {
  const parts = Object.entries(confused).map(([tool, count]) => (count === 1 ? tool : `${tool} ×${count}`));
  return parts.join(", ") || "–";
}

function writeOne({ test, turn, problems }: EvalReport, plan: OpenedPlan, shell: Shell): void {
  const { out } = shell;
  const sign = problems.length === 0 ? out.paint("green", "✔") : out.paint("red", "✖");
  const chosen = turn.calls.map(({ tool }) => tool).join(", ") || "no tool";
  out.line(`${sign} ${placeOf(plan, test.path, shell)} ${printable(test.name)}: ${printable(chosen)}`);
  for (const problem of problems) out.line(`    ${printable(problem)}`);
}

function placeOf(plan: OpenedPlan, path: readonly [string, number], { cwd }: Shell): string {
  const at = plan.position(...path);
  return at === undefined
    ? `evaluation ${path[1] + 1}`
    : `${shortPath(at.file, cwd)}:${at.line}:${at.column}`;
}

function toJson({ plan, reports, summary, changes, failures }: EvalOutput, shell: Shell) {
  return {
    plan: plan.file,
    evals: reports.map(({ test, turn, problems }) => ({
      at: placeOf(plan, test.path, shell),
      name: test.name,
      ...(test.label !== undefined && { label: test.label }),
      ...turn,
      problems,
    })),
    ...summary,
    changes,
    failures,
  };
}
