import type { Offer } from "@toolmount/core";
import { askModel, requireAllowed } from "../provider/ask-model.ts";
import { keptItems, message as messageOf, textOf, type Item } from "../provider/items.ts";
import { ModelError } from "../provider/model-error.ts";
import type { ModelEvent } from "../provider/model-events.ts";
import { canAnotherAnswer } from "../provider/ranked-models.ts";
import { noUsage } from "../provider/usage.ts";
import { incompleteText, missingAnswer } from "./last-answer.ts";
import { exchangeOf } from "./request.ts";
import type { Exchange } from "./request.ts";
import { createRepair, sendWhole } from "./repair.ts";
import { isStopped, type TurnState } from "./turn-state.ts";

/**
 * Emits `provider:request`, asks the model and stores its answer.
 *
 * If the server no longer has the last response, it gets the whole conversation. If the conversation is too long for it, it
 * gets a shorter one. If it refuses an image or a file, it gets the rest. If it cannot answer, the next model is asked.
 */
export async function requestAnswer(state: TurnState, offer: Offer): Promise<Exchange> {
  await announceRequest(state, offer);
  await takeLearned(state);
  let exchange = exchangeOf(state, offer);
  warn(state, exchange);
  const { ephemeral } = state;
  state.ephemeral = [];
  let repair = createRepair({ ...state, ephemeral }, offer);
  for (;;) {
    try {
      await ask(state, exchange);
      await repair.succeeded();
      return exchange;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (!(await repair.repair(error.failure))) {
        await askNext(state, error);
        repair = createRepair({ ...state, ephemeral }, offer);
      }
    }
    exchange = exchangeOf({ ...state, ephemeral }, offer);
  }
}

/** Switches to the next model of the ranking after a server cannot answer. Rejects with `error` if there is no other. */
async function askNext(state: TurnState, error: ModelError): Promise<void> {
  const next = isStopped(state) || !canAnotherAnswer(error) ? null : await state.nextModel();
  if (next === null) throw error;
  const { kind, provider, model, problem } = error.failure;
  // The budgets of the turn do not depend on the model.
  const settings = { ...next.settings, budgets: state.settings.budgets };
  Object.assign(state, { model: next.model, settings, nextModel: next.next });
  await takeLearned(state);
  // The new server does not have the last response, so it gets the whole conversation.
  if (state.log.view.response !== null) await sendWhole(state);
  state.emit({ type: "retry", kind, afterMs: 0 });
  const text = `${model} on ${provider} failed: ${problem.slice(0, 300)}; ${next.model.model} on ${next.model.provider} is asked`;
  state.emit({ type: "tool_warning", tool: "", message: text });
  const { provider: asked, model: name } = next.model;
  await state.coordinator.hooks.emit("provider:resolve", { ...state.ids, provider: asked, model: name });
}

/** Leaves out parts that the model's server refused in other sessions, without asking it again. */
async function takeLearned({ log, model, learned }: TurnState): Promise<void> {
  for (const one of await learned.of(model)) {
    const isKnown = log.view.refusedParts.some(
      ({ provider, model: name, digests, rule }) =>
        provider === one.provider &&
        name === one.model &&
        rule === one.rule &&
        (digests === null) === (one.digests === null),
    );
    if (!isKnown)
      await log.append({ kind: "refused_parts", ...one, digests: one.digests && [...one.digests] });
  }
}

/** Warns, before the first request of a turn, of settings that `strictSchemas` or the model cannot fulfil. */
function warn(state: TurnState, { notStrict, fallbacks }: Exchange): void {
  if (state.log.view.turn!.iteration > 0) return;
  for (const fallback of fallbacks) state.emit({ type: "tool_warning", tool: "", message: fallback });
  if (notStrict.length === 0) return;
  const warning = `strict mode cannot express the schemas of ${notStrict.join(", ")}; they are sent without it`;
  state.coordinator.logger.warn({ ...state.ids, tools: notStrict }, warning);
  state.emit({ type: "tool_warning", tool: "", message: warning });
}

async function announceRequest(state: TurnState, offer: Offer): Promise<void> {
  const { coordinator, settings, model, log, ids, injections } = state;
  const { iteration } = log.view.turn!;
  const answer = await coordinator.hooks.emit("provider:request", {
    ...ids,
    provider: model.provider,
    model: model.model,
    mode: offer.mode,
    iteration: iteration + 1,
    iterations_remaining: settings.maxIterations - iteration - 1,
    tools: offer.tools.map(({ name }) => name),
  });
  requireAllowed(answer, "the request to the model");
  const { kept, ephemeral } = await injections.ofHook(answer, "provider:request");
  state.ephemeral.push(...ephemeral);
  if (kept.length > 0) await log.append({ kind: "note", items: [...kept] });
}

async function ask(state: TurnState, exchange: Exchange): Promise<void> {
  const { model, settings, coordinator, emit, log, clock, hostId, traceparent, turnId, ids } = state;
  let partial = "";
  const report = (event: ModelEvent) => {
    if (event.type === "text_delta") partial += event.text;
    if (event.type === "retry") partial = "";
    emit(event);
  };
  const asking = askModel(exchange.request, {
    model,
    settings,
    hooks: coordinator.hooks,
    ids,
    signal: state.controller.signal,
    emit: report,
    trace: { hostId, sessionId: log.facts.id, turnId, traceparent },
    now: () => clock.now(),
  });
  const answer = await asking.catch(async (error: unknown) => {
    if (isStopped(state)) await keepPartial(state, partial);
    throw error;
  });
  const { responseId, usage } = answer;
  await state.spending.add(state, usage);
  const items = keptItems(answer.items, settings.store !== false, takenIds(state));
  const incomplete = answer.incomplete ?? missingAnswer(answer.items);
  const isByResponse = settings.store === "continue" && model.abilities.serverState;
  await log.append({
    kind: "answer",
    items,
    responseId: isByResponse ? responseId : null,
    usage,
    inputTokens: usage.inputTokens,
    incomplete,
  });
  const text = textOf(items);
  if (text !== "") {
    state.text = text;
    emit({ type: "text", text });
  }
  // After a first empty answer the model is asked again, so no warning is needed yet.
  if (incomplete !== null && incomplete !== "empty")
    emit({ type: "tool_warning", tool: "", message: incompleteText(incomplete) });
}

/** Keeps the text of a cancelled request, because the user has read it. No server reports its tokens. */
async function keepPartial(state: TurnState, text: string): Promise<void> {
  const { log } = state;
  state.text = text;
  await log.append({
    kind: "answer",
    items: text === "" ? [] : [messageOf("assistant", text)],
    responseId: null,
    usage: { ...noUsage, requests: 1 },
    inputTokens: log.view.lastInputTokens,
    incomplete: "cancelled",
  });
}

/** Returns the ids of calls in the conversation; none if the server continues from its last response, which has its own ids. */
function takenIds({ log, settings }: TurnState): readonly Item[string][] {
  return settings.store === "continue"
    ? []
    : log.view.items.flatMap(({ call_id: id }) => (id === undefined ? [] : [id]));
}
