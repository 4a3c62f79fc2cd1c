import type { Settings } from "../config/settings.ts";
import type { SessionLog } from "../session/log.ts";
import type { SessionTotals } from "../session/view.ts";
import { tokensOf } from "../provider/usage.ts";

/** A turn that runs now, as budgets see it: what it used, and what its sub-agents use now. */
export interface Spender {
  readonly log: SessionLog;
  readonly settings: Settings;
  readonly above: Spender | null;
  /** Sub-agents that run now, whose use the log does not have yet; each with what it had used before. */
  readonly children: Map<Spender["log"], SessionTotals>;
  /** Turns of those sub-agents. */
  readonly below: Set<Spender>;
}

/** What is left of a budget, and the limit that sets it. */
export interface Allowance {
  readonly left: number;
  readonly limit: number;
}

interface Spent {
  readonly tokens: number;
  readonly calls: number;
}

/** Returns what a session and its running sub-agents used. A call counts from the moment the model asks for it. */
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

/** Returns what a turn used of its own budgets: tokens of the session, calls of the turn. */
export function spentOf(spender: Spender): Spent {
  const { tokens, calls } = spentIn(spender.log, spender);
  const { view } = spender.log;
  return { tokens, calls: calls - view.calls + (view.turn?.callCount ?? 0) };
}

/** The smallest allowance of the turns above a turn. */
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
