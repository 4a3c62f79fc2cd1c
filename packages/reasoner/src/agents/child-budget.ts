import { ToolmountError } from "@toolmount/core";
import type { Settings } from "../config/settings.ts";
import { tokensOf, type Usage } from "../provider/usage.ts";
import type { SessionLog } from "../session/log.ts";
import type { SessionTotals } from "../session/view.ts";
import { spentOf, type Spender } from "./shared-budget.ts";

/**
 * Returns the budgets of a sub-agent. It has at most the tokens and calls that its parent has left, and at most its parent's
 * whole time limit. Throws `AGENT_BUDGET_EXHAUSTED` if the parent has no tokens or calls left.
 */
export function childBudgets(
  parent: Spender,
  own: Settings,
  { view }: SessionLog,
  before: SessionTotals,
): Settings["budgets"] {
  const { tokens, calls, ms } = parent.settings.budgets;
  // What a resumed sub-agent used before is counted in its own session and in its parent's. It is added back here, so that it
  // does not count twice.
  const tokensLeft = leftOf(parent, "tokens", tokens) + tokensOf(before.usage);
  const callsLeft = leftOf(parent, "calls", calls) + (view.turn?.callCount ?? 0);
  return {
    ...own.budgets,
    tokens: smaller(own.budgets.tokens, tokensLeft),
    calls: smaller(own.budgets.calls, callsLeft),
    ms: smaller(own.budgets.ms, ms),
  };
}

function leftOf(parent: Spender, budget: "tokens" | "calls", limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const spent = spentOf(parent)[budget];
  if (spent >= limit) throw new ToolmountError("AGENT_BUDGET_EXHAUSTED", { budget, limit });
  return limit - spent;
}

function smaller(one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY): number | undefined {
  const least = Math.min(one, other);
  return least === Number.POSITIVE_INFINITY ? undefined : least;
}

/** Returns the difference between the usage `now` and the earlier usage `before`. */
export function usageSince(now: Usage, before: Usage): Usage {
  const pairs = Object.keys(now).map((key) => [key, now[key as keyof Usage] - before[key as keyof Usage]]);
  return Object.fromEntries(pairs) as Usage;
}

/** Adds what sub-agents of a process that has ended used to the parent's log, because they may never be resumed. */
export async function countLostChildren(
  log: SessionLog,
  find: (id: string) => Promise<SessionLog | null>,
): Promise<void> {
  for (const { call, child } of log.view.turn?.calls ?? []) {
    if (child === null || child.ended) continue;
    const found = await find(child.sessionId);
    if (found === null) continue; // the session was deleted, and the call that resumes it will report that
    const { facts, view } = found;
    const { turns, calls, usage } = child.before;
    await log.append({
      kind: "child",
      sessionId: facts.id,
      agent: facts.agent ?? "self",
      usage: usageSince(view.usage, usage),
      calls: view.calls - calls,
      callId: call.callId,
      before: { turns, calls: view.calls, usage: view.usage },
    });
  }
}
