import type { RefusedParts } from "../provider/refused-parts.ts";
import type { KeptPrompt } from "./author.ts";
import type { JsonObject } from "@toolmount/core";
import type { FunctionCall, Item } from "../provider/items.ts";
import { noUsage, type Usage } from "../provider/usage.ts";
import type { SessionStatus, WaitsFor } from "./entry.ts";

/** One call of the model's last answer. */
export interface CallState {
  readonly call: FunctionCall;
  /** Whether it may have run. */
  started: boolean;
  output: Item | null;
  notes: readonly Item[];
  /** The sub-agent's session that the call began or resumed. */
  child: ChildOfCall | null;
  waits: CallWait | null;
}

/** What a call waits for, and the ticket with which it is resumed. */
interface CallWait {
  readonly ticket: string;
  readonly waitsFor: WaitsFor;
  readonly tool: string;
  readonly arguments: unknown;
  /** The question was on an approver's screen; an open one is asked again when the turn is resumed. */
  readonly asking: boolean;
}

/** What a session had used at one moment. */
export interface SessionTotals {
  readonly turns: number;
  readonly calls: number;
  readonly usage: Usage;
}

/** A session that a call began or resumed. */
export interface ChildOfCall {
  readonly sessionId: string;
  readonly before: SessionTotals;
  /** Its turn has ended, and its use is counted. */
  readonly ended: boolean;
}

/** How far a mode is entered. */
interface ModeEntry {
  readonly mode: string;
  /** Steps that may have run. */
  readonly started: number;
  /** Steps whose outcome is recorded. */
  readonly done: number;
  readonly failure: string | null;
}

/** How the last turn ended. */
export interface EndedTurn {
  readonly turnId: string;
  readonly iteration: number;
  readonly callCount: number;
  readonly usage: Usage;
  readonly incomplete: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A turn that has not ended. */
export interface OpenTurn {
  readonly turnId: string;
  readonly traceparent: string;
  iteration: number;
  /** Calls so far, those of sub-agents included. */
  callCount: number;
  /** Tokens so far, those of sub-agents included. */
  usage: Usage;
  /** Calls of the last answer while one of them has no output, in the order of the answer. */
  calls: CallState[];
  group: string | null;
  /** Milliseconds of work; time between two processes does not count. */
  activeMs: number;
  /** The text of an answer without calls: only the end of the turn is still to be recorded. */
  finalText: string | null;
  /** Why the last answer was cut; null for a whole one. */
  incomplete: string | null;
  /** How many of the last answers, one after the other, were cut and had calls. */
  cuts: number;
  /** How often the model was asked again, since its last calls. */
  tries: number;
  /** What the user wrote since the last round; it joins the conversation before the next one. */
  readonly messages: KeptPrompt[];
  /** Ids of such messages: one that is sent again is the same. */
  readonly messageIds: Set<string>;
  /** What a fork copies. */
  readonly before: { readonly items: readonly Item[]; readonly state: JsonObject };
}

/** A session as its log describes it. */
export interface SessionView {
  items: Item[];
  turn: OpenTurn | null;
  turns: number;
  /** Calls of all turns, those of sub-agents included. */
  calls: number;
  lastTurn: EndedTurn | null;
  usage: Usage;
  state: JsonObject;
  title: string;
  lastText: string;
  lastStatus: SessionStatus;
  children: string[];
  forkedFrom: string | null;
  /** What the session was asked, also before a fork. A compaction keeps it. Of a sub-agent, its parent's words. */
  prompts: string[];
  /** The sessions from which it was forked, one after the other: it has seen their results. */
  sources: string[];
  /** The last response, and how many items the server has with it. */
  response: { id: string; known: number } | null;
  /** Tokens of the last request, as the server counted them; 0 when it did not, or when items were left out since. */
  lastInputTokens: number;
  /** How many items those tokens count. */
  counted: number;
  /** How often a summary took the place of older items. */
  summaries: number;
  /** Tokens of the smallest conversation that the server refused as too long; null when it refused none. */
  refusedTokens: number | null;
  /** Tokens of the largest request that was answered. */
  largestTokens: number;
  /** Images and files that servers refused. */
  readonly refusedParts: RefusedParts[];
  /** A mode that is being entered; null once it is entered. */
  entering: ModeEntry | null;
}

/** The view of an empty log. */
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
    prompts: [],
    sources: [],
    response: null,
    lastInputTokens: 0,
    counted: 0,
    summaries: 0,
    refusedTokens: null,
    largestTokens: 0,
    refusedParts: [],
    entering: null,
  };
}
