import type { OpenedPlan } from "@toolmount/loader";
import {
  countPassed,
  describeComparison,
  isFlaky,
  percent,
  problemsOf,
  type EvalReport,
  type EvalSummary,
  type Improvement,
  type WrittenEvals,
} from "@toolmount/record/internal";
import type { ToolChoices } from "@toolmount/testing/evals";
import type { Shell } from "../process/shell.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import { writeTable } from "../screen/table.ts";
import { shortPath } from "./problems.ts";

/** What a command about evaluations prints, with the plan and the changes since earlier runs. */
export interface EvalOutput extends WrittenEvals {
  readonly plan: OpenedPlan;
  /** Sentences about what changed since earlier runs in the history file. */
  readonly changes: readonly string[];
}

export function writeEvals(output: EvalOutput, asJson: boolean, shell: Shell): void {
  const { reports, summary, comparisons, changes, failures } = output;
  const { out } = shell;
  if (asJson) return out.json(toJson(output, shell));
  for (const report of reports) writeOne(report, output.plan, shell);
  out.line();
  writeTable(out, columns, summary.tools);
  for (const { tools, count } of summary.overlaps)
    out.line(out.paint("yellow", `confused: ${printable(tools.join(" and "))}, ${countOf(count, "time")}`));
  for (const gap of [...summary.gaps, ...changes]) out.line(out.paint("dim", printable(gap)));
  for (const line of countLines(reports, summary)) out.line(line);
  for (const line of comparisons.flatMap(describeComparison)) out.line(printable(line));
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

function countLines(reports: readonly EvalReport[], summary: EvalSummary): string[] {
  const { passed, runs, interval, passRate, tokens, tokensPerRun, cost, costPerRun, p95Ms } = summary;
  const failed = reports.filter((report) => countPassed(report) < report.runs.length).length;
  const each = runs / reports.length;
  const costs = cost === null ? "" : `, cost ${cost.toFixed(4)}${printInterval(costPerRun!, 4)}`;
  return [
    `${countOf(reports, "evaluation")}, ${failed} failed; ${tokens} tokens${printInterval(tokensPerRun, 0)}${costs}, 95 % within ${p95Ms} ms`,
    `${passed} of ${countOf(runs, "run")} pass: ${percent(passRate)}, 95 % interval ${percent(interval.low)} to ${percent(interval.high)}${each > 1 ? `; pass^${each} ${percent(summary.passAll)}, ${summary.flaky.length} flaky` : ""}`,
  ];
}

function printInterval(
  { mean, low, high }: { readonly mean: number; readonly low?: number; readonly high?: number },
  digits: number,
): string {
  if (low === undefined || high === undefined) return "";
  const [middle, from, to] = [mean, Math.max(0, low), high].map((value) => value.toFixed(digits));
  return ` (${middle} a run, ${from} to ${to})`;
}

function writeOne(report: EvalReport, plan: OpenedPlan, shell: Shell): void {
  const { out } = shell;
  const { test, runs } = report;
  const passed = countPassed(report);
  const sign =
    passed === runs.length
      ? out.paint("green", "✔")
      : isFlaky(report)
        ? out.paint("yellow", "~")
        : out.paint("red", "✖");
  const count = runs.length === 1 ? "" : ` ${passed}/${runs.length}${isFlaky(report) ? " flaky" : ""}`;
  const chosen = runs.map(({ turn }) => turn.calls.map(({ tool }) => tool).join(", ") || "no tool");
  const choices = [...new Set(chosen)].join(" | ");
  out.line(
    `${sign} ${placeOf(plan, test.path, shell)} ${printable(test.name)}:${count} ${printable(choices)}`,
  );
  for (const problem of problemsOf(report)) out.line(`    ${printable(problem)}`);
}

function placeOf(plan: OpenedPlan, path: readonly [string, number], { cwd }: Shell): string {
  const at = plan.position(...path);
  return at === undefined
    ? `evaluation ${path[1] + 1}`
    : `${shortPath(at.file, cwd)}:${at.line}:${at.column}`;
}

function toJson({ plan, reports, summary, comparisons, changes, failures }: EvalOutput, shell: Shell) {
  return {
    plan: plan.file,
    evals: reports.map((report) => ({
      at: placeOf(plan, report.test.path, shell),
      name: report.test.name,
      ...(report.test.label !== undefined && { label: report.test.label }),
      passed: countPassed(report),
      isFlaky: isFlaky(report),
      problems: problemsOf(report),
      runs: report.runs.map(({ turn, isStale, problems }) => ({ ...turn, isStale, problems })),
    })),
    ...summary,
    comparisons,
    changes,
    failures,
  };
}

/**
 * Shows the description before and the proposed one, with the result of evaluations that were not used to write it. The plan is
 * not changed.
 */
export function writeImprovement(found: Improvement, { out }: Shell): void {
  const { tool, before, after, tried, heldOut, isBetter } = found;
  if (after === null || heldOut === null) {
    out.line(`${printable(tool)}: none of ${tried} proposed descriptions passes more often`);
    return;
  }
  out.line(out.paint("red", `- ${printable(before)}`));
  out.line(out.paint("green", `+ ${printable(after)}`));
  for (const line of describeComparison(heldOut)) out.line(printable(line));
  out.line(
    isBetter
      ? `better on evaluations that it was not made for; write it under tools: of the entry: { ${printable(tool)}: { description: … } }`
      : "not shown to be better on evaluations that it was not made for; keep the present one, or use more --runs",
  );
}
