import { ToolmountError } from "@toolmount/core";
import { costOf, tokensOf } from "../provider/usage.ts";
import type { TurnState } from "./turn-state.ts";

/**
 * Throws `AGENT_BUDGET_EXHAUSTED` if too many tokens or calls were used, here or in a turn above, or if the cost is too high.
 */
export function requireBudget({ log, settings, leftAbove }: TurnState): void {
  const { usage, turn } = log.view;
  const { tokens, calls, cost } = settings.budgets;
  const refuse = (budget: string, limit: number) => {
    throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget, limit });
  };
  if (tokens !== undefined && tokensOf(usage) >= tokens) refuse("tokens", tokens);
  if (calls !== undefined && turn!.callCount > calls) refuse("calls", calls);
  if (cost !== undefined && (costOf(usage, settings.prices)?.amount ?? 0) >= cost) refuse("cost", cost);
  const shared = { tokens: leftAbove("tokens"), calls: leftAbove("calls") };
  if (shared.tokens.left <= 0) refuse("tokens", shared.tokens.limit);
  if (shared.calls.left < 0) refuse("calls", shared.calls.limit);
}

/** Returns how many of the calls without an output may run. */
export function callsLeft({ log, settings, leftAbove }: TurnState): number {
  const { callCount, calls } = log.view.turn!;
  const unanswered = calls.filter(({ output }) => output === null).length;
  const limit = settings.budgets.calls ?? Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(limit - (callCount - unanswered), leftAbove("calls").left + unanswered));
}
