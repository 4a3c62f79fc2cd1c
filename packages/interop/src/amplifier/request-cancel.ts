import type { Coordinator, EventData } from "@toolmount/core";
import type { AmplifierHooks } from "./hooks.ts";
import type { AmplifierSessions } from "./sessions.ts";

/** Remembers whether the gate that refuses calls of cancelled sessions is registered already. */
export interface CancelState {
  isGated: boolean;
}

interface CancelRequest {
  readonly coordinator: Coordinator;
  readonly hooks: AmplifierHooks;
  readonly sessions: AmplifierSessions;
  readonly state: CancelState;
}

/** Cancels the current session: its new calls are denied and, with `immediate`, its running calls are stopped. */
export async function requestCancel(
  { coordinator, hooks, sessions, state }: CancelRequest,
  immediate: boolean,
): Promise<void> {
  if (!state.isGated) coordinator.hooks.gate("tool:pre", (_, data) => refuseCancelled(sessions, data));
  state.isGated = true;
  const { cancellation } = sessions.current();
  const isNew = immediate ? cancellation.requestImmediate() : cancellation.requestGraceful();
  if (!isNew) return;
  const running = cancellation.runningToolNames;
  await hooks.emit("cancel:requested", { level: cancellation.state, running_tools: running });
  await cancellation.triggerCallbacks();
  await hooks.emit("cancel:completed", { was_immediate: cancellation.isImmediate, tools_cancelled: running });
}

function refuseCancelled(sessions: AmplifierSessions, { session_id: session, user_id: user }: EventData) {
  const { cancellation } = sessions.inSession(session, () => sessions.current(), user);
  return cancellation.isCancelled ? { action: "deny" as const, reason: "Request was cancelled" } : undefined;
}
