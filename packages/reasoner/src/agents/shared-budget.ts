import type { Settings } from "../config.ts";
import type { SessionLog } from "../session/log.ts";
import type { ChildOfCall } from "../session/view.ts";
import { tokensOf } from "../provider/usage.ts";

/** A turn under way, as budgets see it: what it used, and what children of it use that run now. */
export interface Spender {
  readonly log: SessionLog;
  readonly settings: Settings;
  readonly above: Spender | null;
  /** Children that run now and are not yet counted in the log, each with what it had before. */
  readonly children: Map<Spender["log"], ChildOfCall["before"]>;
  /** Turns of those children. */
  readonly below: Set<Spender>;
}

interface Spent {
  readonly tokens: number;
  readonly calls: number;
}

/** What a session used, with what its running children use; calls that were asked for and have not run count. */
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

/** What a turn used of its own budgets: tokens of the session, calls of the turn. */
export function spentOf(spender: Spender): Spent {
  const { tokens, calls } = spentIn(spender.log, spender);
  const { view } = spender.log;
  return { tokens, calls: calls - view.calls + (view.turn?.callCount ?? 0) };
}

/** The least that anyone above a turn has left, and whose limit that is. */
export function leftAbove({ above }: Spender, budget: "tokens" | "calls"): { left: number; limit: number } {
  let least = { left: Number.POSITIVE_INFINITY, limit: Number.POSITIVE_INFINITY };
  for (let one = above; one !== null; one = one.above) {
    const limit = one.settings.budgets[budget];
    if (limit === undefined) continue;
    const left = limit - spentOf(one)[budget];
    if (left < least.left) least = { left, limit };
  }
  return least;
}
