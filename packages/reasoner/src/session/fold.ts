import { answerOf, readFunctionCall, textOf, userMessage, type Item } from "../provider/items.ts";
import { addUsage, noUsage } from "../provider/usage.ts";
import { withCleared } from "./cleared.ts";
import { typedWords } from "./author.ts";
import type { SessionEntry } from "./entry.ts";
import type { EndedTurn, OpenTurn, SessionView } from "./view.ts";

type EntryOf<Kind extends SessionEntry["kind"]> = SessionEntry & { readonly kind: Kind };

/** Adds one entry of the log to the view. A running turn and the reading of a stored session use the same code. */
export function fold(view: SessionView, entry: SessionEntry): void {
  const { turn } = view;
  if (turn !== null && "ms" in entry) turn.activeMs = Math.max(turn.activeMs, entry.ms ?? 0);
  switch (entry.kind) {
    case "base":
      view.items.push(...entry.items);
      view.state = entry.state;
      view.forkedFrom = entry.from ?? null;
      view.prompts.push(...(entry.prompts ?? []));
      view.sources.push(...(entry.sources ?? []));
      return;
    case "begin":
      return foldBegin(view, entry);
    case "note":
      view.items.push(...entry.items);
      view.state = entry.state ?? view.state;
      return;
    case "rewound":
      replaceItems(view, [...entry.items]);
      view.state = entry.state;
      view.turns = entry.turns;
      view.prompts = [...entry.prompts];
      return;
    case "again":
      return foldAgain(view, entry);
    case "message":
      return foldMessage(turn, entry);
    case "answer":
      return foldAnswer(view, entry);
    case "started":
      return foldStarted(turn, entry);
    case "output":
      return foldOutput(view, entry);
    case "waits":
      return foldWaits(turn, entry);
    case "child":
      return foldChild(view, entry);
    case "step":
    case "stepped":
    case "entered":
      return foldMode(view, entry);
    case "compacted":
      return foldCompacted(view, entry);
    case "cleared":
      return replaceItems(view, withCleared(view.items, entry.callIds));
    case "refused":
      view.refusedTokens = Math.min(entry.tokens, view.refusedTokens ?? entry.tokens);
      return;
    case "refused_parts":
      view.refusedParts.push(entry);
      return;
    case "end":
      return foldEnd(view, entry);
    default:
  }
}

function foldBegin(
  view: SessionView,
  { turnId, traceparent, prompt, parts, images, state }: EntryOf<"begin">,
): void {
  const before = { items: [...view.items], state: view.state };
  view.turn = {
    turnId,
    traceparent,
    iteration: 0,
    callCount: 0,
    usage: noUsage,
    calls: [],
    group: null,
    activeMs: 0,
    finalText: null,
    incomplete: null,
    cuts: 0,
    tries: 0,
    messages: [],
    messageIds: new Set(),
    before,
  };
  view.state = state ?? view.state;
  view.turns++;
  view.lastStatus = "open";
  view.title ||= prompt.replace(/\s+/g, " ").slice(0, 80);
  view.prompts.push(...typedWords({ text: prompt, parts }));
  view.items.push(userMessage(prompt, images));
}

function foldMessage(turn: OpenTurn | null, { text, parts, id }: EntryOf<"message">): void {
  if (turn === null || (id !== undefined && turn.messageIds.has(id))) return;
  turn.messages.push({ text, parts });
  if (id !== undefined) turn.messageIds.add(id);
}

function foldAgain(view: SessionView, { items, byUser = false }: EntryOf<"again">): void {
  const { turn } = view;
  view.items.push(...items);
  if (turn === null) return;
  turn.finalText = null;
  if (byUser) view.prompts.push(...turn.messages.splice(0, items.length).flatMap(typedWords));
  else turn.tries++;
}

function foldAnswer(view: SessionView, entry: EntryOf<"answer">): void {
  view.counted = view.items.length;
  view.items.push(...entry.items);
  view.usage = addUsage(view.usage, entry.usage);
  view.response = entry.responseId === null ? null : { id: entry.responseId, known: view.items.length };
  view.lastInputTokens = entry.inputTokens;
  view.largestTokens = Math.max(view.largestTokens, entry.inputTokens);
  const { turn } = view;
  if (turn === null) return;
  turn.iteration++;
  turn.usage = addUsage(turn.usage, entry.usage);
  turn.calls = entry.items
    .map(readFunctionCall)
    .filter((call) => call !== null)
    .map((call) => ({ call, started: false, output: null, notes: [], child: null, waits: null }));
  turn.callCount += turn.calls.length;
  turn.finalText = turn.calls.length === 0 ? textOf(entry.items) : null;
  turn.incomplete = entry.incomplete ?? null;
  turn.cuts = turn.incomplete === null || turn.calls.length === 0 ? 0 : turn.cuts + 1;
  if (turn.calls.length > 0) turn.tries = 0;
  view.calls += turn.calls.length;
}

