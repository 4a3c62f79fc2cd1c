import type { Offer } from "@toolmount/core";
import type { ModelFailure } from "@toolmount/interop";
import { isRefused, partDigest, partsOf, type RefusedParts } from "../provider/refused-parts.ts";
import { message } from "../provider/items.ts";
import { rulesOf } from "../provider/legal-items.ts";
import { compact, contextSize } from "./compaction.ts";
import type { TurnState } from "./turn-state.ts";

/** Maximum number of repairs of one request, because a server may refuse each repaired request for another reason. */
const maxRepairs = 4;

/** Creates the functions that repair a conversation after a failure that each later request would meet too. */
export function createRepair(state: TurnState, offer: Offer) {
  let tries = 0;
  /** Tokens of the conversation that was shortened on a guess that it was too long; null without such a guess. */
  let guessed: number | null = null;
  return {
    /** Repairs the conversation. Resolves to whether the request can be sent again. */
    async repair(failure: ModelFailure): Promise<boolean> {
      if (++tries > maxRepairs) return false;
      if (failure.kind === "context_length") return compact(state, offer, "refused");
      if (failure.refused !== undefined) return leaveOutRefused(state, failure);
      if (failure.kind === "invalid_tool_call") return askAgain(state, failure);
      if (failure.providerCode === "previous_response_not_found") return sendWhole(state);
      if (guessed !== null || !mayBeTooLong(state, offer, failure)) return false;
      guessed = contextSize(state, offer);
      return compact(state, offer, "guessed");
    },
    /** Notes that a shorter conversation was answered, so the longer one was too long. */
    async succeeded(): Promise<void> {
      if (guessed !== null) await state.log.append({ kind: "refused", tokens: guessed });
    },
  };
}

/** Informs the model, once, that its server could not read its call. No call ran, so none can run twice. */
async function askAgain({ log, emit }: TurnState, { kind, rawArguments }: ModelFailure): Promise<boolean> {
  if (log.view.turn!.tries > 0) return false;
  const written = rawArguments === undefined ? "" : ` You wrote: ${rawArguments.slice(0, 1_000)}`;
  const text = `[The server could not read your last call, so no tool ran.${written} Make the call again: a name of an offered tool, and arguments in JSON.]`;
  await log.append({ kind: "again", items: [message("developer", text)] });
  emit({ type: "retry", kind, afterMs: 0 });
  return true;
}

/** Makes the next request contain the whole conversation, instead of only new items since a stored response. */
export async function sendWhole({ log }: Pick<TurnState, "log">): Promise<boolean> {
  await log.append({ kind: "compacted", items: [...log.view.items] });
  return true;
}

/**
 * Leaves out what the server refused: single images or files since its last answer if there are any, else all. The session's
 * log has the refusal, so that it holds for later requests to this model. Resolves to whether something was left out.
 */
async function leaveOutRefused(state: TurnState, failure: ModelFailure): Promise<boolean> {
  const { refused, problem } = failure;
  if (refused === "schema" || refused === "call_id") return changeForm(state, refused, problem);
  const { log, model, ephemeral, learned } = state;
  const { provider } = model;
  const { items, counted: answered, refusedParts } = log.view;
  const rules = rulesOf(model, refusedParts);
  const sentOf = (some: typeof items) => partsOf(some, refused).filter((part) => !isRefused(part, rules));
  const all = sentOf([...items, ...ephemeral]);
  const newest = sentOf([...items.slice(answered), ...ephemeral]);
  const isAll = refused === "images" || refused === "reasoning" || newest.length === 0;
  const parts = isAll ? all : newest;
  if (parts.length === 0) return false;
  const digests = refused === "images" ? null : [...new Set(parts.map(partDigest))];
  await log.append({ kind: "refused_parts", provider, model: model.model, digests });
  await learned.add({ provider, model: model.model, digests });
  const counted = `${parts.length} ${refused === "file" ? "file" : "image"}${parts.length === 1 ? "" : "s"}`;
  const what = refused === "reasoning" ? "the model's earlier reasoning" : counted;
  report(state, what, problem, "the conversation is sent without");
  return true;
}

function report({ emit, model }: TurnState, what: string, problem: string, change: string): void {
  const text = `${model.provider} refused ${what}: ${problem.slice(0, 300)}; ${change}`;
  emit({ type: "tool_warning", tool: "", message: text });
}

/** Changes the refused parts to the form that every known server accepts. Resolves to false if they already have that form. */
async function changeForm(
  state: TurnState,
  rule: NonNullable<RefusedParts["rule"]>,
  problem: string,
): Promise<boolean> {
  const { log, model, learned } = state;
  const { provider } = model;
  const known = log.view.refusedParts.filter((one) => one.provider === provider && one.model === model.model);
  if (known.some((one) => one.rule === rule)) return false;
  await log.append({ kind: "refused_parts", provider, model: model.model, digests: [], rule });
  await learned.add({ provider, model: model.model, digests: [], rule });
  if (rule === "schema")
    report(state, "the schema of a tool", problem, "the tools are sent with plain types");
  else report(state, "the id of a call", problem, "ids are sent in a shorter form");
  return true;
}

/** Size in tokens below which no known model finds a conversation too long. */
const smallestWindow = 4_000;

/** The share of the largest answered request above which the next one may be too long. Estimates may be a quarter too low. */
const near = 0.75;

/**
 * Tests whether a refusal without a reason may mean that the conversation is too long: it is at least near the size of the
 * largest answered request, and fills a large part of the model's window.
 */
function mayBeTooLong(state: TurnState, offer: Offer, { kind, problem }: ModelFailure): boolean {
  if (kind !== "invalid_request" || otherReasons.test(problem)) return false;
  const { contextTokens = 0 } = state.model;
  const size = contextSize(state, offer);
  return size >= Math.max(smallestWindow, contextTokens / 2, state.log.view.largestTokens * near);
}

/** Words of a refusal for which a shorter conversation would not help. */
const otherReasons =
  /tool|function|schema|parameter|role|reasoning|thinking|signature|temperature|unknown|unrecogni[sz]ed|unsupported|not (supported|found|allowed|valid)|missing|required|must (be|have|follow)/i;
