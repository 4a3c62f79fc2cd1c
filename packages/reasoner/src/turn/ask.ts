import type { Offer } from "@toolmount/core";
import { guidanceBesideDefinitions } from "@toolmount/core/sessions";
import { askModel, requireAllowed } from "../provider/ask-model.ts";
import { keptItems, textOf, type Item } from "../provider/items.ts";
import { ModelError } from "../provider/model-error.ts";
import { admits } from "./live-turns.ts";
import { createExchange, type Exchange } from "./request.ts";
import type { TurnState } from "./turn-state.ts";

/** The tools for the next request. Mode and activation may have changed, and an agent may have fewer tools. */
export async function offerTools({ session, live, turnId }: TurnState): Promise<Offer> {
  const offer = await session.offer({ turnId });
  if (live.allowed.length === 0) return offer;
  const isAllowed = ({ name }: { readonly name: string }) => admits(live.allowed, name);
  const tools = offer.tools.filter(isAllowed);
  const available = offer.available.filter(isAllowed);
  return { ...offer, tools, available, guidance: guidanceBesideDefinitions(tools, available) };
}

/** The next request: the conversation, the injected items and the offered tools. */
export function exchangeOf(state: TurnState, offer: Offer): Exchange {
  const { log, settings, agent, ephemeral, model } = state;
  const instructions = [settings.instructions, agent?.instructions];
  return createExchange({ view: log.view, offer, ephemeral, instructions, settings, model });
}

/**
 * Emits `provider:request`, asks the model and stores its answer. A server that no longer has the last response gets
 * the whole conversation.
 */
export async function requestAnswer(state: TurnState, offer: Offer): Promise<Exchange> {
  await announceRequest(state, offer);
  const exchange = exchangeOf(state, offer);
  warn(state, exchange);
  const { log, ephemeral } = state;
  state.ephemeral = [];
  try {
    await ask(state, exchange);
    return exchange;
  } catch (error) {
    const isGone =
      error instanceof ModelError && error.failure.providerCode === "previous_response_not_found";
    if (!isGone) throw error;
  }
  await log.append({ kind: "compacted", items: [...log.view.items] });
  const whole = exchangeOf({ ...state, ephemeral }, offer);
  await ask(state, whole);
  return whole;
}

/** Warns, before the first request of a turn, of what `strictSchemas` and the model cannot do. */
function warn(state: TurnState, { notStrict, fallbacks }: Exchange): void {
  if (state.log.view.turn!.iteration > 0) return;
  for (const message of fallbacks) state.emit({ type: "tool_warning", tool: "", message });
  if (notStrict.length === 0) return;
  const message = `strict mode cannot express the schemas of ${notStrict.join(", ")}; they are sent without it`;
  state.coordinator.logger.warn({ ...state.ids, tools: notStrict }, message);
  state.emit({ type: "tool_warning", tool: "", message });
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
  const answer = await askModel(exchange.request, {
    model,
    settings,
    hooks: coordinator.hooks,
    ids,
    signal: state.controller.signal,
    emit,
    trace: { hostId, sessionId: log.facts.id, turnId, traceparent },
    now: () => clock.now(),
  });
  const { responseId, usage, incomplete } = answer;
  const items = keptItems(answer.items, settings.store, takenIds(state));
  const isByResponse = settings.continueBy === "response" && model.abilities.serverState;
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
  if (incomplete !== null)
    emit({ type: "tool_warning", tool: "", message: `the answer is cut: ${incomplete}` });
}

/** Call ids of the conversation. A server that continues from its own last response knows its calls by its own ids. */
function takenIds({ log, settings }: TurnState): readonly Item[string][] {
  return settings.continueBy === "response"
    ? []
    : log.view.items.flatMap(({ call_id: id }) => (id === undefined ? [] : [id]));
}
