import type { Offer } from "@toolmount/core";
import { estimateTokens, tokensOfText } from "../provider/estimate.ts";
import { isCall, isCallOutput, isItem, message, readText, type Item } from "../provider/items.ts";
import { canBeCleared } from "../session/cleared.ts";
import { exchangeOf } from "./request.ts";
import { summarize } from "./summary.ts";
import type { TurnState } from "./turn-state.ts";
import type { TurnEvent } from "./turn-types.ts";

/** The share of the limit that a shortened conversation may have. A small share makes the next compaction a rare event. */
const aim = 0.5;

/** The share of the shortened conversation for the newest items, which stay word for word. */
const aimOfNewest = 0.5;

/**
 * Shortens a conversation that has reached its limit, between two rounds. First the results of older calls are cleared. If that
 * is not enough, a summary by the model replaces the older items; the user's newest messages and the newest rounds stay word
 * for word. A gate on `context:pre_compact` may give the `items` to keep instead.
 *
 * `refused`: the server refused the conversation as too long, so something must be removed. `guessed`: the server refused it,
 * perhaps because it is too long. Resolves to whether something was removed.
 */
export async function compact(
  state: TurnState,
  offer: Offer,
  why: "limit" | "refused" | "guessed" = "limit",
): Promise<boolean> {
  if (state.settings.compaction === false) return false;
  const size = contextSize(state, offer);
  const limit = why === "limit" ? contextLimit(state) : size;
  if (limit === null || size < limit) return false;
  const before = { items: [...state.log.view.items], size };
  if (why === "refused") await state.log.append({ kind: "refused", tokens: size });
  const by = (await keepChosen(state, size)) ?? (await shorten(state, offer, limit * aim));
  if (by !== null) await report(state, before, by, contextSize(state, offer));
  return by !== null;
}

type Means = (TurnEvent & { readonly type: "compaction" })["by"];

/** Clears results, and then writes a summary, until the conversation has at most `target` tokens. */
async function shorten(state: TurnState, offer: Offer, target: number): Promise<Means | null> {
  let by: Means | null = (await clear(state, keptRounds)) ? "cleared" : null;
  if (contextSize(state, offer) > target) by = (await leaveOut(state, offer, target)) ?? by;
  // The newest rounds alone are too long, so their results are cleared too.
  if (contextSize(state, offer) > target && (await clear(state, 0))) by ??= "cleared";
  return by;
}

/** The number of newest rounds whose results are cleared only if everything else was not enough. */
const keptRounds = 3;

async function clear({ log }: TurnState, rounds: number): Promise<boolean> {
  const { items } = log.view;
  const old = items.slice(0, lastRounds(items, rounds)).filter(canBeCleared);
  const callIds = old.map((item) => readText(item["call_id"]));
  if (callIds.length > 0) await log.append({ kind: "cleared", callIds });
  return callIds.length > 0;
}

/** Replaces the older items with a summary, or with a note if `summary` is off or the model cannot write one. */
async function leaveOut(state: TurnState, offer: Offer, target: number): Promise<Means | null> {
  const { log, settings, emit } = state;
  const { items } = log.view;
  const { keepTurns, summary: isWanted } = settings;
  const from = newestItems(items, target * aimOfNewest, keepTurns);
  const older = items.slice(0, from);
  const asked = keptMessages(items, from, target / 4);
  if (older.length <= asked.length) return null;
  const base = exchangeOf(state, offer).request;
  const { text, usage, problem } = isWanted
    ? await summarize(state, base, older)
    : { text: "", usage: null, problem: null };
  if (usage !== null) await state.spending.add(state, usage);
  if (problem !== null)
    emit({ type: "tool_warning", tool: "", message: `the model wrote no summary: ${problem}` });
  const gone = older.length - asked.length;
  const note = message("developer", text === "" ? withoutSummary(gone) : `${summaryMark}\n${text}`);
  await log.append({
    kind: "compacted",
    items: [...asked, note, ...items.slice(from)],
    ...(usage !== null && { usage }),
    ...(text !== "" && { summary: text }),
  });
  return text === "" ? "turns" : "summary";
}

const summaryMark = "[Older messages, calls and results are left out. Your summary of them:]";

function withoutSummary(count: number): string {
  return `[${count} older messages, calls and results are left out, since the conversation was too long.]`;
}

