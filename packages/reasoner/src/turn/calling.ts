import type { Host, Session, SessionCallContext } from "@toolmount/core";
import type { SessionLog } from "../session/log.ts";
import { callsLeft } from "./budgets.ts";
import type { Injections } from "./injections.ts";
import type { LiveTurn } from "./live-turns.ts";
import type { Exchange } from "./request.ts";
import type { TurnState } from "./turn-state.ts";
import type { TurnEvent } from "./turn-types.ts";

/** What is needed to run the calls of one answer. */
export interface Calling {
  readonly host: Pick<Host, "approvals">;
  readonly session: Session;
  readonly log: SessionLog;
  readonly live: LiveTurn;
  readonly readCall: Exchange["readCall"];
  readonly context: SessionCallContext;
  readonly injections: Injections;
  readonly emit: (event: TurnEvent) => void;
  /** Called for each call that was answered without its tool. */
  readonly repaired: (callId: string, status: string) => Promise<unknown>;
  /** The number of calls that may still run. The others are answered without running. */
  readonly mayRun: number;
  readonly isIdempotent: (tool: string) => boolean;
  readonly cancelChild: (sessionId: string) => Promise<void>;
}

/** Returns what is needed to run the calls of the last answer, from the current state of the turn. */
export function callingOf(state: TurnState, exchange: Exchange): Calling {
  const { host, session, log, live, emit, userId, conversationId, traceparent, coordinator, ids, words } =
    state;
  return {
    host,
    session,
    log,
    live,
    readCall: (call) => exchange.readCall(call),
    context: {
      turnId: state.turnId,
      userId,
      conversationId,
      traceparent,
      abortSignal: state.controller.signal,
      rehearsal: state.rehearsal,
      ...words(),
    },
    injections: state.injections,
    emit,
    repaired: (callId, status) =>
      coordinator.hooks.emit("provider:tool_sequence_repaired", { ...ids, tool_call_id: callId, status }),
    mayRun: callsLeft(state),
    isIdempotent: (name) => live.idempotent.has(name),
    cancelChild: state.cancelChild,
  };
}
