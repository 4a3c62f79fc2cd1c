import { ToolmountError } from "@toolmount/core";
import type { TurnResult } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addAgentsOption, addModelOptions } from "../../agent/open-reasoner.ts";
import { runTurn, type AgentOptions } from "../../agent/with-reasoner.ts";
import { readPromptFiles } from "../../agent/prompt-files.ts";
import { readAnswerForm } from "../../agent/structured-output.ts";
import { readText } from "../../options/operands.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { addTapeOptions } from "../../options/tape-options.ts";
import type { Shell } from "../../process/shell.ts";
import type { ExitCode } from "../../process/exit-codes.ts";

interface Options extends AgentOptions {
  readonly session?: string;
  readonly schema?: string;
  readonly attach?: readonly string[];
}

/** `toolmount run [plan] "<prompt>"`: one turn of a model over the plan's tools. */
export function define(command: Command, shell: Shell): void {
  addAgentsOption(addTapeOptions(addModelOptions(addPlanOptions(command))))
    .usage("[options] [plan] <prompt>")
    .argument(
      "[plan-and-prompt...]",
      "the plan, if it is not the nearest one; the prompt, or - to read it from standard input",
    )
    .option(
      "--schema <file>",
      "the answer is JSON that this JSON Schema accepts; standard output has it alone",
    )
    .option("--attach <path>", "give the model this image or file, too; may be given again", collect)
    .option("--session <id>", "resume this session, or begin it under this id")
    .option("--user <id>", "the user on whose behalf the model acts")
    .option(...jsonOption)
    .action(async (words: string[], options: Options) => {
      shell.end(await run(words, options, shell));
    });
  addExamples(command, [
    `toolmount run mount-plans/coding.yaml --model gpt-5 "what is in README.md?"`,
    `toolmount run --schema answer.json "which files have no test?"`,
    `toolmount run mount-plans/demo.yaml --model replay:mount-plans/demo.exchange.json "rename the tool"`,
  ]);
}

async function run(words: readonly string[], options: Options, shell: Shell): Promise<ExitCode> {
  const { plan, written } = readOperands(words, shell.settings.plan);
  const prompt = written === "-" ? await readText(shell.input) : written;
  if (prompt.trim() === "") throw new ToolmountError("USAGE_INVALID", { problem: "the prompt is empty" });
  const { schema, session: sessionId } = options;
  const attached = await readAttached(options.attach ?? [], shell);
  const given = { ...attached, prompt: `${prompt}${attached.prompt}` };
  const form = schema === undefined ? undefined : await readAnswerForm(schema, shell.cwd);
  if (form === undefined)
    return runTurn(options, plan, shell, ({ host, reasoner }, turn) =>
      reasoner.run(host, { ...turn, ...given, sessionId }),
    );
  let last: TurnResult | undefined;
  const keep = (result: TurnResult) => (last = result);
  const code = await runTurn({ ...options, form }, plan, shell, async ({ host, reasoner }, turn) => {
    const first = await reasoner.run(host, { ...turn, ...given, sessionId });
    const problem = first.data === undefined ? form.problemOf(first.text) : undefined;
    const isOther = first.status === "failed" && problem !== undefined;
    if (!isOther) return keep(first);
    const again = `Your answer does not fit the schema: ${problem}. Answer again, with the JSON value alone.`;
    return keep(await reasoner.run(host, { ...turn, prompt: again, sessionId: first.sessionId }));
  });
  if (last?.data !== undefined && options.json !== true) shell.out.json(last.data);
  return code;
}

/** The files of `--attach`. Unlike in a chat, the prompt itself names none: a script may not know what is in it. */
async function readAttached(paths: readonly string[], shell: Shell) {
  const { images, notes, prompt } = await readPromptFiles(
    paths.map((path) => `@"${path}"`).join(" "),
    shell.cwd,
  );
  const left = notes.find((note) => note.endsWith("sent as a word"));
  if (left !== undefined || notes.length < new Set(paths).size)
    throw new ToolmountError("USAGE_INVALID", {
      problem: `--attach ${left ?? "names no file"}`.replace(/; it is sent.*/, ""),
    });
  const texts = prompt.indexOf("\n\n<file ");
  return { images, prompt: texts < 0 ? "" : prompt.slice(texts) };
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function readOperands(words: readonly string[], planOption: string | undefined) {
  const [first, second, ...rest] = words;
  if (first === undefined) throw new ToolmountError("USAGE_INVALID", { problem: "the prompt is missing" });
  if (rest.length > 0 || (second !== undefined && planOption !== undefined))
    throw new ToolmountError("USAGE_INVALID", { problem: "too many words; quote the prompt as one word" });
  return second === undefined ? { plan: planOption, written: first } : { plan: first, written: second };
}
