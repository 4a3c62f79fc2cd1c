import { randomUUID } from "node:crypto";
import { ownSession } from "@toolmount/core";
import type { RunOptions, TurnResult } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addAgentsOption, addModelOptions } from "../../agent/open-reasoner.ts";
import { runTurn, type Agent, type AgentOptions } from "../../agent/with-reasoner.ts";
import { isWord, readFiles, withFiles, type NamedFile } from "../../agent/prompt-files.ts";
import { readAnswerForm } from "../../agent/structured-output.ts";
import { sessionStoreOf } from "../../host/session-store.ts";
import { writeNextCommands } from "../../render/next-commands.ts";
import { writeOutcome } from "../../render/outcome.ts";
import { readText } from "../../options/operands.ts";
import { askOption, firstOption, makeList, type ListOptions } from "../../options/list-options.ts";
import { madeText, rehearsalFacts, writeRehearsal } from "../../render/rehearsal.ts";
import { addExamples, collect, jsonOption } from "../../options/common.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { addTapeOptions } from "../../options/tape-options.ts";
import type { Shell } from "../../process/shell.ts";
import { usageError } from "../../process/usage-error.ts";
import type { ExitCode } from "../../process/exit-codes.ts";

interface Options extends AgentOptions, ListOptions {
  readonly session?: string;
  readonly schema?: string;
  readonly attach?: readonly string[];
  readonly rehearse?: true;
}

/** `toolmount run [plan] "<prompt>"`: runs one turn of a model over the plan's tools. */
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
    .option("--rehearse", "only show what the calls of the turn would change; the conversation is not kept")
    .option(...askOption)
    .option(...firstOption)
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
  const { plan, given } = readOperands(words, shell.settings.plan);
  const prompt = given === "-" ? await readText(shell.input) : given;
  if (prompt.trim() === "") throw usageError("the prompt is empty");
  const { schema, session: sessionId } = options;
  const author = given === "-" && shell.terminal === undefined ? "piped" : "typed";
  const request = withFiles([{ author, text: prompt }], await readAttached(options.attach ?? [], shell.cwd));
  const form = schema === undefined ? undefined : await readAnswerForm(schema, shell.cwd);
  let last: TurnResult | undefined;
  const code = await runTurn({ ...options, form }, plan, shell, async ({ host, reasoner }, turn) => {
    if (options.rehearse !== true)
      return (last = await reasoner.run(host, { ...turn, ...request, sessionId }));
    return (last = await rehearseTurn(
      { host, reasoner },
      { ...turn, ...request, sessionId },
      options,
      shell,
    ));
  });
  if (form !== undefined && last?.data !== undefined && options.json !== true) shell.out.json(last.data);
  return code;
}

/**
 * Runs a turn as a rehearsal in a copy of the session, shows the changes that its calls would make, and deletes the copy. With
 * `--ask`, those calls are then made in the session itself, and the model reads their results and answers.
 */
async function rehearseTurn(
  { host, reasoner }: Pick<Agent, "host" | "reasoner">,
  { sessionId: name, abortSignal, ...request }: RunOptions,
  options: Options,
  { out }: Shell,
): Promise<TurnResult> {
  const copy = ownSession(options.user, `rehearsal-${randomUUID()}`);
  const sessionId = ownSession(options.user, name);
  const store = sessionStoreOf(host);
  const isKnown = sessionId !== undefined && ((await store?.load(sessionId)) ?? null) !== null;
  if (isKnown) await reasoner.fork(host, sessionId, copy);
  const own = sessionId ?? ownSession(options.user, randomUUID());
  const rehearsal = host.session(own).rehearse();
  try {
    const signals = [rehearsal.abortSignal, ...(abortSignal === undefined ? [] : [abortSignal])];
    const whole = { ...request, sessionId: copy, rehearsal, abortSignal: AbortSignal.any(signals) };
    const result = { ...(await reasoner.run(host, whole)), sessionId: "" };
    if (options.json === true) out.jsonLine({ type: "rehearsal", ...rehearsalFacts(rehearsal) });
    else if (options.ask !== true) writeRehearsal(out, rehearsal);
    const made = await makeList(rehearsal, options, { userId: options.user, abortSignal });
    if (made === null) return result;
    if (options.json === true) out.jsonLine({ type: "made", ...made });
    else {
      writeOutcome(out, made);
      writeNextCommands(out, made, { plan: undefined, session: own, user: options.user });
    }
    if (made.status === "pending") return { ...result, status: "paused" };
    if (made.status === "denied") return { ...result, status: "failed" };
    const instructions = [request.instructions, madeText(rehearsal.calls, made)].filter(Boolean).join("\n\n");
    const answer = await reasoner.run(host, { ...request, sessionId: own, abortSignal, instructions });
    return made.status === "ok" ? answer : { ...answer, status: "failed" };
  } finally {
    await store?.delete(copy);
  }
}

/**
 * Reads the files of `--attach`. Names in the prompt itself are not read, unlike in a chat, because the prompt of a script can
 * contain text from elsewhere.
 */
async function readAttached(paths: readonly string[], cwd: string): Promise<readonly NamedFile[]> {
  const files = await readFiles(paths, cwd);
  for (const file of files)
    if ("problem" in file && !isWord(file)) throw usageError(`--attach @${file.path}: ${file.problem}`);
  if (files.some(isWord)) throw usageError("--attach names no file");
  return files;
}

function readOperands(words: readonly string[], planOption: string | undefined) {
  const [first, second, ...rest] = words;
  if (first === undefined) throw usageError("the prompt is missing");
  if (rest.length > 0 || (second !== undefined && planOption !== undefined))
    throw usageError("too many words; quote the prompt as one word");
  return second === undefined ? { plan: planOption, given: first } : { plan: first, given: second };
}
