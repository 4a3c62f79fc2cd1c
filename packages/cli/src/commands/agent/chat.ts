import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { ownSession } from "@toolmount/core";
import type { TurnResult } from "@toolmount/reasoner";
import type { Command } from "commander";
import { addAgentsOption, addModelOptions } from "../../agent/open-reasoner.ts";
import { openHistory, type ChatHistory } from "../../agent/chat-history.ts";
import { partsOfLine, readPromptFiles } from "../../agent/prompt-files.ts";
import { newestSession, sayEnd, sayOpening } from "../../agent/chat-opening.ts";
import { createNotices, type Notices } from "../../process/notices.ts";
import { printable } from "../../screen/printable.ts";
import { askLine } from "../../process/ask-line.ts";
import { exitCodeOfTurn, turnFooter } from "../../agent/turn-footer.ts";
import { isChatCommand, runChatCommand, type Chat } from "../../agent/chat-commands.ts";
import { readTurnMessages, type TurnMessages } from "../../agent/turn-messages.ts";
import { keepAfterTurn } from "../../agent/ask-to-keep.ts";
import { askStored } from "../../host/approvals-picker.ts";
import { readUserName } from "../../host/user-name.ts";
import { withReasoner, type AgentOptions } from "../../agent/with-reasoner.ts";
import { addExamples, jsonOption, planArgument } from "../../options/common.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { addTapeOptions, exitCodeOfReplay } from "../../options/tape-options.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import { usageError } from "../../process/usage-error.ts";
import { isAskedToEnd } from "../../process/signals.ts";

interface Options extends AgentOptions {
  readonly watch?: true;
  readonly session?: string;
  readonly continue?: true;
}

/** `toolmount chat [plan]`: runs a turn for each line, until the input ends. */
export function define(command: Command, shell: Shell): void {
  addAgentsOption(addTapeOptions(addModelOptions(addPlanOptions(command))))
    .argument("[plan]", planArgument)
    .option("--watch", "mount the plan again when its files or local modules change")
    .option("--session <id>", "resume this session, or begin it under this id")
    .option("-c, --continue", "resume the session that changed last")
    .option("--user <id>", "the user on whose behalf the model acts")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await chat(plan, options, shell));
    });
  addExamples(command, [
    "toolmount chat mount-plans/coding.yaml --model gpt-5",
    "toolmount chat --continue",
    "toolmount chat --watch",
  ]);
}

/**
 * Runs a turn for each line. Empty lines are skipped, and a line such as `/help` is a command of the chat. If calls wait for an
 * answer, the next line denies them and is a message to the model. Ctrl-C cancels the turn, and the next line begins another. A
 * second Ctrl-C at the prompt ends the chat, as do the end of the input and a signal that asks the process to end.
 */
