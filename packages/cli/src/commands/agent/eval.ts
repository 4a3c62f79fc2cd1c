import { writeFile } from "node:fs/promises";
import { ToolmountError } from "@toolmount/core";
import type { OpenedHost, PlanInput } from "@toolmount/loader";
import { resolve } from "node:path";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, collect, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { compareSides, type Comparison } from "../../plan-evals/compare.ts";
import { toJunit, toMarkdown } from "../../plan-evals/files.ts";
import { addToHistory, readHistory, toRun } from "../../plan-evals/history.ts";
import { readEvals, type PlanEval } from "../../plan-evals/read.ts";
import { writeEvals, type EvalOutput } from "../../plan-evals/report.ts";
import type { EvalReport } from "../../plan-evals/run.ts";
import { runSide, type SideOptions } from "../../plan-evals/side.ts";
import { countPassed, gateFailures, summarize } from "../../plan-evals/summary.ts";
import { swapDescriptions } from "../../plan-evals/swap.ts";
import { openEvalTape } from "../../plan-evals/tape.ts";
import { countOf } from "../../screen/count.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { usageError } from "../../process/usage-error.ts";
import { readBound, readCount, readNumber, readPair, type Bounds } from "./eval-options.ts";

interface Options extends PlanOptions {
  readonly model?: readonly string[];
  readonly baseUrl?: string;
  readonly record?: string;
  readonly runs: number;
  readonly concurrency: number;
  readonly compare?: string;
  readonly text?: string;
  readonly swap?: readonly [string, string];
  readonly improve?: string;
  readonly minPass?: number;
  readonly max?: Bounds;
  readonly out?: readonly string[];
  readonly json?: true;
}

/** `toolmount test prompts [plan]`: asks a model the plan's prompts, and judges the tools that it chooses. Only the tools of a world run. */
export function define(command: Command, shell: Shell): void {
  addPlanOptions(command)
    .argument("[plan]", planArgument)
    .option(
      "--model <name>",
      "the model to ask; replay:<file> answers from a recording; give it again to compare models",
      collect,
    )
    .option("--base-url <url>", "a server that speaks the Responses API, without /responses")
    .option(
      "--record <file>",
      "record the model's answers, for --model replay:<file>; answers of the file that still fit are kept",
    )
    .option("--runs <n>", "how often each evaluation is run; default 1", readCount, 1)
    .option("--concurrency <n>", "how many turns run at a time; default 1", readCount, 1)
    .option("--compare <plan>", "run the evaluations on this plan, too; exit code 1 if it is better")
    .option("--text <text>", "only the evaluations whose name or label contains this text")
    .option(
      "--swap <tools>",
      "two tools, as a,b: exchange their descriptions; evaluations of them must fail",
      readPair,
    )
    .option(
      "--improve <tool>",
      "ask the model for better descriptions of this tool, and try them on evaluations that they were not made for",
    )
    .option(
      "--min-pass <share>",
      "1, the default: every run passes; less: the lower end of the 95 % interval reaches it",
      readNumber,
    )
    .option(
      "--max <bound>",
      "fail above cost=<amount> of all evaluations, or p95=<ms> of the turns; may be given again",
      readBound,
    )
    .option(
      "--out <file>",
      "write the evaluations: .xml as JUnit, .md as a table, .jsonl as one more run, compared with those before; may be given again",
      collect,
    )
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) =>
      shell.end(await evaluate(plan, options, shell)),
    );
  addExamples(command, [
    "toolmount test prompts --model gpt-5 --runs 5 --concurrency 4 --record evals.tape",
    "toolmount test prompts --model replay:evals.tape --runs 5 --min-pass 0.6",
    "toolmount test prompts --model gpt-5 --runs 20 --compare plan-b.yaml",
    "toolmount test prompts --model gpt-5 --swap read_file,grep",
  ]);
}

async function evaluate(input: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { compare, record, swap, model: models = [] } = options;
  const sides = compare === undefined ? models.slice(1) : [compare];
  if (compare !== undefined && models.length > 1) throw usageError("give one --model with --compare");
  if (swap !== undefined && sides.length > 0) throw usageError("--swap compares nothing else");
  if (options.improve !== undefined && (swap !== undefined || sides.length > 0))
    throw usageError("--improve makes its own comparisons: leave --swap, --compare and a second --model out");
  if (record !== undefined && models.length > 1)
    throw usageError("record each model in a file of its own; then compare the files");
  const isRecorded = record !== undefined && swap === undefined;
  const recordTo = isRecorded ? await openEvalTape(resolve(shell.cwd, record)) : null;
  const { runs, concurrency: parallel, baseUrl } = options;
  const first: SideOptions = { model: models[0], baseUrl, runs, parallel, recordTo };
  if (options.improve !== undefined) return improve(input, options.improve, options, first, shell);
  const run = await runFirst(input, options, first, shell);
  try {
    const tests = run.reports.map(({ test }) => test);
    const comparisons: Comparison[] = [];
    for (const side of sides) {
      const asked = compare === undefined ? { ...first, model: side } : first;
      const other = await runSide(compare ?? input, loaderOptions(options, shell), () => tests, asked, shell);
      await other.host.close();
      const name = compare === undefined ? models[0]! : (input ?? "the plan");
      comparisons.push(compareSides({ name, reports: run.reports }, { name: side, reports: other.reports }));
    }
    const code = await report(run.host, run.reports, comparisons, options, shell);
    if (recordTo !== null) {
      const { kept, recorded } = recordTo.end({ keepsAll: options.text !== undefined });
      shell.err.line(shell.err.paint("dim", `${record}: ${countOf(kept, "answer")} kept, ${recorded} new`));
    }
    return code;
  } finally {
    await run.host.close();
  }
}

