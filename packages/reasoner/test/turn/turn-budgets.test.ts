import { describe, expect, test } from "vitest";
import { noUsage } from "../../src/provider/usage.ts";
import { callsLeft, requireBudget } from "../../src/turn/budgets.ts";
import type { TurnState } from "../../src/turn/turn-state.ts";

interface Used {
  /** Tokens of the session, read and written. */
  readonly tokens?: readonly [input: number, output: number];
  /** Calls of the turn, and those of them that have no output. */
  readonly calls?: number;
  readonly unanswered?: number;
  /** What the sessions above have left. */
  readonly above?: Readonly<Record<string, readonly [left: number, limit: number]>>;
}

const prices = { input: 1_000_000, output: 1_000_000, currency: "EUR" };

/** A turn with budgets that used so much. */
function turn(
  budgets: object,
  { tokens = [0, 0], calls = 0, unanswered = 0, above = {} }: Used = {},
  priced = true,
) {
  const states = Array.from({ length: calls }, (_, at) => ({ output: at < unanswered ? null : {} }));
  const usage = { ...noUsage, inputTokens: tokens[0], outputTokens: tokens[1] };
  const [left, limit] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return {
    log: { view: { usage, turn: { callCount: calls, calls: states } } },
    settings: { budgets, ...(priced && { prices }) },
    leftAbove: (budget: string) =>
      above[budget] === undefined ? { left, limit } : { left: above[budget][0], limit: above[budget][1] },
  } as unknown as TurnState;
}

/** The budget that is used up, with its limit; null while none is. */
function usedUp(budgets: object, used?: Used, priced?: boolean): object | null {
  try {
    requireBudget(turn(budgets, used, priced));
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: object };
    return { code, ...details };
  }
}

const exhausted = (budget: string, limit: number) => ({ code: "AGENT_BUDGET_EXHAUSTED", budget, limit });

describe("a turn asks its model again", () => {
  test.each<[string, object, Used]>([
    ["without budgets", {}, { tokens: [9, 9], calls: 9 }],
    ["with a token left", { tokens: 10 }, { tokens: [4, 5] }],
    ["with each call used", { calls: 3 }, { calls: 3 }],
    ["with a part of its cost left", { cost: 10 }, { tokens: [4, 5] }],
    ["with a token left above", {}, { above: { tokens: [1, 30] } }],
    ["with each call above used", {}, { above: { calls: [0, 4] } }],
  ])("%s", (_, budgets, used) => {
    expect(usedUp(budgets, used)).toBeNull();
  });

  test("where a cost has no prices", () => {
    expect(usedUp({ cost: 1 }, { tokens: [4, 5] }, false)).toBeNull();
  });
});

describe("a turn ends with the budget that is used up", () => {
  test.each<[string, object, Used, object]>([
    ["its tokens", { tokens: 9 }, { tokens: [4, 5] }, exhausted("tokens", 9)],
    ["its calls", { calls: 2 }, { calls: 3 }, exhausted("calls", 2)],
    ["its cost", { cost: 9 }, { tokens: [4, 5] }, exhausted("cost", 9)],
    ["the tokens above", {}, { above: { tokens: [0, 30] } }, exhausted("tokens", 30)],
    ["the calls above", {}, { above: { calls: [-1, 4] } }, exhausted("calls", 4)],
    ["the first of several", { tokens: 1, calls: 1 }, { tokens: [4, 5], calls: 3 }, exhausted("tokens", 1)],
  ])("%s", (_, budgets, used, error) => {
    expect(usedUp(budgets, used)).toEqual(error);
  });
});

test.each<[string, object, Used, number]>([
  ["all, without a budget", {}, { calls: 3, unanswered: 3 }, Number.POSITIVE_INFINITY],
  ["those that are left of the turn's", { calls: 2 }, { calls: 3, unanswered: 3 }, 2],
  ["those after the answered ones", { calls: 2 }, { calls: 3, unanswered: 2 }, 1],
  ["none, where all are used", { calls: 2 }, { calls: 5, unanswered: 2 }, 0],
  ["those that are left above", { calls: 9 }, { calls: 3, unanswered: 3, above: { calls: [-1, 9] } }, 2],
  ["none, where none is left above", {}, { calls: 3, unanswered: 3, above: { calls: [-5, 9] } }, 0],
])("of the calls of an answer may run %s", (_, budgets, used, left) => {
  expect(callsLeft(turn(budgets, used))).toBe(left);
});
