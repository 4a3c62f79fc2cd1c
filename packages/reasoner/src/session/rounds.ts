import { estimateTokens } from "../provider/estimate.ts";
import { isCall, isCallOutput, type Item } from "../provider/items.ts";

/**
 * Where a conversation can be divided without separating a call from its output, reasoning from what it led to, or a
 * user's message from notes before it: the first item of each message of a user, and of each answer with calls.
 */
function boundariesOf(items: readonly Item[]): readonly number[] {
  return items.flatMap((item, at) => {
    if (item["role"] === "user") return [at];
    const before = items[at - 1];
    const begins = isAnswer(item) && before !== undefined && !isAnswer(before);
    return begins && !isCallOutput(item) ? [at] : [];
  });
}

function isAnswer(item: Item): boolean {
  return isCall(item) || item["type"] === "reasoning" || item["role"] === "assistant";
}

/** The first item of the last rounds; a round is one answer and the outputs of its calls. */
export function lastRounds(items: readonly Item[], count: number): number {
  const begins = boundariesOf(items).filter((at) => items[at]!["role"] !== "user");
  return count === 0 ? items.length : (begins.at(-count) ?? 0);
}

/** From where the newest items have at most `tokens`; at most `turns` turns, at least the newest round. */
export function newestItems(items: readonly Item[], tokens: number, turns: number): number {
  const boundaries = boundariesOf(items);
  const users = boundaries.filter((at) => items[at]!["role"] === "user");
  const first = users.at(-turns) ?? 0;
  const fitting = boundaries.find((at) => at >= first && estimateTokens(items.slice(at)) <= tokens);
  return fitting ?? boundaries.at(-1) ?? 0;
}
