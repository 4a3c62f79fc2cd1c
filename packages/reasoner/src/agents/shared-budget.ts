import type { Settings } from "../config/settings.ts";
import type { SessionLog } from "../session/log.ts";
import type { SessionTotals } from "../session/view.ts";
import { tokensOf } from "../provider/usage.ts";

/** A running turn, with what is needed to count the tokens and calls of the turn and its sub-agents. */
export interface Spender {
  readonly log: SessionLog;
  readonly settings: Settings;
  readonly above: Spender | null;
  /** By log of a running sub-agent, the totals of its session that the log of this turn already has. */
  readonly children: Map<Spender["log"], SessionTotals>;
  readonly below: Set<Spender>;
}

/** What is left of a budget, and the limit of that budget. */
export interface Allowance {
  readonly left: number;
  readonly limit: number;
}

interface Spent {
  readonly tokens: number;
  readonly calls: number;
}

/** Returns what a session and its running sub-agents used. A call counts as soon as the model asks for it. */
function spentIn(log: SessionLog, spender: Spender | undefined): Spent {
  let tokens = tokensOf(log.view.usage);
  let calls = log.view.calls;
  for (const [child, before] of spender?.children ?? []) {
    const own = [...spender!.below].find((one) => one.log === child);
    const spent = spentIn(child, own);
    tokens += spent.tokens - tokensOf(before.usage);
    calls += spent.calls - before.calls;
  }
  return { tokens, calls };
}

/** Returns how much a turn has used of its own budgets: tokens count for the whole session, calls for this turn. */
export function spentOf(spender: Spender): Spent {
  const { tokens, calls } = spentIn(spender.log, spender);
  const { view } = spender.log;
  return { tokens, calls: calls - view.calls + (view.turn?.callCount ?? 0) };
}

/** Returns the smallest amount of a budget that any turn above has left; infinite if no turn above has this budget. */
export function leftAbove({ above }: Spender, budget: "tokens" | "calls"): Allowance {
  let least = { left: Number.POSITIVE_INFINITY, limit: Number.POSITIVE_INFINITY };
  for (let one = above; one !== null; one = one.above) {
    const limit = one.settings.budgets[budget];
    if (limit === undefined) continue;
    const left = limit - spentOf(one)[budget];
    if (left < least.left) least = { left, limit };
  }
  return least;
}
