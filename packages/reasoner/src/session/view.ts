import type { RefusedParts } from "../provider/refused-parts.ts";
import type { KeptPrompt } from "./author.ts";
import type { JsonObject } from "@toolmount/core";
import type { FunctionCall, Item } from "../provider/items.ts";
import { noUsage, type Usage } from "../provider/usage.ts";
import type { SessionStatus, WaitsFor } from "./entry.ts";

/** One call of the model's last answer. */
export interface CallState {
  readonly call: FunctionCall;
  /** Whether the call may have run. */
  started: boolean;
  output: Item | null;
  notes: readonly Item[];
  /** The sub-agent's session that the call began or resumed; null if it did neither. */
  child: ChildOfCall | null;
  waits: CallWait | null;
}

/** Why a call waits, and the ticket with which it is resumed. */
interface CallWait {
  readonly ticket: string;
  readonly waitsFor: WaitsFor;
  readonly tool: string;
  readonly arguments: unknown;
  /** Whether the question was on an approver's screen when the process ended. It is then asked again when the turn is resumed. */
  readonly asking: boolean;
}

/** What a session had used at one moment. */
export interface SessionTotals {
  readonly turns: number;
  readonly calls: number;
  readonly usage: Usage;
}

/** A sub-agent's session that a call began or resumed. */
export interface ChildOfCall {
  readonly sessionId: string;
  readonly before: SessionTotals;
  /** Whether the sub-agent's turn has ended and its use is counted in the parent. */
  readonly ended: boolean;
}

/** The progress of entering a mode. */
interface ModeEntry {
  readonly mode: string;
  /** The number of steps that may have run. */
  readonly started: number;
  /** The number of steps whose outcome is in the log. */
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
  /** Calls so far, including those of sub-agents. */
  callCount: number;
  /** Tokens so far, including those of sub-agents. */
  usage: Usage;
  /** The calls of the last answer, in its order, as long as any of them has no output. */
  calls: CallState[];
  group: string | null;
  /** Milliseconds that the turn has worked, without the time between a pause or a crash and its next resume. */
  activeMs: number;
  /** The text of an answer without calls. After it, only the end of the turn is to be stored. Null if there is no such answer. */
  finalText: string | null;
  /** Why the last answer was cut; null for a complete one. */
  incomplete: string | null;
  /** The number of answers in a row, up to the last one, that were cut and have calls. */
  cuts: number;
  /** The number of times that the model was asked again since its last answer with calls. */
  tries: number;
  /** The user's messages since the last round, which join the conversation before the next one. */
  readonly messages: KeptPrompt[];
  /** Ids of the user's messages, so that a message that is sent twice counts once. */
  readonly messageIds: Set<string>;
  /** The items and the state before the turn. A fork copies these. */
  readonly before: { readonly items: readonly Item[]; readonly state: JsonObject };
}

/** A session as its log describes it. */
export interface SessionView {
  items: Item[];
  turn: OpenTurn | null;
  turns: number;
  /** Calls of all turns, including those of sub-agents. */
  calls: number;
  lastTurn: EndedTurn | null;
  usage: Usage;
  state: JsonObject;
  title: string;
  lastText: string;
  lastStatus: SessionStatus;
  children: string[];
  forkedFrom: string | null;
  /** The user's prompts, including those from before a fork. A compaction keeps them. A sub-agent has its instructions here. */
  prompts: string[];
  /** Ids of the sessions from which this one descends by forks. It has seen the results of their calls. */
  sources: string[];
  /** The id of the last response, and how many items its server knows. Null if the next request must contain all items. */
  response: { id: string; known: number } | null;
  /** Tokens of the last request, as the server counted them; 0 if it did not, or if items were left out since. */
  lastInputTokens: number;
  /** How many items `lastInputTokens` includes. */
  counted: number;
  /** How often a summary replaced older items. */
  summaries: number;
  /** Tokens of the smallest conversation that the server refused as too long; null without such a refusal. */
  refusedTokens: number | null;
  /** Tokens of the largest request that was answered. */
  largestTokens: number;
  /** Images, files and other parts that servers refused. */
  readonly refusedParts: RefusedParts[];
  /** The mode that is being entered; null if none is. */
  entering: ModeEntry | null;
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
