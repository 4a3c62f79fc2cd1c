import { ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { addModelOptions, openReasoner, type ModelOptions } from "../../agent/open-reasoner.ts";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { readMilliseconds } from "../../options/milliseconds.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";
import { addToHistory, readHistory, toRun } from "../../plan-evals/history.ts";
import { readEvals, type PlanEval } from "../../plan-evals/read.ts";
import { summarize, writeEvals } from "../../plan-evals/report.ts";
import { createEvalBench, type EvalReport } from "../../plan-evals/run.ts";
import { swapDescriptions } from "../../plan-evals/swap.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends PlanOptions, ModelOptions {
  readonly record?: string;
  readonly only?: string;
  readonly swap?: readonly [string, string];
  readonly history?: string;
  readonly minPass?: number;
  readonly maxCost?: number;
  readonly maxP95?: number;
  readonly json?: true;
}

/** `toolmount eval [plan]`: asks a model the plan's prompts, and compares the tools that it chooses. No tool runs. */
export function define(command: Command, shell: Shell): void {
  addModelOptions(addPlanOptions(command))
    .argument("[plan]", planArgument)
    .option("--record <file>", "record the model's answers in a new file, for --model replay:<file>")
    .option("--only <text>", "only the evaluations whose name or label contains this text")
    .option(
      "--swap <tools>",
      "two tools, as a,b: exchange their descriptions; evaluations of them must fail",
      readPair,
    )
    .option("--history <file>", "compare with earlier runs in this file, and add this one")
    .option("--min-pass <share>", "the share that must pass, from 0 to 1; default 1", readNumber)
    .option("--max-cost <amount>", "the most that all evaluations may cost", readNumber)
    .option("--max-p95 <ms>", "the most milliseconds of 95 % of the turns", readMilliseconds)
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) =>
      shell.end(await evaluate(plan, options, shell)),
    );
  addExamples(command, [
    "toolmount eval --model gpt-5 --record evals.tape",
    "toolmount eval --model replay:evals.tape --min-pass 0.9",
    "toolmount eval --model gpt-5 --swap read_file,grep",
  ]);
}

function readPair(text: string): readonly [string, string] {
  const [one = "", other = "", ...more] = text.split(",").map((name) => name.trim());
  if (one === "" || other === "" || more.length > 0)
    throw new InvalidArgumentError("It is the names of two tools, as read_file,grep.");
  return [one, other];
}

function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0)) throw new InvalidArgumentError("It is a number from 0 on.");
  return number;
}

async function evaluate(input: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { openHost } = await import("@toolmount/loader");
  const bench = createEvalBench();
  const given = { ...loaderOptions(options, shell), ...bench.options, record: options.record };
  const host = await openHost(input, options.swap === undefined ? given : { ...given, record: undefined });
  try {
    const tests = chooseEvals(host, options);
    if (options.swap === undefined) return await report(host, await runAll(host, tests), options, shell);
    const swapped = await openHost(swapDescriptions(host, options.swap), {
      ...given,
      cwd: host.plan.folder,
      overlays: [],
    });
    try {
      const reports = await runAll(swapped, tests);
      return await report(swapped, reports, options, shell);
    } finally {
      await swapped.close();
    }
  } finally {
    await host.close();
  }

  async function runAll(on: OpenedHost, tests: readonly PlanEval[]): Promise<EvalReport[]> {
    const opened = await openReasoner(on, options, shell);
    const reports: EvalReport[] = [];
    try {
      for (const test of tests) reports.push(await bench.run(on, opened, test)); // in order: a tape has one
    } finally {
      await opened.close();
    }
    return reports;
  }
}

function chooseEvals(host: OpenedHost, { only = "", swap }: Options): PlanEval[] {
  const tests = readEvals(host.plan).filter(({ name, label = "", expect }) => {
    const names = [...(expect.tools ?? []), ...(expect.oneOf ?? []).flat()];
    const called = [...names, ...(expect.calls ?? []).map(({ tool }) => tool)];
    return (
      `${name} ${label}`.includes(only) && (swap === undefined || swap.some((tool) => called.includes(tool)))
    );
  });
  if (tests.length > 0) return tests;
  throw new ToolmountError("USAGE_INVALID", {
    problem:
      "the plan has no evaluation to run; write evals: with prompt and expect, see docs/evaluate-your-tools.md",
  });
}

async function report(
  host: OpenedHost,
  reports: readonly EvalReport[],
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const summary = summarize(reports, host.tools());
  const run = toRun(summary.passRate, host.tools());
  const { compareRuns } = await import("@toolmount/testing/evals");
  const file = options.history === undefined ? undefined : resolve(shell.cwd, options.history);
  const changes = file === undefined ? [] : compareRuns([...(await readHistory(file)), run]);
  if (file !== undefined && options.swap === undefined && options.only === undefined)
    await addToHistory(file, run);
  const failures =
    options.swap === undefined ? gateFailures(summary, options) : stillPassing(reports, options.swap);
  writeEvals({ plan: host.plan, reports, summary, changes, failures }, options.json === true, shell);
  return failures.length === 0 ? exitCodes.done : exitCodes.failed;
}

function gateFailures(
  { passRate, cost, p95Ms }: ReturnType<typeof summarize>,
  { minPass = 1, maxCost, maxP95 }: Options,
): string[] {
  const failures: string[] = [];
  if (passRate < minPass) failures.push(`pass rate ${passRate.toFixed(2)}, less than ${minPass}`);
  if (maxCost !== undefined && cost === null)
    failures.push("the cost is not known: the plan has no session.orchestrator.prices");
  if (maxCost !== undefined && cost !== null && cost > maxCost)
    failures.push(`cost ${cost.toFixed(4)}, more than ${maxCost}`);
  if (maxP95 !== undefined && p95Ms > maxP95)
    failures.push(`95 % of the turns took up to ${p95Ms} ms, more than ${maxP95}`);
  return failures;
}

/** With exchanged descriptions, an evaluation that still passes shows that its description decides nothing. */
function stillPassing(reports: readonly EvalReport[], [one, other]: readonly [string, string]): string[] {
  return reports
    .filter(({ problems }) => problems.length === 0)
    .map(({ test }) => `passes with the descriptions of ${one} and ${other} exchanged: ${test.name}`);
}
