import type { Coordinator } from "@toolmount/core";
import type { Settings } from "../config/settings.ts";
import { isCall, isCallOutput, isItem, type Item } from "../provider/items.ts";
import type { SessionLog } from "../session/log.ts";

/**
 * Shortens a conversation that is longer than the settings allow. A gate on `context:pre_compact` may give the `items`
 * to keep, else the newest turns are kept. Either way, each call keeps its output.
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
    logger.warn(ids, "the compaction was skipped: it would separate calls from their outputs");
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

/** The items of the last `count` turns, from the user's message on. */
function newestTurns(items: readonly Item[], count: number): Item[] {
  const begins = items.flatMap((item, at) => (item["role"] === "user" ? [at] : []));
  return items.slice(begins.at(-count) ?? 0);
}

/** Whether each output follows its call, and each call has an output. */
export function isMatched(items: readonly Item[]): boolean {
  const open = new Set<unknown>();
  for (const item of items) {
    if (isCall(item)) open.add(item["call_id"]);
    if (isCallOutput(item) && !open.delete(item["call_id"])) return false;
  }
  return open.size === 0;
}
