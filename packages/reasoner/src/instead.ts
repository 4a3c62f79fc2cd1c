import { isToolmountError, type Coordinator } from "@toolmount/core";
import { requireAllowed } from "./provider/ask-model.ts";
import type { TurnHost } from "./reasoner-types.ts";
import type { SessionAccess } from "./session-access.ts";
import { keptPrompt, type Prompt } from "./session/author.ts";
import type { SessionLog } from "./session/log.ts";
import { waitingCalls } from "./session/waiting.ts";
import type { ClientResult } from "./turn/turn-types.ts";

/** What the model reads as the reason for a call that was not answered. */
const reason = "the user wrote a message instead";

interface Instead {
  readonly host: TurnHost;
  readonly access: SessionAccess;
  readonly by: string;
}

interface Given extends Omit<Instead, "by"> {
  readonly coordinator: Coordinator;
  readonly userId: string | undefined;
}

/**
 * Denies the waiting calls of a turn, including those of its sub-agents, and adds the message. The model reads the message
 * together with the answers. Without a message, does nothing. Returns the answers of calls that wait for the client. A gate of
 * `prompt:submit` may deny the message.
 */
export async function denyFor(
  message: Prompt | undefined,
  log: SessionLog,
  { coordinator, userId, host, access }: Given,
): Promise<readonly ClientResult[]> {
  if (message === undefined) return [];
  const kept = keptPrompt(message);
  const data = { session_id: log.facts.id, prompt: kept.text };
  requireAllowed(await coordinator.hooks.emit("prompt:submit", data), "the prompt");
  await log.append({ kind: "message", ...kept });
  await denyQuestions(log, { host, access, by: userId ?? log.facts.userId ?? "the user" });
  return waitingCalls(log.view)
    .filter(({ waitsFor }) => waitsFor === "client")
    .map(({ callId }) => ({ callId, error: reason }));
}

async function denyQuestions(log: SessionLog, { host, access, by }: Instead): Promise<void> {
  const { turn } = log.view;
  if (turn === null) return;
  const pending = await host.approvals.list({ sessionId: log.facts.id, states: ["pending"], limit: 10_000 });
  for (const { id, info } of pending)
    if (info.turnId === turn.turnId)
      await host.approvals.decide(id, { decision: "deny", reason }, by).catch(ignoreDecided);
  for (const { child } of turn.calls) {
    const found = child === null || child.ended ? null : await access.find(child.sessionId);
    if (found !== null) await denyQuestions(found, { host, access, by });
  }
}

/** Ignores errors of the host: another person may have answered the question meanwhile, and that answer counts. */
function ignoreDecided(error: unknown): void {
  if (!isToolmountError(error)) throw error;
}
