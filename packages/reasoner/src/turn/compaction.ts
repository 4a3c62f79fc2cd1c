import type { Coordinator } from "@toolmount/core";
import type { Settings } from "../config.ts";
import { isCall, isCallOutput, isItem, type Item } from "../provider/items.ts";
import type { SessionLog } from "../session/log.ts";

/**
 * Makes a conversation shorter that has grown beyond what the settings allow: a gate on `context:pre_compact` may give
 * the `items` to go on with, else the newest turns are kept. Calls and their outputs stay together either way.
 */
export async function compact(
  log: SessionLog,
  { compaction }: Settings,
  { hooks, logger }: Pick<Coordinator, "hooks" | "logger">,
  ids: Readonly<Record<string, string>>,
): Promise<void> {
  const { items, lastInputTokens } = log.view;
  if (compaction === undefined || lastInputTokens < compaction.atTokens) return;
  const before = { ...ids, item_count: items.length, input_tokens: lastInputTokens };
  const answer = await hooks.emit("context:pre_compact", { ...before, items });
  const given = answer.data?.["items"];
  const chosen = Array.isArray(given) && given !== items ? given.filter(isItem) : null;
  const kept = chosen ?? newestTurns(items, compaction.keepTurns);
  if (!isMatched(kept)) {
    logger.warn(ids, "a compaction would part calls from their outputs, and was left out");
    return;
  }
  if (kept.length >= items.length && chosen === null) return;
  await log.append({ kind: "compacted", items: kept });
  const by = chosen === null ? "turns" : "hook";
  await hooks.emit("context:compaction", { ...before, kept_count: kept.length, by });
  await hooks.emit("context:post_compact", {
    ...ids,
    item_count: kept.length,
    dropped: items.length - kept.length,
  });
}

/** From the user's message on that begins the first of the last `count` turns. */
function newestTurns(items: readonly Item[], count: number): Item[] {
  const begins = items.flatMap((item, at) => (item["role"] === "user" ? [at] : []));
  return items.slice(begins.at(-count) ?? 0);
}

/** Whether each output has its call before it, and each call its output. */
export function isMatched(items: readonly Item[]): boolean {
  const open = new Set<unknown>();
  for (const item of items) {
    if (isCall(item)) open.add(item["call_id"]);
    if (isCallOutput(item) && !open.delete(item["call_id"])) return false;
  }
  return open.size === 0;
}
