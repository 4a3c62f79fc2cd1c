import { ToolmountError } from "@toolmount/core";
import type { Command } from "commander";
import { addAgentsOption, addModelOptions } from "../../agent/open-reasoner.ts";
import { runTurn, type AgentOptions } from "../../agent/with-reasoner.ts";
import { readText } from "../../options/operands.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { addTapeOptions } from "../../options/tape-options.ts";
import type { Shell } from "../../process/shell.ts";
import type { ExitCode } from "../../process/exit-codes.ts";

interface Options extends AgentOptions {
  readonly session?: string;
}

/** `toolmount run [plan] "<prompt>"`: one turn of a model over the plan's tools. */
export function define(command: Command, shell: Shell): void {
  addAgentsOption(addTapeOptions(addModelOptions(addPlanOptions(command))))
    .usage("[options] [plan] <prompt>")
    .argument(
      "[plan-and-prompt...]",
      "the plan, if it is not the nearest one; the prompt, or - to read it from standard input",
    )
    .option("--session <id>", "resume this session, or begin it under this id")
    .option("--user <id>", "the user on whose behalf the model acts")
    .option(...jsonOption)
    .action(async (words: string[], options: Options) => {
      shell.end(await run(words, options, shell));
    });
  addExamples(command, [
    `toolmount run mount-plans/coding.yaml --model gpt-5 "what is in README.md?"`,
    `toolmount run mount-plans/demo.yaml --model replay:mount-plans/demo.exchange.json "rename the tool"`,
  ]);
}

async function run(words: readonly string[], options: Options, shell: Shell): Promise<ExitCode> {
  const { plan, given } = readOperands(words, shell.settings.plan);
  const prompt = given === "-" ? await readText(shell.input) : given;
  if (prompt.trim() === "") throw new ToolmountError("USAGE_INVALID", { problem: "the prompt is empty" });
  return runTurn(options, plan, shell, ({ host, reasoner }, turn) =>
    reasoner.run(host, { ...turn, prompt, sessionId: options.session }),
  );
}

function readOperands(words: readonly string[], planOption: string | undefined) {
  const [first, second, ...rest] = words;
  if (first === undefined) throw new ToolmountError("USAGE_INVALID", { problem: "the prompt is missing" });
  if (rest.length > 0 || (second !== undefined && planOption !== undefined))
    throw new ToolmountError("USAGE_INVALID", { problem: "too many words; quote the prompt as one word" });
  return second === undefined ? { plan: planOption, given: first } : { plan: first, given: second };
}
