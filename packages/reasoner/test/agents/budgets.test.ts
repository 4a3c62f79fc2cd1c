import { expect, test } from "vitest";
import { childBudgets, usageSince } from "../../src/agents/child-budget.ts";
import { leftAbove, spentOf, type Spender } from "../../src/agents/shared-budget.ts";
import { noUsage } from "../../src/provider/usage.ts";
import { createView } from "../../src/session/view.ts";

/** A turn with budgets that used so much; a call counts for its session, and for the turn. */
function spender(
  budgets: object,
  used: { tokens?: number; calls?: number } = {},
  above: Spender | null = null,
) {
  const { tokens = 0, calls = 0 } = used;
  const view = {
    ...createView(),
    usage: { ...noUsage, inputTokens: tokens },
    calls,
    turn: { callCount: calls },
  };
  return {
    log: { view },
    settings: { budgets },
    above,
    children: new Map(),
    below: new Set(),
  } as unknown as Spender;
}

const before = { turns: 0, calls: 0, usage: noUsage };
const budgetsOf = (parent: Spender, own: object, child = spender({}), earlier = before) =>
  childBudgets(parent, { budgets: own } as never, child.log, earlier);

test("a sub-agent has the smaller of its own budget and what its parent has left", () => {
  const parent = spender({ tokens: 100, calls: 10, ms: 500 }, { tokens: 30, calls: 4 });

  expect(budgetsOf(parent, {})).toEqual({ tokens: 70, calls: 6, ms: 500 });
  expect(budgetsOf(parent, { tokens: 50, calls: 9, ms: 900, turns: 2 })).toEqual({
    tokens: 50,
    calls: 6,
    ms: 500,
    turns: 2,
  });
  expect(budgetsOf(spender({}), {})).toEqual({ tokens: undefined, calls: undefined, ms: undefined });
});

test("a sub-agent that is resumed keeps what it had used before", () => {
  const parent = spender({ tokens: 100, calls: 10 }, { tokens: 30, calls: 4 });
  const earlier = { ...before, usage: { ...noUsage, inputTokens: 20, outputTokens: 5 } };

  expect(budgetsOf(parent, {}, spender({}, { calls: 3 }), earlier)).toMatchObject({ tokens: 95, calls: 9 });
});

test.each([
  ["tokens", { tokens: 30 }, 30],
  ["calls", { calls: 4 }, 4],
])("a parent that has no %s left has no sub-agent", (budget, budgets, limit) => {
  expect(() => budgetsOf(spender(budgets, { tokens: 30, calls: 4 }), {})).toThrow(
    expect.objectContaining({ code: "AGENT_BUDGET_EXHAUSTED", details: { budget, limit } }) as Error,
  );
});

test("of the turns above a turn, the one with the least left sets its allowance", () => {
  const top = spender({ tokens: 100, calls: 20 }, { tokens: 90, calls: 1 });
  const middle = spender({ calls: 5 }, { tokens: 10, calls: 3 }, top);
  const own = spender({ tokens: 1 }, { tokens: 5 }, middle);

  expect(leftAbove(own, "tokens")).toEqual({ left: 10, limit: 100 });
  expect(leftAbove(own, "calls")).toEqual({ left: 2, limit: 5 });
  expect(leftAbove(top, "tokens")).toEqual({ left: Infinity, limit: Infinity });
});

test("what a running sub-agent used counts for its parent, but for what it had used before", () => {
  const parent = spender({}, { tokens: 10, calls: 1 });
  const child = spender({}, { tokens: 30, calls: 5 }, parent);
  parent.below.add(child);
  parent.children.set(child.log, { turns: 1, calls: 2, usage: { ...noUsage, outputTokens: 8 } });

  expect(spentOf(parent)).toEqual({ tokens: 32, calls: 4 });
});

test("what was used between two moments is the difference of each count", () => {
  const now = { requests: 3, inputTokens: 30, cachedTokens: 6, outputTokens: 9, reasoningTokens: 2 };
  const then = { requests: 1, inputTokens: 10, cachedTokens: 5, outputTokens: 4, reasoningTokens: 2 };

  expect(usageSince(now, then)).toEqual({
    requests: 2,
    inputTokens: 20,
    cachedTokens: 1,
    outputTokens: 5,
    reasoningTokens: 0,
  });
});
