import { randomUUID } from "node:crypto";
import type { Item } from "../provider/items.ts";
import type { CallState } from "../session/view.ts";
import type { Calling } from "./calling.ts";
import { openQuestions, questionsOf, voidQuestion } from "./questions.ts";
import { resumeCall, runCall } from "./run-call.ts";
import type { ClientResult } from "./turn-types.ts";
import { answerOverBudget, answerUnknown } from "./unanswered.ts";

/**
 * Answers the calls of an answer that have no output yet, all at the same time, each exactly once. Calls that wait stay without
 * output.
 *
 * The log names a call before it may run. A call that may have run in an earlier process runs again only if `callsToRepeat`
 * returns it; else its outcome is unknown. Resolves to the items that hooks inject into the next request only.
 */
export async function answerCalls(
  calling: Calling,
  clientResults: ReadonlyMap<string, ClientResult>,
): Promise<readonly Item[]> {
  const { log } = calling;
  const turn = log.view.turn!;
  const open = turn.calls.filter((state) => state.output === null && !isLeftToCancel(state, calling));
  const again = await callsToRepeat(open, calling);
  const fresh = open.filter((state) => (!state.started && state.waits === null) || again.has(state));
  const group = turn.group ?? randomUUID();
  const callIds = fresh.map(({ call }) => call.callId);
  if (callIds.length > 0) await log.append({ kind: "started", group, callIds });
  const ephemeral: Item[] = [];
  let left = calling.mayRun;
  const works = open.map((state) => {
    if (fresh.includes(state))
      return left-- > 0 ? runCall(state, group, calling, ephemeral) : answerOverBudget(state, calling);
    if (state.waits === null) return answerUnknown(state, calling);
    return resumeCall(state, clientResults.get(state.call.callId), calling, ephemeral);
  });
  const settled = await Promise.allSettled(works);
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return ephemeral;
}

/** Tests whether the end of a stopped turn will cancel the call's sub-agent, and then answer the call. */
function isLeftToCancel({ child }: CallState, { context }: Calling): boolean {
  return context.abortSignal?.aborted === true && child !== null && !child.ended;
}

/**
 * Returns the calls that began earlier, in this process or another, and that run again.
 *
 * These are calls whose question was open, which is asked again; calls that may run twice without harm; and calls with a
 * sub-agent, which keep its session. A call whose question was decided meanwhile is not among them, because it is resumed with
 * the decision.
 */
async function callsToRepeat(open: readonly CallState[], calling: Calling): Promise<ReadonlySet<CallState>> {
  const begun = open.filter(
    ({ started, waits, child }) => started && (waits === null || waits.asking || child !== null),
  );
  const again = new Set<CallState>();
  if (begun.length === 0) return again;
  const questions = await openQuestions(calling);
  for (const state of begun) {
    const { waits, child, call } = state;
    const asked = questionsOf(questions, state);
    const [question] = asked;
    if (child !== null) again.add(state);
    else if (waits === null && calling.isIdempotent(calling.readCall(call).name)) again.add(state);
    if (question === undefined) continue;
    if (waits !== null && child === null && question.state !== "pending") continue; // its decision is used
    again.add(state);
    for (const one of asked) await voidQuestion(calling, one, "the question is asked again");
  }
  return again;
}
