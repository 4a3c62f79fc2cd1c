import type { SpawnRequest } from "@toolmount/core";
import type { TurnOptions } from "./reasoner-types.ts";
import type { SessionFacts } from "./session/log.ts";

/** Reports the events of a sub-agent to the listener of its parent's turn. */
export function forwardTo(
  { onEvent }: TurnOptions,
  { id: sessionId, agent }: SessionFacts,
  { parentCallId }: SpawnRequest,
): TurnOptions["onEvent"] {
  if (onEvent === undefined) return undefined;
  const callId = parentCallId ?? null;
  return (event) => onEvent({ type: "agent", agent: agent ?? "self", sessionId, callId, event });
}
