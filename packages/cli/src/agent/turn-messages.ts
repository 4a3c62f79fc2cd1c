import { isToolmountError } from "@toolmount/core";
import { askLine } from "../process/ask-line.ts";
import { setRawMode } from "../process/choose.ts";
import type { AskingShell } from "../process/shell.ts";
import { interruption } from "../process/signals.ts";
import type { TerminalLock } from "../process/terminal-lock.ts";
import type { ChatHistory } from "./chat-history.ts";

const [ctrlC, ctrlD] = ["\u0003", "\u0004"];

/** What `readTurnMessages` needs: the terminal's lock, the history, and functions that receive the lines. */
export interface TurnMessages {
  readonly lock: TerminalLock;
  readonly history: ChatHistory;
  /** Collects the blocks that a person pastes. */
  readonly pastes: Set<string>;
  /** Cancels the turn. */
  readonly controller: AbortController;
  /** Adds a message to the turn. Rejects with `SESSION_CONFLICT` if it has ended. */
  readonly add: (text: string) => Promise<void>;
  /** Receives a line that the turn could not accept, because it is a command or the turn has ended. The chat reads it next. */
  readonly onLeft: (line: string) => void;
}

/**
 * Reads lines that a person writes while a turn runs. The first key opens a line. While it is open, nothing else is written, as
 * during a question: the turn continues, and its output waits for Enter. Ctrl-C cancels the turn. The returned function stops
 * the reading, and resolves when no line is open.
 */
export function readTurnMessages(
  { terminal, err }: AskingShell,
  messages: TurnMessages,
): () => Promise<void> {
  const { input } = terminal;
  const { lock, controller } = messages;
  let line: Promise<void> = Promise.resolve();
  const take = (chunk: Buffer | string) => {
    const keys = String(chunk);
    if (keys === ctrlC) controller.abort(interruption("SIGINT"));
    else if (keys !== ctrlD) line = lock.alone(() => readMessage(chunk));
  };
  const stop = lock.whileFree(() => {
    setRawMode(input, true);
    input.on("data", take);
    input.resume();
    return () => {
      input.off("data", take);
      input.pause();
      setRawMode(input, false);
    };
  });
  controller.signal.addEventListener("abort", stop, { once: true }); // a second Ctrl-C ends the process
  return async () => {
    stop();
    await line;
  };

  async function readMessage(first: Buffer | string): Promise<void> {
    input.unshift(first);
    const prompt = `${err.paint(["bold", "cyan"], "Add")} › `;
    const leaves = "cancel the turn";
    const { history, pastes } = messages;
    const text = await askLine(terminal, prompt, history.lines, controller.signal, { leaves, pastes });
    if (text === null) return controller.abort(interruption("SIGINT"));
    if (text.trim() === "") return;
    await messages.history.add(text);
    if (text.startsWith("/")) return messages.onLeft(text);
    try {
      await messages.add(text);
      err.line(err.paint("dim", "  the model reads it with its next request"));
    } catch (error) {
      if (!isToolmountError(error) || error.code !== "SESSION_CONFLICT") throw error;
      err.line(err.paint("dim", "  the turn has ended; this begins the next one"));
      messages.onLeft(text);
    }
  }
}
