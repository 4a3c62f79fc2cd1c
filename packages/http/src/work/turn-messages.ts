import { randomUUID } from "node:crypto";
import { isToolmountError, ToolmountError, type Logger } from "@toolmount/core";
import type { ServedTurns } from "../served-host.ts";
import type { LiveTurn } from "./live-turn.ts";
import { openStatuses, type StoredTurn } from "./turn-record.ts";

/**
 * Stores a message of the user with its turn. It stays there until the session has it, because the turn may run at another
 * server, or wait. Rejects with `SESSION_CONFLICT` if the turn has ended.
 */
export async function keepMessage(turn: LiveTurn, text: string): Promise<void> {
  const message = { id: randomUUID(), text };
  const add = ({ status, messages }: StoredTurn) =>
    openStatuses.includes(status) ? { messages: [...messages, message] } : null;
  if (await turn.change(add)) return;
  throw new ToolmountError("SESSION_CONFLICT", {
    session: turn.stored.sessionId,
    problem: "its turn has ended; start a new one",
  });
}

/**
 * Adds the messages of a turn to its session, and removes them from the turn. A message that the session no longer accepts stays
 * with the turn. Each message has an id. So if a server dies and a message is added twice, the model reads it once.
 */
export async function deliverMessages(turn: LiveTurn, turns: ServedTurns, logger: Logger): Promise<void> {
  const { sessionId, messages } = turn.stored;
  for (const { id, text } of messages) {
    try {
      await turns.addMessage?.(sessionId, text, id);
    } catch (err) {
      if (isToolmountError(err) && err.code === "SESSION_CONFLICT") return;
      logger.warn({ err, turn: turn.stored.id }, "a message to a turn was refused");
    }
    await turn.change((stored) => ({ messages: stored.messages.filter((kept) => kept.id !== id) }), true);
  }
}
