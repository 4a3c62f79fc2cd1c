import { readFile, writeFile } from "node:fs/promises";
import type { ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import type { EvalRun } from "@toolmount/testing/evals";
import type { OpenedHost } from "@toolmount/loader";
import { resolve } from "node:path";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, collect, planArgument } from "../../options/common.ts";
import { askingOf } from "../../agent/open-reasoner.ts";
import { writeEvals, type EvalOutput } from "../../render/evals.ts";
import {
  chooseEvals,
  compareSides,
  gateFailures,
  openEvalTape,
  runSide,
  summarize,
  toJunit,
  toMarkdown,
  type Comparison,
  type EvalReport,
  type SideOptions,
} from "@toolmount/record/internal";
import { addLine } from "@toolmount/tape";
import { countOf } from "../../screen/count.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { usageError } from "../../process/usage-error.ts";
import {
  addAskOptions,
  readBound,
  readNumber,
  recordOption,
  type AskOptions,
  type Bounds,
} from "./eval-options.ts";

interface Options extends AskOptions {
  readonly model?: readonly string[];
  readonly record?: string;
  readonly compare?: string;
  readonly minPass?: number;
  readonly max?: Bounds;
  readonly out?: readonly string[];
}

/**
 * `toolmount test prompts [plan]`: asks a model the plan's prompts, and judges which tools it chooses. Only tools of a test world
 * really run.
 */
export function define(command: Command, shell: Shell): void {
  addAskOptions(command)
    .argument("[plan]", planArgument)
    .option(
      "--model <name>",
      "the model to ask; replay:<file> answers from a recording; give it again to compare models",
      collect,
    )
    .option(...recordOption)
    .option("--compare <plan>", "run the evaluations on this plan, too; exit code 1 if it is better")
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
    .action(async (plan: string | undefined, options: Options) =>
      shell.end(await evaluate(plan, options, shell)),
    );
  addExamples(command, [
    "toolmount test prompts --model gpt-5 --runs 5 --concurrency 4 --record evals.tape",
    "toolmount test prompts --model replay:evals.tape --runs 5 --min-pass 0.6",
    "toolmount test prompts --model gpt-5 --runs 20 --compare plan-b.yaml",
  ]);
}

async function evaluate(input: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const { compare, record, model: models = [] } = options;
  const sides = compare === undefined ? models.slice(1) : [compare];
  if (compare !== undefined && models.length > 1) throw usageError("give one --model with --compare");
  if (record !== undefined && models.length > 1)
    throw usageError("record each model in a file of its own; then compare the files");
  const recordTo = record === undefined ? null : await openEvalTape(resolve(shell.cwd, record));
  const { runs, concurrency: parallel, baseUrl } = options;
  const asking = askingOf(shell);
  const first: SideOptions = { model: models[0], baseUrl, runs, parallel, recordTo, asking };
  const choose = (host: OpenedHost) => chooseEvals(host.plan, options);
  const run = await runSide(input, loaderOptions(options, shell), choose, first);
  try {
    const tests = run.reports.map(({ test }) => test);
    const comparisons: Comparison[] = [];
    for (const side of sides) {
      const asked = compare === undefined ? { ...first, model: side } : first;
      const other = await runSide(compare ?? input, loaderOptions(options, shell), () => tests, asked);
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

async function report(
  host: OpenedHost,
  reports: readonly EvalReport[],
  comparisons: readonly Comparison[],
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const { max, minPass = comparisons.length === 0 ? 1 : undefined } = options;
  const summary = summarize(reports, host.tools());
  const failures = [...gateFailures(summary, { minPass, maxCost: max?.cost, maxP95: max?.p95 })];
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

/** Returns what changed since the runs in the history file of `--out`, and adds this run unless `--text` left evaluations out. */
async function compareWithHistory(
  host: OpenedHost,
  passRate: number,
  { out = [], text }: Options,
  shell: Shell,
): Promise<readonly string[]> {
  const history = out.find(isHistory);
  if (history === undefined) return [];
  const { compareRuns } = await import("@toolmount/testing/evals");
  const file = resolve(shell.cwd, history);
  const run = toRun(passRate, host.tools());
  const changes = compareRuns([...(await readHistory(file)), run]);
  if (text === undefined) addToHistory(file, run);
  return changes;
}

/** Reads the runs in a file, oldest first; none if the file does not exist. An incomplete last line is ignored. */
export async function readHistory(file: string): Promise<EvalRun[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as EvalRun);
}

export function addToHistory(file: string, run: EvalRun): void {
  addLine(file, JSON.stringify(run));
}

/** Returns a run in the form that a history stores. */
function toRun(passRate: number, tools: readonly ToolInfo[]): EvalRun {
  const entries = tools.map(
    ({ name, description, inputSchema, version }) =>
      [name, { definition: digestOf({ description, inputSchema }).slice(0, 12), version }] as const,
  );
  return { passRate, tools: Object.fromEntries(entries) };
}
