import { errorMessage } from "@toolmount/core";
import type { CallState } from "../session/view.ts";
import type { Calling } from "./calling.ts";
import { cancelledText, textOutput } from "./model-text.ts";
import { voidQuestions } from "./questions.ts";

/** Answers a started call without a recorded output: the model reads that it may have run. */
export function answerUnknown(state: CallState, calling: Calling): Promise<void> {
  const tool = calling.readCall(state.call).name;
  const text = `Error: ${errorMessage("OUTCOME_UNKNOWN", { tool })} [OUTCOME_UNKNOWN]`;
  return answerWith(state, "unknown", text, calling);
}

/**
 * Answers the calls of an answer that was cut, for any reason. None of them runs, because the missing part of a call's arguments
 * may be one that limits what the call does, even if the rest is valid.
 */
export async function answerCut(calling: Calling, reason: string): Promise<void> {
  for (const state of unansweredOf(calling)) {
    const tool = calling.readCall(state.call).name;
    const text = `Error: ${errorMessage("ANSWER_CUT", { tool, reason })} [ANSWER_CUT]`;
    await answerWith(state, "failed", text, calling);
  }
}

/** Answers a call for which the turn has no budget. */
export function answerOverBudget(state: CallState, calling: Calling): Promise<void> {
  const text =
    "Error: the budget of calls of this turn is used up; the call did not run [AGENT_BUDGET_EXHAUSTED]";
  return answerWith(state, "denied", text, calling);
}

/** Answers the calls of a cancelled turn. Their questions become void, and the turns of their sub-agents are cancelled. */
export async function answerCancelled(calling: Calling): Promise<void> {
  const open = unansweredOf(calling);
  await voidQuestions(open, calling);
  for (const state of open) {
    if (state.child !== null && !state.child.ended) await calling.cancelChild(state.child.sessionId);
    const tool = calling.readCall(state.call).name;
    await answerWith(state, "cancelled", cancelledText(tool), calling);
  }
}

export async function answerFailed(calling: Calling): Promise<void> {
  const open = unansweredOf(calling);
  await voidQuestions(open, calling);
  for (const state of open) {
    if (state.child !== null && !state.child.ended) await calling.cancelChild(state.child.sessionId);
    if (state.started && state.waits === null) await answerUnknown(state, calling);
    else await answerWith(state, "failed", "Error: the turn failed before the call ran", calling);
  }
}

function unansweredOf({ log }: Calling): readonly CallState[] {
  return (log.view.turn?.calls ?? []).filter(({ output }) => output === null);
}

async function answerWith(
  { call }: CallState,
  status: string,
  text: string,
  { log, emit, readCall, repaired }: Calling,
): Promise<void> {
  await log.append({ kind: "output", callId: call.callId, item: textOutput(call.callId, text), status });
  await repaired(call.callId, status);
  emit({ type: "tool_result", callId: call.callId, tool: readCall(call).name, status, durationMs: 0, text });
}
