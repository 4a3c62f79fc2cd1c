import type { Comparison } from "./compare.ts";
import { describeComparison } from "./compare.ts";
import type { EvalReport } from "./run.ts";
import { countPassed, isFlaky, type EvalSummary } from "./summary.ts";

/** What a file with results of evaluations shows. */
export interface WrittenEvals {
  readonly reports: readonly EvalReport[];
  readonly summary: EvalSummary;
  readonly comparisons: readonly Comparison[];
  readonly failures: readonly string[];
}

/** Writes the evaluations as JUnit XML, one test case each. An evaluation that passed only in some runs counts as failed. */
export function toJunit({ reports }: Pick<WrittenEvals, "reports">): string {
  const cases = reports.map((report) => {
    const { test, runs } = report;
    const seconds = runs.reduce((sum, { turn }) => sum + turn.durationMs, 0) / 1_000;
    const open = `  <testcase classname="evals" name="${xml(test.name)}" time="${seconds.toFixed(3)}"`;
    const passed = countPassed(report);
    if (passed === runs.length) return `${open}/>`;
    const title = `${passed} of ${runs.length} runs pass${isFlaky(report) ? ", flaky" : ""}`;
    const problems = problemsOf(report).join("\n");
    return `${open}>\n    <failure message="${xml(title)}">${xml(problems)}</failure>\n  </testcase>`;
  });
  const failed = reports.filter((report) => countPassed(report) < report.runs.length).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="toolmount test prompts" tests="${reports.length}" failures="${failed}">\n${cases.join("\n")}\n</testsuite>\n`;
}

/** Returns the problems of all runs, each once. */
export function problemsOf({ runs }: EvalReport): readonly string[] {
  return [...new Set(runs.flatMap(({ problems }) => problems))];
}

function xml(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  // XML 1.0 allows no other control characters, and no lone surrogates.
  const allowed = text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]/gu, "\u{fffd}");
  return allowed.replaceAll(/[&<>"]/g, (character) => names[character]!);
}

/** Writes the evaluations as Markdown, for a comment on a pull request. */
export function toMarkdown({ reports, summary, comparisons, failures }: WrittenEvals): string {
  const { passed, runs, interval, flaky } = summary;
  const shares = `95 % interval ${percent(interval.low)} to ${percent(interval.high)}`;
  const rows = reports.map((report) => {
    const problems = problemsOf(report).map(cell).join("<br>");
    const mark = isFlaky(report) ? " flaky" : "";
    return `| ${cell(report.test.name)} | ${countPassed(report)}/${report.runs.length}${mark} | ${problems} |`;
  });
  const lines = [
    `### ${failures.length === 0 ? "✔" : "✖"} Evaluations: ${passed} of ${runs} runs pass`,
    "",
    `${percent(summary.passRate)}, ${shares}; ${flaky.length} flaky; ${summary.tokens} tokens.`,
    ...comparisons.flatMap((each) => [
      "",
      ...describeComparison(each).map((line) => `- ${cell(line.trim())}`),
    ]),
    ...(failures.length === 0 ? [] : ["", ...failures.map((failure) => `- **${cell(failure)}**`)]),
    "",
    "| evaluation | passes | problems |",
    "| --- | --- | --- |",
    ...rows,
  ];
  return `${lines.join("\n")}\n`;
}

/** Formats a share for a person, for example as `50 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\|`<>*_[\]]/g, "\\$&");
}
