import type { WaitsFor } from "./entry.ts";
import type { SessionView } from "./view.ts";

/** A call that waits for an approver, the client, another process that runs it, or a sub-agent that itself waits. */
export interface WaitingCall {
  readonly callId: string;
  readonly tool: string;
  readonly waitsFor: WaitsFor;
  /**
   * For a call that the client runs: its arguments. For a sub-agent: `{ sessionId, waiting }`, with the calls for which
   * the sub-agent waits.
   */
  readonly arguments: unknown;
}

/** Returns the waiting calls of the open turn, in the order of the model's answer. */
export function waitingCalls(view: SessionView): readonly WaitingCall[] {
  return (view.turn?.calls ?? []).flatMap(({ call, waits }) =>
    waits === null
      ? []
      : [{ callId: call.callId, tool: waits.tool, waitsFor: waits.waitsFor, arguments: waits.arguments }],
  );
}

/** The value of the interrupt with which `session.spawn` stops a call whose sub-agent waits. */
export interface ChildWait {
  readonly waitsFor: "agent";
  readonly sessionId: string;
  readonly waiting: readonly WaitingCall[];
}

/** Tests whether an interrupt's value says that a session in `children` waits. It is checked, because any tool can throw one. */
export function isChildWait(value: unknown, children: readonly string[]): value is ChildWait {
  if (typeof value !== "object" || value === null) return false;
  const { waitsFor, sessionId, waiting } = value as { readonly [Member in keyof ChildWait]?: unknown };
  return waitsFor === "agent" && Array.isArray(waiting) && children.includes(String(sessionId));
}
