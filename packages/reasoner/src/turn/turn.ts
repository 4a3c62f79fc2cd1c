import { isToolmountError, ToolmountError, type Offer } from "@toolmount/core";
import { triesAgain } from "./last-answer.ts";
import { requestAnswer } from "./ask.ts";
import { message } from "../provider/items.ts";
import { enterMode } from "./bootstrap.ts";
import { requireBudget } from "./budgets.ts";
import { callingOf } from "./calling.ts";
import { answerCalls } from "./calls.ts";
import { compact } from "./compaction.ts";
import { completeTurn, failTurn, pauseTurn, stopTurn } from "./end-turn.ts";
import { exchangeOf, offerTools, type Exchange } from "./request.ts";
import { createTurnState, isStopped, type TurnParts, type TurnState } from "./turn-state.ts";
import type { ClientResult, TurnResult } from "./turn-types.ts";
import { answerCut } from "./unanswered.ts";

/**
 * Runs the open turn of a session from its current state to its end, or until its calls wait. Errors are in the result; it
 * rejects only with `SESSION_CONFLICT`, if another process has the turn.
 */
export async function runTurn(
  parts: TurnParts,
  clientResults: readonly ClientResult[] = [],
): Promise<TurnResult> {
  const state = createTurnState(parts);
  const { coordinator, log, emit, model, ids, turnId } = state;
  const unwatch = watchStop(state);
  emit({ type: "begin", sessionId: log.facts.id, turnId });
  await coordinator.hooks.emit("execution:start", ids);
  const { provider, model: name } = model;
  await coordinator.hooks.emit("provider:resolve", { ...ids, provider, model: name });
  try {
    return await loop(state, new Map(clientResults.map((result) => [result.callId, result])));
  } catch (error) {
    if (isToolmountError(error) && error.code === "SESSION_CONFLICT") throw error;
    return await failTurn(state, error);
  } finally {
    unwatch();
    await coordinator.hooks.emit("execution:end", ids);
  }
}

/** The turn ends after this many answers in a row that were cut during their calls. */
const maxCuts = 2;

async function loop(state: TurnState, clientResults: ReadonlyMap<string, ClientResult>): Promise<TurnResult> {
  const { view } = state.log;
  // After an earlier process stored the last answer and then ended, only the end of the turn remains.
  const { finalText } = view.turn!;
  if (finalText !== null && !(await triesAgain(state, finalText)) && takesNoMore(state))
    return completeTurn(state, finalText);
  await enterModeOf(state);
  let offer = await offerTools(state);
  let exchange = exchangeOf(state, offer);
  let given = clientResults;
  for (;;) {
    if (view.turn!.calls.length > 0) {
      await runCalls(state, offer, exchange, given);
      given = new Map();
      if (!isStopped(state) && view.turn!.calls.length > 0) return pauseTurn(state);
      if (view.turn!.cuts >= maxCuts) return completeTurn(state, state.text);
    }
    if (isStopped(state)) return stopTurn(state, exchange);
    await takeMessages(state);
    requireBudget(state);
    await state.spending.require(state);
    requireIteration(state);
    offer = await offerTools(state);
    await compact(state, offer);
    exchange = await requestAnswer(state, offer);
    if (view.turn!.calls.length > 0 || hasMessages(state)) continue;
    if (!(await triesAgain(state, state.text)) && takesNoMore(state)) return completeTurn(state, state.text);
  }
}

/** Adds messages that the user wrote during the turn to the conversation, between two rounds. */
async function takeMessages({ log, emit }: TurnState): Promise<void> {
  await log.settled();
  const { messages } = log.view.turn!;
  while (messages.length > 0) {
    const { text } = messages[0]!;
    await log.append({ kind: "again", items: [message("user", text)], byUser: true });
    emit({ type: "message", text });
  }
}

function hasMessages({ log, live }: TurnState): boolean {
  return live.adding > 0 || log.view.turn!.messages.length > 0;
}

/** Tests whether the turn can end. If so, later messages are refused, so that none is lost. */
function takesNoMore(state: TurnState): boolean {
  state.live.isOver = !hasMessages(state);
  return state.live.isOver;
}

async function runCalls(
  state: TurnState,
  offer: Offer,
  exchange: Exchange,
  given: ReadonlyMap<string, ClientResult>,
): Promise<void> {
  const { incomplete, calls } = state.log.view.turn!;
  if (incomplete !== null && !calls.some(({ started }) => started))
    return answerCut(callingOf(state, exchange), incomplete);
  state.live.offered = new Set(offer.tools.map(({ name }) => name));
  state.ephemeral.push(...(await answerCalls(callingOf(state, exchange), given)));
}

function requireIteration({ log, settings: { maxIterations } }: TurnState): void {
  if (log.view.turn!.iteration >= maxIterations)
    throw new ToolmountError("AGENT_REASONER_MAX_ITERATIONS_EXCEEDED", { maxIterations });
}

/** Runs the bootstrap calls of a mode that the session has entered. */
async function enterModeOf(state: TurnState): Promise<void> {
  const { log, session, settings, coordinator, live, userId, emit, traceparent, turnId, controller } = state;
  if (log.view.turn!.calls.length > 0) return;
  const steps = Object.values(settings.bootstrap).flat();
  live.offered = new Set(steps.map(({ tool }) => tool));
  const problem = await enterMode({
    log,
    session,
    settings,
    coordinator,
    turnId,
    signal: controller.signal,
    userId,
    conversationId: state.conversationId,
    traceparent,
    words: { ...state.words(), ...(state.rehearsal && { rehearsal: state.rehearsal }) },
    isIdempotent: (tool) => live.idempotent.has(tool),
  });
  if (problem !== null) emit({ type: "tool_warning", tool: "", message: problem });
}

/** Aborts the turn with the caller's signal, the session's token, or at its time limit. Returns a function that undoes this. */
function watchStop(state: TurnState): () => void {
  const { abortSignal, session, settings, clock, log, controller } = state;
  const abort = () => void (controller.signal.aborted || controller.abort());
  if (abortSignal?.aborted === true || session.cancellation.isImmediate) abort();
  abortSignal?.addEventListener("abort", abort, { once: true });
  const unsubscribe = session.cancellation.onChange((level) => level === "immediate" && abort());
  const { ms } = settings.budgets;
  const { activeMs } = log.view.turn!;
  const startedAt = clock.now();
  // The time before a pause counts, but not the pause.
  log.stopwatch = () => activeMs + Math.max(0, clock.now() - startedAt);
  const expire = () => {
    state.isOutOfTime = true;
    abort();
  };
  const timer = ms === undefined ? undefined : clock.setTimer(expire, Math.max(1, ms - activeMs));
  return () => {
    abortSignal?.removeEventListener("abort", abort);
    unsubscribe();
    timer?.cancel();
    log.stopwatch = null;
  };
}
