import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import type { TurnResult } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addModelOptions } from "../agent/open-reasoner.ts";
import { exitCodeOf, turnFooter } from "../agent/turn-view.ts";
import { withReasoner, type Agent, type AgentOptions } from "../agent/with-reasoner.ts";
import { addExamples, jsonOption, planArgument } from "../options.ts";
import { addPlanOptions } from "../plan-options.ts";
import { exitCodes, type ExitCode, type Shell } from "../shell.ts";

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
      shell.end(await shell.interruptible((controller) => chat(plan, options, shell, controller)));
    });
  addExamples(command, ["toolmount chat mount-plans/coding.yaml --model gpt-5"]);
}

/** An empty line is nothing; Ctrl-C cancels the turn and ends the talk, the end of the input ends it, too. */
function chat(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  controller: AbortController,
): Promise<ExitCode> {
  const sessionId = options.session ?? randomUUID();
  return withReasoner(plan, options, shell, controller, async (agent) => {
    const { signal } = controller;
    let last: TurnResult | null = null;
    for await (const prompt of prompts(shell, signal)) {
      if (prompt.trim() === "") continue;
      last = await answer(agent, sessionId, prompt);
      if (options.json === true) shell.out.json(last);
      else for (const line of turnFooter(shell.err, last)) shell.err.line(line);
      if (signal.aborted || last.status === "paused") break;
    }
    await agent.reasoner.leave(agent.host, sessionId);
    return last === null ? exitCodes.done : exitCodeOf(last);
  });
}

function answer({ host, reasoner, turn }: Agent, sessionId: string, prompt: string): Promise<TurnResult> {
  return reasoner.run(host, { ...turn, prompt, sessionId });
}

/** The lines of the input; at a terminal, each asked for when the turn before has ended, so that questions can be asked. */
async function* prompts(shell: Shell, signal: AbortSignal): AsyncGenerator<string> {
  if (shell.terminal === undefined) {
    yield* createInterface({ input: shell.input });
    return;
  }
  while (!signal.aborted) {
    const { isCancel, text } = await import("@clack/prompts");
    const line = await text({ ...shell.terminal, message: "You", signal });
    if (isCancel(line)) return;
    yield line;
  }
}
