import { isToolmountError } from "@toolmount/core";
import { traceTurn, type TurnTrace } from "@toolmount/core/tracing";
import type { Agent } from "../config/settings.ts";
import type { Place } from "../provider/model-error.ts";
import type { SessionFacts } from "../session/log.ts";
import type { TurnResult } from "./turn-types.ts";

/** The facts of a turn before it runs. */
interface TracedTurn {
  readonly hostId: string;
  readonly turnId: string;
  readonly facts: SessionFacts;
  readonly place: Place;
  readonly agent: Agent | null;
  readonly userId: string | undefined;
  /** The trace context of the caller. */
  readonly traceparent: string | undefined;
  /** The trace context in which a resumed turn started; null for a new turn. */
  readonly began: string | null;
  readonly now: () => number;
}

/** Runs a turn, or the rest of it, and publishes it on the tracing channel. `act` gets the trace context inside the turn. */
export function traceTurnOf(
  turn: TracedTurn,
  act: (traceparent: string | undefined) => Promise<TurnResult>,
): Promise<TurnResult> {
  const message = messageOf(turn);
  const startedAt = turn.now();
  return traceTurn(message, async () => {
    try {
      const result = await act(message.traceparent);
      fill(message, result);
      return result;
    } catch (error) {
      const code = isToolmountError(error) ? error.code : "INTERNAL";
      message.status = "failed";
      message.failure = { code, message: isToolmountError(error) ? error.message : "the host failed" };
      throw error;
    } finally {
      message.durationMs = turn.now() - startedAt;
    }
  });
}

function messageOf(turn: TracedTurn): TurnTrace {
  const { hostId, turnId, facts, place, agent, userId, traceparent, began } = turn;
  return {
    hostId,
    sessionId: facts.id,
    turnId,
    model: place.model,
    server: place.provider,
    agent:
      facts.agent === null || agent === null ? null : { name: facts.agent, description: agent.description },
    depth: facts.depth,
    resumed: began !== null,
    traceparent: began ?? traceparent,
    ...(facts.parentId === null ? {} : { parentSessionId: facts.parentId }),
    ...(userId === undefined ? {} : { userId }),
    ...(began === null || traceparent === undefined ? {} : { resumedBy: traceparent }),
  };
}

function fill(message: TurnTrace, { status, iterations, calls, usage, error }: TurnResult): void {
  Object.assign(message, { status, iterations, calls, usage });
  if (error !== undefined) message.failure = { code: error.code, message: error.message };
}