/** Replaces the conversation. The next request contains all of it, because the server does not have the new items. */
function replaceItems(view: SessionView, items: Item[]): void {
  view.items = items;
  view.response = null;
  view.lastInputTokens = 0;
}

function foldCompacted(view: SessionView, { items, usage, summary }: EntryOf<"compacted">): void {
  replaceItems(view, [...items]);
  if (summary !== undefined) view.summaries++;
  if (usage === undefined) return;
  view.usage = addUsage(view.usage, usage);
  if (view.turn !== null) view.turn.usage = addUsage(view.turn.usage, usage);
}

function foldStarted(turn: OpenTurn | null, { group, callIds }: EntryOf<"started">): void {
  if (turn === null) return;
  turn.group = group;
  for (const state of turn.calls) state.started ||= callIds.includes(state.call.callId);
}

/** Adds the output of a call. Outputs join the conversation when every call of the answer has one, in the order of the calls. */
function foldOutput(view: SessionView, entry: EntryOf<"output">): void {
  view.state = entry.state ?? view.state;
  const { turn } = view;
  const state = turn?.calls.find(({ call }) => call.callId === entry.callId);
  if (turn === null || state === undefined) return;
  state.output ??= answerOf(state.call, entry.item);
  state.waits = null;
  state.notes = entry.notes ?? [];
  if (turn.calls.some((other) => other.output === null)) return;
  view.items.push(...turn.calls.map((other) => other.output!), ...turn.calls.flatMap(({ notes }) => notes));
  turn.calls = [];
  turn.group = null;
}

function foldWaits(turn: OpenTurn | null, entry: EntryOf<"waits">): void {
  const { ticket, waitsFor, tool, arguments: given, asking = false } = entry;
  const state = turn?.calls.find(({ call }) => call.callId === entry.callId);
  if (state !== undefined) state.waits = { ticket, waitsFor, tool, arguments: given, asking };
}

function foldChild(view: SessionView, entry: EntryOf<"child">): void {
  const { callId, sessionId, before, usage, calls } = entry;
  const { turn } = view;
  if (!view.children.includes(sessionId)) view.children.push(sessionId);
  view.usage = addUsage(view.usage, usage);
  view.calls += calls;
  if (turn === null) return;
  turn.callCount += calls;
  turn.usage = addUsage(turn.usage, usage);
  const state = turn.calls.find(({ call }) => call.callId === callId);
  if (state === undefined) return;
  if (before !== undefined) state.child = { sessionId, before, ended: false };
  else if (state.child !== null) state.child = { ...state.child, ended: true };
}

function foldMode(view: SessionView, entry: EntryOf<"step"> | EntryOf<"stepped"> | EntryOf<"entered">): void {
  if (entry.kind === "step") {
    const { mode, at } = entry;
    const known = view.entering?.mode === mode ? view.entering : { mode, done: 0, failure: null };
    view.entering = { ...known, started: at + 1 };
    return;
  }
  view.items.push(...entry.items);
  view.state = entry.state;
  if (entry.kind === "entered") view.entering = null;
  else if (view.entering !== null)
    view.entering = { ...view.entering, done: entry.at + 1, failure: entry.failure };
}

function foldEnd(view: SessionView, entry: EntryOf<"end">): void {
  // The turn ended without a request that could contain these messages, so the next turn contains them.
  for (const message of view.turn?.messages ?? []) {
    view.items.push(userMessage(message.text));
    view.prompts.push(...typedWords(message));
  }
  if (view.turn !== null) view.lastTurn = endedTurn(view.turn, entry);
  view.turn = null;
  view.state = entry.state;
  view.lastText = entry.text;
  view.lastStatus = entry.status;
}

function endedTurn(turn: OpenTurn, { code, message: text = "", status }: EntryOf<"end">): EndedTurn {
  const { turnId, iteration, callCount, usage, incomplete } = turn;
  return {
    turnId,
    iteration,
    callCount,
    usage,
    incomplete: status === "incomplete" ? (incomplete ?? "unknown") : null,
    error: code === undefined ? null : { code, message: text },
  };
}
