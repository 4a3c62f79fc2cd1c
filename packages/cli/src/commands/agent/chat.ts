import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import type { TurnResult } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addModelOptions } from "../../agent/open-reasoner.ts";
import { askLine } from "../../process/ask-line.ts";
import { exitCodeOf, turnFooter } from "../../agent/turn-view.ts";
import { withReasoner, type Agent, type AgentOptions } from "../../agent/with-reasoner.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { isAskedToEnd } from "../../process/signals.ts";

interface Options extends AgentOptions {
  readonly session?: string;
}

/** `toolmount chat [plan]`: a turn for each line, until the input ends. */
export function define(command: Command, shell: Shell): void {
  addModelOptions(addPlanOptions(command))
    .argument("[plan]", planArgument)
    .option("--session <id>", "go on with this session, or begin it under this id")
    .option("--user <id>", "the user on whose behalf the model acts")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await chat(plan, options, shell));
    });
  addExamples(command, ["toolmount chat mount-plans/coding.yaml --model gpt-5"]);
}

/**
 * An empty line is nothing. Ctrl-C cancels the turn, and the talk goes on; at the prompt it ends the talk, as does the
 * end of the input, and a process that is asked to end.
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
    return last === null ? exitCodes.done : exitCodeOf(last);
  });
}

/** One turn, and whether the talk ends with it: where nobody is at a terminal, Ctrl-C ends all. */
function answer({ host, reasoner, turn }: Agent, sessionId: string, prompt: string, shell: Shell) {
  return shell.interruptible(async (controller) => {
    const result = await reasoner.run(host, { ...turn(controller), prompt, sessionId });
    const { signal } = controller;
    return { result, isEnd: signal.aborted && (shell.terminal === undefined || isAskedToEnd(signal)) };
  });
}

/** The lines of the input; at a terminal, each asked for when the turn before has ended, so that questions can be asked. */
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
