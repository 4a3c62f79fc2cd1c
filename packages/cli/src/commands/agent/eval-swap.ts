import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, planArgument } from "../../options/common.ts";
import { askingOf } from "../../agent/open-reasoner.ts";
import { writeEvals } from "../../render/evals.ts";
import {
  chooseEvals,
  countPassed,
  gateFailures,
  runSide,
  summarize,
  swapDescriptions,
  type EvalReport,
} from "@toolmount/record/internal";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { addAskOptions, modelOption, type AskOptions } from "./eval-options.ts";

interface Options extends AskOptions {
  readonly model?: string;
}

/** `toolmount test swap <tool> <other> [plan]`: runs the prompts of two tools with each other's description. */
export function define(command: Command, shell: Shell): void {
  addAskOptions(command)
    .argument("<tool>", "a tool of the plan")
    .argument("<other>", "the tool with which it exchanges its description")
    .argument("[plan]", planArgument)
    .option(...modelOption)
    .action(async (tool: string, other: string, plan: string | undefined, options: Options) => {
      shell.end(await swap([tool, other], plan, options, shell));
    });
  addExamples(command, ["toolmount test swap read_file grep --model gpt-5"]);
}

/**
 * Runs the evaluations of two tools with exchanged descriptions. They must fail: one that still passes shows that the model does
 * not choose by the description.
 */
async function swap(
  tools: readonly [string, string],
  input: string | undefined,
  options: Options,
  shell: Shell,
): Promise<ExitCode> {
  const { host, reports } = await runSwapped(tools, input, options, shell);
  try {
    const summary = summarize(reports, host.tools());
    const failures = [...gateFailures(summary, {}), ...stillPassing(reports, tools)];
    const output = { plan: host.plan, reports, summary, comparisons: [], changes: [], failures };
    writeEvals(output, options.json === true, shell);
    return failures.length === 0 ? exitCodes.done : exitCodes.failed;
  } finally {
    await host.close();
  }
}

async function runSwapped(
  tools: readonly [string, string],
  input: string | undefined,
  { model, baseUrl, runs, concurrency: parallel, text, ...options }: Options,
  shell: Shell,
) {
  const { openHost } = await import("@toolmount/loader");
  const given = loaderOptions(options, shell);
  const host = await openHost(input, given);
  try {
    const place = { ...given, cwd: host.plan.folder, overlays: [] };
    const choose = () => chooseEvals(host.plan, { text, tools });
    const side = { model, baseUrl, runs, parallel, recordTo: null, asking: askingOf(shell) };
    return await runSide(swapDescriptions(host, tools), place, choose, side);
  } finally {
    await host.close();
  }
}

function stillPassing(reports: readonly EvalReport[], [one, other]: readonly [string, string]): string[] {
  return reports
    .filter((each) => countPassed(each) > 0)
    .map(({ test }) => `passes with the descriptions of ${one} and ${other} exchanged: ${test.name}`);
}
