import { isToolmountError, type ApprovalView } from "@toolmount/core";
import type { CallState } from "../session/view.ts";
import type { Calling } from "./calling.ts";

/** The name of the approver in the record of a question that the end of its turn decided. */
const turnItself = "the turn that asked";

/**
 * Returns the questions of this turn that are open, or decided but not used, about its own calls and calls that their tools
 * made. A call whose tool waits for such an inner call is listed too, with the state `suspended`.
 */
export async function openQuestions({ host, session, context }: Calling): Promise<readonly ApprovalView[]> {
  const states = ["pending", "approved", "denied", "handed", "suspended"] as const;
  const views = await host.approvals.list({ sessionId: session.id, states, limit: 10_000 });
  return views.filter(({ info }) => info.turnId === context.turnId);
}

/** Returns the questions of one call: its own first, then those of calls that its tool made. */
export function questionsOf(
  questions: readonly ApprovalView[],
  { call }: CallState,
): readonly ApprovalView[] {
  return questions
    .filter(({ info }) => info.callId === call.callId)
    .toSorted((one, other) => one.info.depth - other.info.depth);
}

/** Makes a question void: denies it if it is pending, and revokes it if it is approved or suspended. */
export async function voidQuestion(
  { host }: Pick<Calling, "host">,
  { id, state }: ApprovalView,
  reason: string,
): Promise<void> {
  try {
    if (state === "pending") await host.approvals.decide(id, { decision: "deny", reason }, turnItself);
    if (state === "approved" || state === "suspended") await host.approvals.revoke(id);
  } catch (error) {
    if (!isToolmountError(error)) throw error; // it was decided or ended meanwhile
  }
}

/** Voids the questions of calls that are answered without their tool, and ends the records of those calls. */
export async function voidQuestions(states: readonly CallState[], calling: Calling): Promise<void> {
  const waiting = states.filter(({ output, waits }) => output === null && waits?.waitsFor === "approval");
  if (waiting.length === 0) return;
  const questions = await openQuestions(calling);
  for (const state of waiting) {
    const asked = questionsOf(questions, state);
    if (asked.length === 0) continue;
    for (const question of asked) await voidQuestion(calling, question, "its turn ended before the answer");
    await endRecord(state.waits!.ticket, calling);
  }
}

/** Resumes a denied call, so that the host ends its record. */
async function endRecord(ticket: string, { session, context }: Calling): Promise<void> {
  try {
    await session.resume(ticket, { ...context, abortSignal: undefined });
  } catch (error) {
    if (!isToolmountError(error)) throw error; // the record is gone or already ended
  }
}
