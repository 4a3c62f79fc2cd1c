import { isToolmountError, type ApprovalView } from "@toolmount/core";
import type { CallState } from "../session/view.ts";
import type { Calling } from "./calling.ts";

/** Who decides a question whose turn has ended, as the record of the approval names it. */
const turnItself = "the turn that asked";

/** Questions of this turn's own calls that are open, or decided and not used. */
export async function openQuestions({ host, session, context }: Calling): Promise<readonly ApprovalView[]> {
  const states = ["pending", "approved", "denied", "handed"] as const;
  const views = await host.approvals.list({ sessionId: session.id, states, limit: 10_000 });
  return views.filter(({ info }) => info.turnId === context.turnId && info.depth === 0);
}

/** The question of one call. */
export function questionOf(
  questions: readonly ApprovalView[],
  { call }: CallState,
): ApprovalView | undefined {
  return questions.find(({ info }) => info.callId === call.callId);
}

/** Makes a question undecidable: a pending one is denied, an approval that was not used is revoked. */
export async function voidQuestion(
  { host }: Pick<Calling, "host">,
  { id, state }: ApprovalView,
  reason: string,
): Promise<void> {
  try {
    if (state === "pending") await host.approvals.decide(id, { decision: "deny", reason }, turnItself);
    if (state === "approved") await host.approvals.revoke(id);
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
    const question = questionOf(questions, state);
    if (question === undefined) continue;
    await voidQuestion(calling, question, "its turn ended before the answer");
    await endRecord(state.waits!.ticket, calling);
  }
}

/** The host ends the record of a denied call when the call is resumed. */
async function endRecord(ticket: string, { session, context }: Calling): Promise<void> {
  try {
    await session.resume(ticket, { ...context, abortSignal: undefined });
  } catch (error) {
    if (!isToolmountError(error)) throw error; // the record is gone or already ended
  }
}
