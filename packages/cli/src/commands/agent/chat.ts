import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import type { TurnResult } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addModelOptions } from "../../agent/open-reasoner.ts";
import { askLine } from "../../process/ask-line.ts";
import { exitCodeOfTurn, turnFooter } from "../../agent/turn-view.ts";
import { withReasoner, type Agent, type AgentOptions } from "../../agent/with-reasoner.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { addTapeOptions, exitCodeOfReplay } from "../../options/tape-options.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { isAskedToEnd } from "../../process/signals.ts";

interface Options extends AgentOptions {
  readonly session?: string;
}

/** `toolmount chat [plan]`: a turn for each line, until the input ends. */
export function define(command: Command, shell: Shell): void {
  addTapeOptions(addModelOptions(addPlanOptions(command)))
    .argument("[plan]", planArgument)
    .option("--session <id>", "resume this session, or begin it under this id")
    .option("--user <id>", "the user on whose behalf the model acts")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await chat(plan, options, shell));
    });
  addExamples(command, ["toolmount chat mount-plans/coding.yaml --model gpt-5"]);
}

/**
 * Runs a turn for each line; skips empty ones. Ctrl-C cancels the turn, and the next line begins another. At the prompt
 * Ctrl-C ends the chat, as do the end of the input and a signal that asks the process to end.
 */
function chat(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const sessionId = options.session ?? randomUUID();
  return withReasoner(plan, options, shell, async (agent) => {
    let last: TurnResult | null = null;
    for await (const prompt of prompts(shell)) {
      if (prompt.trim() === "") continue;
      const { result, isEnd } = await answer(agent, sessionId, prompt, shell);
      last = result;
      if (options.json !== true) for (const line of turnFooter(shell.err, last, plan)) shell.err.line(line);
      if (isEnd || last.status === "paused") break;
    }
    await agent.reasoner.leave(agent.host, sessionId);
    const code = last === null ? exitCodes.done : exitCodeOfTurn(last);
    return exitCodeOfReplay(agent.host, code, shell);
  });
}

/** One turn, and whether the chat ends with it: without a terminal Ctrl-C ends the whole chat. */
function answer({ host, reasoner, turn }: Agent, sessionId: string, prompt: string, shell: Shell) {
  return shell.interruptible(async (controller) => {
    const result = await reasoner.run(host, { ...turn(controller), prompt, sessionId });
    const { signal } = controller;
    return { result, isEnd: signal.aborted && (shell.terminal === undefined || isAskedToEnd(signal)) };
  });
}

/** The lines of the input. At a terminal the prompt appears after a turn has ended, so that the turn can ask questions. */
async function* prompts(shell: Shell): AsyncGenerator<string> {
  if (shell.terminal === undefined) {
    yield* createInterface({ input: shell.input });
    return;
  }
  const { terminal, err } = shell;
  const prompt = `${err.paint(["bold", "cyan"], "You")} › `;
  const history: string[] = [];
  for (;;) {
    const line = await shell.interruptible(({ signal }) => askLine(terminal, prompt, history, signal));
    if (line === null) return;
    if (line.trim() !== "") history.unshift(line);
    yield line;
  }
}
