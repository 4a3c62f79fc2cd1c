import type { EventData } from "@toolmount/core";
import type { ModelRequest } from "@toolmount/interop";
import { askModel } from "../provider/ask-model.ts";
import { estimateTokens } from "../provider/estimate.ts";
import { message, readText, textOf, type Item } from "../provider/items.ts";
import { legalItems, rulesOf } from "../provider/legal-items.ts";
import { ModelError } from "../provider/model-error.ts";
import type { Usage } from "../provider/usage.ts";
import type { TurnState } from "./turn-state.ts";

/** A text that replaces the older part of a conversation. */
interface Summary {
  readonly text: string;
  readonly usage: Usage | null;
  /** Why the model wrote no summary; null if it wrote one. */
  readonly problem: string | null;
}

const order = `Write a summary of this conversation so far. It replaces the conversation for you, and you will go on from it.
Name: what the user wants and has decided; facts, names, numbers, paths and ids that are still needed; what was done, and with which result; what failed and why; open questions; what is to be done next.
Write at most 600 words of plain text. Call no tool.`;

/**
 * Asks the model for a summary of the older items. The request begins as those of the turn did, so that the server can use its
 * cache. If it is too long, refused or answered with no text, the model gets the beginnings of the items as text.
 */
export async function summarize(
  state: TurnState,
  base: ModelRequest,
  older: readonly Item[],
): Promise<Summary> {
  const ask = message("user", order);
  const whole = [...older, ask];
  const short = [message("user", excerpt(older, estimateTokens(older))), ask];
  let problem = "";
  for (const items of [whole, short]) {
    try {
      const rules = rulesOf(state.model, state.log.view.refusedParts);
      const legal = legalItems(items, { rules, isContinued: false });
      const request = { ...base, items: legal, previousResponseId: null };
      const answer = await askModel(withoutOutput(request), callOf(state));
      const text = textOf(answer.items).trim();
      if (text !== "") return { text, usage: answer.usage, problem: null };
      problem = "its answer was empty";
    } catch (error) {
      if (!(error instanceof ModelError) || state.controller.signal.aborted) throw error;
      problem = error.failure.problem;
      if (!ofWhole.has(error.failure.kind)) break;
    }
  }
  return { text: "", usage: null, problem };
}

const ofWhole: ReadonlySet<string> = new Set(["context_length", "invalid_request"]);

/** Removes the schema of the answer, and asks the server not to store the summary, because it is not an answer of the turn. */
function withoutOutput({ settings, ...request }: ModelRequest): ModelRequest {
  return { ...request, settings: { ...settings, output: undefined, store: false } };
}

/** Returns what the request for a summary needs. Its text is not emitted, and the turn's listener gets only its retries. */
function callOf(state: TurnState) {
  const { model, settings, coordinator, log, clock, hostId, traceparent, turnId, ids, emit } = state;
  const { hooks } = coordinator;
  return {
    model,
    settings,
    hooks: {
      emit: (event: string, data?: EventData) => (isText.test(event) ? silence : hooks.emit(event, data)),
    },
    ids,
    signal: state.controller.signal,
    emit: (event: Parameters<typeof emit>[0]) => void (event.type === "retry" && emit(event)),
    trace: { hostId, sessionId: log.facts.id, turnId, traceparent },
    now: () => clock.now(),
  };
}

/** Matches events with the text of an answer. */
const isText = /^(content_block|thinking):/;

const silence = Promise.resolve({ action: "continue" as const });

/** Returns the beginnings of the items as lines, about a quarter of their length but at least 200 characters of each. */
function excerpt(items: readonly Item[], tokens: number): string {
  const room = Math.max(200, Math.floor(tokens / items.length));
  const lines = items.map((item) => {
    const { type, role, name, arguments: given, output } = item;
    const said =
      textOf([item]) || (typeof output === "string" ? output : JSON.stringify(output ?? given ?? ""));
    return `${readText(role) || `${readText(type)} ${readText(name)}`}: ${said.slice(0, room)}`;
  });
  return lines.join("\n").toWellFormed();
}