function chat(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  if (options.continue === true && options.session !== undefined)
    throw usageError("--continue and --session name a session each; give one of them");
  return withReasoner(plan, options, shell, async (agent) => {
    const newest = options.continue === true ? await newestSession(agent) : undefined;
    const sessionId = newest?.id ?? ownSession(options.user, options.session ?? randomUUID());
    const turns: TurnResult[] = [];
    const { folder } = agent.host.plan;
    const isLive = shell.terminal !== undefined && options.replay === undefined;
    const state: Chat = { agent, sessionId, turns, model: undefined, note: undefined, pastes: new Set() };
    const keeps = isLive && agent.host.plan.written["state"] !== "memory";
    const history = await openHistory(keeps ? folder : null, (problem) => shell.err.line(printable(problem)));
    const notices = createNotices((line) => shell.err.line(line));
    const say = (line: string) => notices.say(shell.err.paint("dim", line));
    const stopWatching =
      options.watch === true
        ? await import("../../host/watch-plan.ts").then(({ watchPlan }) => watchPlan(agent.host, say))
        : undefined;
    if (shell.terminal !== undefined) {
      await sayOpening(agent, sessionId, shell);
      await sayEnd(agent, sessionId, shell);
    }
    const typed: string[] = [];
    const end = (result: TurnResult) => {
      turns.push(result);
      if (options.json !== true)
        for (const text of turnFooter(shell.err, result, { ...options, plan, isKnown: true }))
          shell.err.line(text);
      if (result.status === "paused" && shell.terminal !== undefined)
        shell.err.line("what you write now denies the calls that wait; /quit leaves them waiting");
    };
    const open = await resumeOpen(state, shell);
    if (open !== null) end(open);
    // If calls wait, lines that a program pipes in are not read, because they were not written as an answer to the calls.
    const isOver = (status: string | undefined) => status === "paused" && shell.terminal === undefined;
    const lines = isOver(open?.status)
      ? []
      : prompts(shell, history, { notices, pastes: state.pastes }, typed);
    for await (const line of lines) {
      if (line.trim() === "") continue;
      if (line.trim() === "/quit") break;
      if (isChatCommand(line)) await runChatCommand(line, state, shell);
      else {
        const reading =
          options.json === true
            ? undefined
            : { history, pastes: state.pastes, onLeft: (text: string) => void typed.push(text) };
        const answered = await answer(state, line.replace(/^\/\//, "/"), shell, reading);
        if (answered === null) continue;
        end(answered.result);
        if (answered.isEnd || isOver(answered.result.status)) break;
      }
    }
    await stopWatching?.();
    await agent.reasoner.leave(agent.host, sessionId);
    const last = turns.at(-1);
    const code = last === undefined ? exitCodes.done : exitCodeOfTurn(last);
    return exitCodeOfReplay(agent.host, code, shell);
  });
}

/** Asks the open questions of a session's unfinished turn, and resumes the turn. Returns null if no turn is open. */
async function resumeOpen(state: Chat, shell: Shell): Promise<TurnResult | null> {
  const { sessionId } = state;
  const { host, reasoner, turn } = state.agent;
  const known = (await reasoner.list()).find(({ id }) => id === sessionId);
  if (known?.status !== "open") return null;
  const { terminal, env } = shell;
  if (terminal !== undefined) await askStored(host, sessionId, { shell, terminal, by: readUserName(env) });
  return shell.interruptible(async (controller) => {
    const given = turn(controller);
    const result = await reasoner.resume(host, { ...given, sessionId });
    state.note = await keepAfterTurn(host, result, given, shell, controller);
    return result;
  });
}

/**
 * Runs one turn. `isEnd` says whether the chat ends too, for example by Ctrl-C without a terminal. Returns null if no turn ran.
 */
async function answer(
  state: Chat,
  line: string,
  shell: Shell,
  reading: Pick<TurnMessages, "history" | "pastes" | "onLeft"> | undefined,
) {
  const { agent, sessionId, model } = state;
  const { host, reasoner } = agent;
  // `@path` in a line reads a file only if a person typed the line. A program that pipes text in may not know that the text
  // contains `@path`.
  const read =
    shell.terminal === undefined
      ? { prompt: [{ author: "piped", text: line } as const], images: [], notes: [] }
      : await readPromptFiles(partsOfLine(line, state.pastes), shell.cwd);
  for (const note of read.notes) shell.err.line(shell.err.paint("dim", printable(note)));
  const isWaiting = state.turns.at(-1)?.status === "paused";
  if (isWaiting && read.images.length > 0) {
    shell.err.line("an image cannot go with a message that denies calls; write the message without it first");
    return null;
  }
  const note = state.note === undefined ? [] : [{ author: "tool", text: `${state.note}\n\n` } as const];
  const prompt = [...note, ...read.prompt];
  const { images } = read;
  state.note = undefined;
  return shell.interruptible(async (controller) => {
    const turn = agent.turn(controller);
    const settings = model === undefined ? turn.settings : { ...turn.settings, model };
    const add = (text: string) => reasoner.addMessage(sessionId, partsOfLine(text, state.pastes));
    const { terminal, err } = shell;
    const stopReading =
      terminal === undefined || reading === undefined
        ? undefined
        : readTurnMessages({ terminal, err }, { ...reading, lock: agent.lock, controller, add });
    const running = isWaiting
      ? reasoner.resume(host, { ...turn, settings, sessionId, message: prompt })
      : reasoner.run(host, { ...turn, settings, prompt, images, sessionId });
    const result = await running.finally(() => stopReading?.());
    // With --json no person is asked.
    const asked = reading === undefined ? { err, terminal: undefined } : shell;
    state.note = await keepAfterTurn(host, result, turn, asked, controller);
    const { signal } = controller;
    return { result, isEnd: signal.aborted && (shell.terminal === undefined || isAskedToEnd(signal)) };
  });
}

/** Yields the lines of the input. At a terminal the prompt appears after a turn has ended, so that the turn can ask questions. */
async function* prompts(
  shell: Shell,
  history: ChatHistory,
  { notices, pastes }: { readonly notices: Notices; readonly pastes: Set<string> },
  typed: string[],
): AsyncGenerator<string> {
  if (shell.terminal === undefined) {
    yield* createInterface({ input: shell.input });
    return;
  }
  const { terminal, err } = shell;
  const prompt = `${err.paint(["bold", "cyan"], "You")} › `;
  const more = `${err.paint("dim", "  …")} › `;
  for (;;) {
    // These lines were written during the last turn, but too late for it.
    while (typed.length > 0) yield typed.shift()!;
    const lines: string[] = [];
    // A backslash at the end of a line continues it on the next one.
    for (let isMore = true; isMore;) {
      const line = await shell.interruptible(({ signal }) =>
        askLine(terminal, lines.length === 0 ? prompt : more, history.lines, signal, { notices, pastes }),
      );
      if (line === null) return;
      isMore = line.endsWith("\\");
      lines.push(isMore ? line.slice(0, -1) : line);
    }
    const whole = lines.join("\n");
    if (whole.trim() !== "") await history.add(whole);
    yield whole;
  }
}
