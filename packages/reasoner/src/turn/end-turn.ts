import { errorMessage, isToolmountError, ToolmountError } from "@toolmount/core";
import { traceFields } from "@toolmount/core/tracing";
import { costOf } from "../provider/usage.ts";
import type { EndStatus } from "../session/entry.ts";
import { conflict } from "../session/log.ts";
import { waitingCalls } from "../session/waiting.ts";
import { exchangeOf, offerTools } from "./request.ts";
import { answerCancelled, answerFailed } from "./unanswered.ts";
import { incompleteText, readOutput } from "./last-answer.ts";
import { callingOf } from "./calling.ts";
import type { Exchange } from "./request.ts";
import { isStopped, type TurnState } from "./turn-state.ts";
import type { TurnResult } from "./turn-types.ts";

/** Ends a turn whose last answer has no calls. With `outputSchema`, an answer that does not match the schema fails the turn. */
export async function completeTurn(state: TurnState, text: string): Promise<TurnResult> {
  const { incomplete } = state.log.view.turn!;
  if (incomplete === "empty")
    state.emit({ type: "tool_warning", tool: "", message: incompleteText(incomplete) });
  if (incomplete !== null) return endTurn(state, "incomplete", text);
  const { outputSchema } = state.settings;
  if (outputSchema === undefined) return endTurn(state, "done", text);
  const output = readOutput(text, outputSchema, state.model);
  return output.ok
    ? { ...(await endTurn(state, "done", text)), data: output.value }
    : endTurn(state, "failed", text, output.error);
}

/** Stops a turn with waiting calls. `resume` continues it. */
export async function pauseTurn(state: TurnState): Promise<TurnResult> {
  const { log, emit, coordinator, ids } = state;
  await log.save();
  const waiting = waitingCalls(log.view);
  emit({ type: "hitl", waiting });
  const result = resultOf(state, "paused", state.text, waiting);
  await coordinator.hooks.emit("orchestrator:complete", { ...ids, status: "paused", ...countsOf(result) });
  return result;
}

/** Answers every call of a stopped turn, then ends it. */
export async function stopTurn(state: TurnState, exchange: Exchange): Promise<TurnResult> {
  const { coordinator, settings, ids, controller } = state;
  await coordinator.hooks.emit("cancel:requested", { ...ids, immediate: controller.signal.aborted });
  await answerCancelled(callingOf(state, exchange));
  await coordinator.hooks.emit("cancel:completed", ids);
  if (!state.isOutOfTime) return endTurn(state, "cancelled", state.text);
  const details = { budget: "milliseconds", limit: settings.budgets.ms! };
  return endTurn(state, "failed", state.text, new ToolmountError("AGENT_BUDGET_EXHAUSTED", details));
}

/** Ends a turn with an error, after each call got an output, because a server refuses a conversation with an unanswered call. */
export async function failTurn(state: TurnState, error: unknown): Promise<TurnResult> {
  const { coordinator, log, ids, traceparent } = state;
  // Another process continues the turn, so it did not fail.
  if (log.isLost) throw conflict(log.facts.id, "another process resumed it");
  if (isStopped(state)) return stopTurn(state, exchangeOf(state, await offerTools(state)));
  const known = isToolmountError(error) ? error : new ToolmountError("INTERNAL", {}, { cause: error });
  const { code } = known;
  const fields = { ...ids, ...traceFields(traceparent), err: error, code };
  coordinator.logger.error(fields, `a turn failed: ${known.message}`);
  if (log.view.turn!.calls.length > 0)
    await answerFailed(callingOf(state, exchangeOf(state, await offerTools(state))));
  return endTurn(state, "failed", state.text || lastWords(state, known), known);
}

/** Returns the text of a turn that ended before the model wrote one; empty if the turn did not reach its limit of requests. */
function lastWords({ log }: TurnState, { code, message }: ToolmountError): string {
  if (code !== "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED") return "";
  const { iteration, callCount } = log.view.turn!;
  return `The turn stopped after ${iteration} requests and ${callCount} calls, before the model gave an answer: ${message}. The results are in the session: send another message to continue, or raise maxIterations.`;
}

async function endTurn(
  state: TurnState,
  status: EndStatus,
  text: string,
  error?: ToolmountError,
): Promise<TurnResult> {
  const { log, emit, coordinator, session, ids } = state;
  state.live.isOver = true;
  const result = resultOf(state, status, text, [], error);
  await log.append({
    kind: "end",
    status,
    text,
    state: session.snapshot(),
    ...(error !== undefined && { code: error.code, message: textOfError(error) }),
  });
  await log.save();
  if (error !== undefined) emit({ type: "error", code: error.code, message: error.message });
  await coordinator.hooks.emit("prompt:complete", { ...ids, status, response: text });
  await coordinator.hooks.emit("orchestrator:complete", { ...ids, status, ...countsOf(result) });
  return result;
}

function resultOf(
  { log, settings, turnId }: TurnState,
  status: TurnResult["status"],
  text: string,
  waiting: TurnResult["waiting"],
  error?: ToolmountError,
): TurnResult {
  const { iteration, callCount, usage, incomplete } = log.view.turn!;
  return {
    sessionId: log.facts.id,
    turnId,
    status,
    text,
    ...(status === "incomplete" && incomplete !== null && { incomplete }),
    ...(error !== undefined && {
      error: { code: error.code, message: textOfError(error), details: plain(error.details) },
    }),
    waiting,
    iterations: iteration,
    calls: callCount,
    usage,
    cost: costOf(usage, settings.prices),
  };
}

function textOfError({ code, details }: ToolmountError): string {
  return errorMessage(code, details as never);
}

function plain(details: object): object {
  return JSON.parse(JSON.stringify(details)) as object;
}

function countsOf({ iterations, calls, usage }: TurnResult) {
  return { iterations, calls, usage };
}