/** Exit code 0 also where no better description is found: that is an answer. */
async function improve(
  input: string | undefined,
  tool: string,
  options: Options,
  side: SideOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { openHost } = await import("@toolmount/loader");
  const { improveTool, writeImprovement } = await import("../../plan-evals/improve.ts");
  const loader = loaderOptions(options, shell);
  const host = await openHost(input, loader);
  try {
    const tests = chooseEvals(host, options);
    const found = await improveTool(tool, { host, tests, loader, side }, shell);
    if (options.json === true) shell.out.json(found);
    else writeImprovement(found, shell);
    side.recordTo?.end({ keepsAll: true });
    return exitCodes.done;
  } finally {
    await host.close();
  }
}

async function runFirst(input: string | undefined, options: Options, side: SideOptions, shell: Shell) {
  const given = loaderOptions(options, shell);
  const { swap } = options;
  const choose = (host: OpenedHost) => chooseEvals(host, options);
  if (swap === undefined) return runSide(input, given, choose, side, shell);
  const { openHost } = await import("@toolmount/loader");
  const host = await openHost(input, given);
  try {
    const swapped: PlanInput = swapDescriptions(host, swap);
    const folder = { ...given, cwd: host.plan.folder, overlays: [] };
    return await runSide(swapped, folder, () => choose(host), side, shell);
  } finally {
    await host.close();
  }
}

function chooseEvals(host: OpenedHost, { text = "", swap }: Options): PlanEval[] {
  const tests = readEvals(host.plan).filter(({ name, label = "", expect }) => {
    const names = [...(expect.tools ?? []), ...(expect.oneOf ?? []).flat()];
    const called = [...names, ...(expect.calls ?? []).map(({ tool }) => tool)];
    return (
      `${name} ${label}`.includes(text) && (swap === undefined || swap.some((tool) => called.includes(tool)))
    );
  });
  if (tests.length > 0) return tests;
  throw new ToolmountError("USAGE_INVALID", {
    problem:
      "the plan has no evaluation to run; write tests: with prompt and expect, see docs/evaluate-your-tools.md",
  });
}

async function report(
  host: OpenedHost,
  reports: readonly EvalReport[],
  comparisons: readonly Comparison[],
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const { swap, minPass = comparisons.length === 0 ? 1 : undefined } = options;
  const summary = summarize(reports, host.tools());
  const failures =
    swap === undefined
      ? gateFailures(summary, { minPass, maxCost: options.max?.cost, maxP95: options.max?.p95 })
      : [...gateFailures(summary, {}), ...stillPassing(reports, swap)];
  for (const { better, second } of comparisons) if (better === second) failures.push(`${second} is better`);
  const changes = await compareWithHistory(host, summary.passRate, options, shell);
  const output: EvalOutput = { plan: host.plan, reports, summary, comparisons, changes, failures };
  for (const file of options.out ?? [])
    if (!isHistory(file))
      await writeFile(resolve(shell.cwd, file), file.endsWith(".xml") ? toJunit(output) : toMarkdown(output));
  writeEvals(output, options.json === true, shell);
  return failures.length === 0 ? exitCodes.done : exitCodes.failed;
}

function isHistory(file: string): boolean {
  return file.endsWith(".jsonl");
}

/** Returns what changed since the runs that a file keeps, to which this run is added. */
async function compareWithHistory(
  host: OpenedHost,
  passRate: number,
  { out = [], swap, text }: Options,
  shell: Shell,
): Promise<readonly string[]> {
  const history = out.find(isHistory);
  if (history === undefined) return [];
  const { compareRuns } = await import("@toolmount/testing/evals");
  const file = resolve(shell.cwd, history);
  const run = toRun(passRate, host.tools());
  const changes = compareRuns([...(await readHistory(file)), run]);
  if (swap === undefined && text === undefined) addToHistory(file, run);
  return changes;
}

/** With exchanged descriptions, an evaluation that still passes shows that its description decides nothing. */
function stillPassing(reports: readonly EvalReport[], [one, other]: readonly [string, string]): string[] {
  return reports
    .filter((each) => countPassed(each) > 0)
    .map(({ test }) => `passes with the descriptions of ${one} and ${other} exchanged: ${test.name}`);
}
