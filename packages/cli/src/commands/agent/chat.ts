import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import type { TurnResult } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addAgentsOption, addModelOptions } from "../../agent/open-reasoner.ts";
import { askLine } from "../../process/ask-line.ts";
import { exitCodeOfTurn, turnFooter } from "../../agent/turn-view.ts";
import { isChatCommand, runChatCommand, type Chat } from "../../agent/chat-commands.ts";
import { withReasoner, type AgentOptions } from "../../agent/with-reasoner.ts";
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
  addAgentsOption(addTapeOptions(addModelOptions(addPlanOptions(command))))
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
 * Runs a turn for each line; skips empty ones, and answers lines with a slash itself. Ctrl-C cancels the turn, and the next
 * line begins another. At the prompt Ctrl-C ends the chat, as do the end of the input and a signal that asks the process to
 * end.
 */
function chat(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  const sessionId = options.session ?? randomUUID();
  return withReasoner(plan, options, shell, async (agent) => {
    const turns: TurnResult[] = [];
    const state: Chat = { agent, sessionId, turns, model: undefined };
    if (shell.terminal !== undefined)
      shell.err.line(shell.err.paint("dim", "/help shows commands; Ctrl-D ends the chat"));
    for await (const line of prompts(shell)) {
      if (line.trim() === "") continue;
      if (line.trim() === "/quit") break;
      if (isChatCommand(line)) await runChatCommand(line, state, shell);
      else {
        const { result, isEnd } = await answer(state, line.replace(/^\/\//, "/"), shell);
        turns.push(result);
        if (options.json !== true)
          for (const text of turnFooter(shell.err, result, plan)) shell.err.line(text);
        if (isEnd || result.status === "paused") break;
      }
    }
    await agent.reasoner.leave(agent.host, sessionId);
    const last = turns.at(-1);
    const code = last === undefined ? exitCodes.done : exitCodeOfTurn(last);
    return exitCodeOfReplay(agent.host, code, shell);
  });
}

/** One turn, and whether the chat ends with it: without a terminal Ctrl-C ends the whole chat. */
function answer({ agent, sessionId, model }: Chat, prompt: string, shell: Shell) {
  const { host, reasoner } = agent;
  return shell.interruptible(async (controller) => {
    const turn = agent.turn(controller);
    const settings = model === undefined ? turn.settings : { ...turn.settings, model };
    const result = await reasoner.run(host, { ...turn, settings, prompt, sessionId });
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
