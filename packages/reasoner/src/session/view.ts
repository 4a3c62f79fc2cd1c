import type { JsonObject } from "@toolmount/core";
import {
  answerOf,
  message,
  readFunctionCall,
  textOf,
  type FunctionCall,
  type Item,
} from "../provider/items.ts";
import type { SessionEntry, WaitsFor } from "./entry.ts";
import { addUsage, noUsage, type Usage } from "../provider/usage.ts";

/** One call of the answer that is being worked on. */
export interface CallState {
  readonly call: FunctionCall;
  /** Whether it may have run. */
  started: boolean;
  output: Item | null;
  notes: readonly Item[];
  /** The session that it began, and what that had before; null again with `ended`. */
  child: ChildOfCall | null;
  waits: { ticket: string; waitsFor: WaitsFor; tool: string; arguments: unknown } | null;
}

/** A session that a call began or goes on with. */
export interface ChildOfCall {
  readonly sessionId: string;
  readonly before: { readonly turns: number; readonly calls: number; readonly usage: Usage };
  /** Its use is counted. */
  readonly ended: boolean;
}

/** How far a mode is entered. */
interface Entering {
  readonly mode: string;
  /** Calls that may have run. */
  readonly started: number;
  /** Calls of which it is known what they did. */
  readonly done: number;
  readonly failure: string | null;
}

/** How the last turn that ended did. */
interface EndedTurn {
  readonly turnId: string;
  readonly iteration: number;
  readonly callCount: number;
  readonly usage: Usage;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A turn that has not ended. */
interface OpenTurn {
  readonly turnId: string;
  readonly traceparent: string;
  iteration: number;
  callCount: number;
  usage: Usage;
  /** Calls of the last answer that are not all answered, in the order of the answer. */
  calls: CallState[];
  group: string | null;
  /** Milliseconds that it has been at work; while it waits between processes, it is not. */
  activeMs: number;
  /** The text of an answer without calls: with it the turn is over, and nothing is left but to say so. */
  finalText: string | null;
  /** What a fork takes. */
  readonly before: { readonly items: readonly Item[]; readonly state: JsonObject };
}

/** A session, as its log tells it. */
export interface SessionView {
  items: Item[];
  turn: OpenTurn | null;
  turns: number;
  /** Calls of all turns, those of children counted. */
  calls: number;
  lastTurn: EndedTurn | null;
  usage: Usage;
  state: JsonObject;
  title: string;
  lastText: string;
  lastStatus: "open" | "done" | "cancelled" | "failed";
  children: string[];
  forkedFrom: string | null;
  /** The last response, and how many items the server has with it. */
  response: { id: string; known: number } | null;
  lastInputTokens: number;
  /** A mode that is being entered; null once it is. */
  entering: Entering | null;
}

export function createView(): SessionView {
  return {
    items: [],
    turn: null,
    turns: 0,
    calls: 0,
    lastTurn: null,
    usage: noUsage,
    state: {},
    title: "",
    lastText: "",
    lastStatus: "done",
    children: [],
    forkedFrom: null,
    response: null,
    lastInputTokens: 0,
    entering: null,
  };
}

/** Carries one entry of the log into the view: the same way while a turn runs and when a session is read again. */
export function fold(view: SessionView, entry: SessionEntry): void {
  const { turn } = view;
  if (turn !== null && "ms" in entry) turn.activeMs = Math.max(turn.activeMs, entry.ms ?? 0);
  switch (entry.kind) {
    case "base":
      view.items.push(...entry.items);
      view.state = entry.state;
      view.forkedFrom = entry.from ?? null;
      return;
    case "begin":
      return begin(view, entry);
    case "note":
      view.items.push(...entry.items);
      view.state = entry.state ?? view.state;
      return;
    case "answer":
      return answer(view, entry);
    case "started":
      if (turn === null) return;
      turn.group = entry.group;
      for (const state of turn.calls) state.started ||= entry.callIds.includes(state.call.callId);
      return;
    case "output":
      return output(view, entry);
    case "waits": {
      const { ticket, waitsFor, tool, arguments: given } = entry;
      const state = turn?.calls.find(({ call }) => call.callId === entry.callId);
      if (state !== undefined) state.waits = { ticket, waitsFor, tool, arguments: given };
      return;
    }
    case "child":
      if (!view.children.includes(entry.sessionId)) view.children.push(entry.sessionId);
      view.usage = addUsage(view.usage, entry.usage);
      view.calls += entry.calls;
      if (turn !== null) turn.callCount += entry.calls;
      return childOfCall(view, entry);
    case "step":
      return step(view, entry);
    case "stepped":
      view.items.push(...entry.items);
      view.state = entry.state;
      if (view.entering !== null)
        view.entering = { ...view.entering, done: entry.at + 1, failure: entry.failure };
      return;
    case "entered":
      view.items.push(...entry.items);
      view.state = entry.state;
      view.entering = null;
      return;
    case "compacted":
      view.items = [...entry.items];
      view.response = null;
      view.lastInputTokens = 0;
      return;
    case "end":
      if (turn !== null) view.lastTurn = endedTurn(turn, entry);
      view.turn = null;
      view.state = entry.state;
      view.lastText = entry.text;
      view.lastStatus = entry.status;
      return;
    default:
  }
}

function begin(
  view: SessionView,
  { turnId, traceparent, prompt, state }: SessionEntry & { kind: "begin" },
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
    before,
  };
  view.state = state ?? view.state;
  view.turns++;
  view.lastStatus = "open";
  view.title ||= prompt.replace(/\s+/g, " ").slice(0, 80);
  view.items.push(message("user", prompt));
}

function answer(view: SessionView, entry: SessionEntry & { kind: "answer" }): void {
  view.items.push(...entry.items);
  view.usage = addUsage(view.usage, entry.usage);
  view.response = entry.responseId === null ? null : { id: entry.responseId, known: view.items.length };
  view.lastInputTokens = entry.inputTokens;
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
  view.calls += turn.calls.length;
}

function step(view: SessionView, { mode, at }: SessionEntry & { kind: "step" }): void {
  const known = view.entering?.mode === mode ? view.entering : { mode, done: 0, failure: null };
  view.entering = { ...known, started: at + 1 };
}

function childOfCall({ turn }: SessionView, entry: SessionEntry & { kind: "child" }): void {
  const { callId, sessionId, before } = entry;
  const state = turn?.calls.find(({ call }) => call.callId === callId);
  if (state === undefined) return;
  if (before !== undefined) state.child = { sessionId, before, ended: false };
  else if (state.child !== null) state.child = { ...state.child, ended: true };
}

function endedTurn(
  { turnId, iteration, callCount, usage }: OpenTurn,
  { code, message: text = "" }: SessionEntry & { kind: "end" },
): EndedTurn {
  return { turnId, iteration, callCount, usage, error: code === undefined ? null : { code, message: text } };
}

/** Outputs go into the conversation together, in the order of the calls, once each call has one. */
function output(view: SessionView, entry: SessionEntry & { kind: "output" }): void {
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
