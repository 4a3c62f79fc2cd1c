import type { Json, SessionRecord } from "@toolmount/core";
import { redact, redactArguments } from "@toolmount/core/text";
import type { Settings } from "./config/settings.ts";
import { estimateTokens } from "./provider/estimate.ts";
import { costOf, noUsage } from "./provider/usage.ts";
import type { SessionDetails, SessionSummary } from "./reasoner-types.ts";
import { isCleared } from "./session/cleared.ts";
import type { SessionLog } from "./session/log.ts";
import type { SessionView } from "./session/view.ts";
import { waitingCalls } from "./session/waiting.ts";
import { valueOf } from "./turn/last-answer.ts";
import type { TurnResult } from "./turn/turn-types.ts";

/** Returns the result of the last ended turn of a session from its log. */
export function pastTurn(
  { facts, view }: SessionLog,
  { prices, outputSchema }: Pick<Settings, "prices" | "outputSchema">,
): TurnResult {
  const { lastTurn, lastStatus, lastText } = view;
  const { turnId, iteration, callCount, usage, error, incomplete } = lastTurn!;
  const output = outputSchema !== undefined && lastStatus === "done" ? valueOf(lastText, outputSchema) : null;
  return {
    sessionId: facts.id,
    turnId,
    status: lastStatus as Exclude<SessionSummary["status"], "open">,
    text: lastText,
    ...(incomplete !== null && { incomplete }),
    ...(error !== null && { error }),
    waiting: [],
    iterations: iteration,
    calls: callCount,
    usage,
    cost: costOf(usage, prices),
    ...(output?.ok === true && { data: output.value }),
  };
}

/** Returns a session as it is listed, from its record. */
export function summaryOf(
  { id, parentId, createdAt, updatedAt, data }: SessionRecord,
  prices: Settings["prices"],
): SessionSummary {
  const {
    agent = null,
    title = "",
    turns = 0,
    status = "done",
    waits = 0,
    usage = noUsage,
    forkedFrom = null,
  } = data as unknown as Partial<SessionSummary>;
  const cost = costOf(usage, prices);
  return { id, parentId, agent, title, turns, status, waits, usage, cost, forkedFrom, createdAt, updatedAt };
}

/** Returns the facts about a session from its log, because its record may be older than the log. */
export function detailsOf(
  view: SessionView,
  prices: Settings["prices"],
): Partial<SessionDetails> & Pick<SessionDetails, "items" | "context" | "waiting" | "children"> {
  const { children, turns, usage, title, lastStatus: status } = view;
  const items = view.items.map(withoutSecrets);
  // The client needs the complete arguments of a call that it must run itself.
  const waiting = waitingCalls(view).map((call) =>
    call.waitsFor === "client" ? call : withoutSecrets(call),
  );
  const cost = costOf(usage, prices);
  const context = {
    tokens: view.lastInputTokens || estimateTokens(view.items),
    cleared: view.items.filter(isCleared).length,
    summaries: view.summaries,
  };
  return { items, context, children, turns, usage, cost, title, status, waiting, waits: waiting.length };
}

/**
 * Masks secrets in arguments, because people see them. The log has calls as the model wrote them, because the model reads them
 * again.
 */
function withoutSecrets<Shown extends { readonly arguments?: unknown }>(shown: Shown): Shown {
  return shown.arguments === undefined
    ? shown
    : { ...shown, arguments: redactArguments(shown.arguments as Json, redact) };
}
