import { resolve } from "node:path";
import type { Command } from "commander";
import { loaderOptions } from "../../host/loader-options.ts";
import { addExamples, planArgument } from "../../options/common.ts";
import { askingOf } from "../../agent/open-reasoner.ts";
import { writeImprovement } from "../../render/evals.ts";
import { chooseEvals, improveTool, openEvalTape } from "@toolmount/record/internal";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { addAskOptions, modelOption, recordOption, type AskOptions } from "./eval-options.ts";

interface Options extends AskOptions {
  readonly model?: string;
  readonly record?: string;
}

/** `toolmount test improve <tool> [plan]`: asks the model for better descriptions of a tool, and evaluates each of them. */
export function define(command: Command, shell: Shell): void {
  addAskOptions(command)
    .argument("<tool>", "a tool of the plan; its proposals are tried on prompts that they were not made for")
    .argument("[plan]", planArgument)
    .option(...modelOption)
    .option(...recordOption)
    .action(async (tool: string, plan: string | undefined, options: Options) => {
      await improve(tool, plan, options, shell);
      // It is no failure if no better description was found.
      shell.end(exitCodes.done);
    });
  addExamples(command, ["toolmount test improve find_orders --model gpt-5 --runs 20"]);
}

async function improve(
  tool: string,
  input: string | undefined,
  { model, baseUrl, runs, concurrency: parallel, record, text, json, ...options }: Options,
  shell: Shell,
): Promise<void> {
  const { openHost } = await import("@toolmount/loader");
  const recordTo = record === undefined ? null : await openEvalTape(resolve(shell.cwd, record));
  const side = { model, baseUrl, runs, parallel, recordTo, asking: askingOf(shell) };
  const loader = loaderOptions(options, shell);
  const host = await openHost(input, loader);
  try {
    const tests = chooseEvals(host.plan, { text });
    const found = await improveTool(tool, { host, tests, loader, side });
    if (json === true) shell.out.json(found);
    else writeImprovement(found, shell);
    recordTo?.end({ keepsAll: true });
  } finally {
    await host.close();
  }
}