/** Returns the user's messages before `from` that stay: the task of the turn, and the newest others that fit into `tokens`. */
function keptMessages(items: readonly Item[], from: number, tokens: number): readonly Item[] {
  const task = items.findLast(({ role }) => role === "user");
  const asked = items.slice(0, from).filter(({ role }) => role === "user");
  let room = tokens;
  const fitting = asked.toReversed().filter((item) => {
    if (item === task) return true;
    room -= estimateTokens([item]);
    return room >= 0;
  });
  return fitting.toReversed();
}

/** Uses the items that a gate chose. Resolves to null if it chose none, or if a server would refuse them. */
async function keepChosen({ log, coordinator, ids }: TurnState, size: number): Promise<Means | null> {
  const { items } = log.view;
  const { hooks, logger } = coordinator;
  const before = { ...ids, item_count: items.length, input_tokens: size };
  const answer = await hooks.emit("context:pre_compact", { ...before, items });
  const given = answer.data?.["items"];
  if (!Array.isArray(given) || given === items) return null;
  const chosen = given.filter(isItem);
  if (isMatched(chosen)) {
    await log.append({ kind: "compacted", items: chosen });
    return "hook";
  }
  logger.warn(ids, "the items of a hook were not used: they would separate calls from their outputs");
  return null;
}

async function report(
  { coordinator, ids, emit, log }: TurnState,
  before: { readonly items: readonly Item[]; readonly size: number },
  by: Means,
  afterTokens: number,
): Promise<void> {
  const { hooks } = coordinator;
  const was = { ...ids, item_count: before.items.length, input_tokens: before.size };
  const kept = log.view.items.length;
  const dropped = Math.max(0, before.items.length - kept);
  await hooks.emit("context:compaction", { ...was, kept_count: kept, by });
  await hooks.emit("context:post_compact", { ...ids, item_count: kept, dropped });
  emit({ type: "compaction", by, beforeTokens: before.size, afterTokens, dropped });
}

/** Tests whether each output follows its call, and each call has an output. */
export function isMatched(items: readonly Item[]): boolean {
  const open = new Set<unknown>();
  for (const item of items) {
    if (isCall(item)) open.add(item["call_id"]);
    if (isCallOutput(item) && !open.delete(item["call_id"])) return false;
  }
  return open.size === 0;
}

/** Estimates the tokens of the next request: those that the server counted, plus an estimate for newer items. */
export function contextSize({ log, settings, agent }: TurnState, offer: Offer): number {
  const { items, lastInputTokens, counted } = log.view;
  if (lastInputTokens > 0) return lastInputTokens + estimateTokens(items.slice(counted));
  const definitions = offer.tools.map(({ name, description, inputSchema }) => [
    name,
    description,
    inputSchema,
  ]);
  const instructions = [settings.instructions, agent?.instructions, offer.guidance].join("\n");
  return estimateTokens(items) + tokensOfText(JSON.stringify(definitions) + instructions);
}

/** The share of a window that a conversation may fill. The rest is for the answer, and for estimates that are too low. */
const fillable = 0.8;

/**
 * Returns the size at which the conversation is shortened: the plan's `compaction`, else a share of the model's window; at most
 * a share of a size that the server refused. Null if none of these is known.
 */
function contextLimit({ log, settings, model }: TurnState): number | null {
  const { compaction } = settings;
  const { contextTokens } = model;
  if (compaction === false) return null;
  const given = compaction ?? (contextTokens === undefined ? null : contextTokens * fillable);
  const learned = log.view.refusedTokens === null ? null : log.view.refusedTokens * fillable;
  const limits = [given, learned].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/**
 * Returns where a conversation can be divided without separating a call from its output, reasoning from its result, or a
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

/** Returns the index of the first item in the last `count` rounds. A round is one answer and the outputs of its calls. */
function lastRounds(items: readonly Item[], count: number): number {
  const begins = boundariesOf(items).filter((at) => items[at]!["role"] !== "user");
  return count === 0 ? items.length : (begins.at(-count) ?? 0);
}

/** Returns the index of the first of the newest items: at most `tokens` and `turns`, but at least the newest round. */
function newestItems(items: readonly Item[], tokens: number, turns: number): number {
  const boundaries = boundariesOf(items);
  const users = boundaries.filter((at) => items[at]!["role"] === "user");
  const first = users.at(-turns) ?? 0;
  const fitting = boundaries.find((at) => at >= first && estimateTokens(items.slice(at)) <= tokens);
  return fitting ?? boundaries.at(-1) ?? 0;
}
