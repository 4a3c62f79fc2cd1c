import type { Host, Rehearsal, SessionRecord } from "@toolmount/core";
import type { Settings } from "./config/settings.ts";
import type { ImageInput, Item } from "./provider/items.ts";
import type { Cost, Usage } from "./provider/usage.ts";
import type { Prompt } from "./session/author.ts";
import type { SessionStatus } from "./session/entry.ts";
import type { SessionCall } from "./session/past-calls.ts";
import type { Said } from "./session/said.ts";
import type { WaitingCall } from "./session/waiting.ts";
import type { ClientResult, TurnEvent, TurnResult } from "./turn/turn-types.ts";

/** What turns need of a host. */
export type TurnHost = Pick<Host, "session" | "approvals" | "tools"> & Partial<Pick<Host, "coordinator">>;

/** Options of every turn. */
export interface TurnOptions {
  /**
   * The user of the turn. Another user's session is refused; a session without a user is open to all. Default: the session's
   * user.
   */
  readonly userId?: string | undefined;
  /** The id of the conversation that tools get. Default: the session's id; for a sub-agent, its parent's. */
  readonly conversationId?: string | undefined;
  /** Cancels the turn. Calls that the turn made are still answered. */
  readonly abortSignal?: AbortSignal | undefined;
  readonly onEvent?: ((event: TurnEvent) => void) | undefined;
  /** The W3C trace context of the caller, to which the turn, its requests and its calls then belong. */
  readonly traceparent?: string | undefined;
  /**
   * Makes the turn's calls a part of a rehearsal, so that they change nothing. The conversation of the turn is stored as usual.
   */
  readonly rehearsal?: Rehearsal | undefined;
  /** Instructions for this turn, which follow those of the plan, such as the text of an AGENTS.md. */
  readonly instructions?: string | undefined;
  /** Settings of this turn that override the plan's. */
  readonly settings?: Partial<Settings> | undefined;
}

/** Options of a new turn. */
export interface RunOptions extends TurnOptions {
  /** A text that the user typed, or parts that each say who wrote them. */
  readonly prompt: Prompt;
  /** Images of the prompt, in base64. Rejects with `OPTION_INVALID` if a type is not `image/…`. */
  readonly images?: readonly ImageInput[] | undefined;
  /** The id of the turn's session, which may be new. Default: a new session. */
  readonly sessionId?: string | undefined;
}

/** Options for resuming a turn. */
export interface ResumeOptions extends TurnOptions {
  readonly sessionId: string;
  /** Results of calls that the client ran. */
  readonly clientResults?: readonly ClientResult[] | undefined;
  /** Ends the turn: waiting calls are answered as cancelled, and their questions can no longer be answered. */
  readonly cancel?: boolean | undefined;
  /** A message for the model. It denies the waiting calls. */
  readonly message?: Prompt | undefined;
}

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly parentId: string | null;
  readonly agent: string | null;
  readonly title: string;
  readonly turns: number;
  readonly status: SessionStatus;
  /** How many calls wait. */
  readonly waits: number;
  readonly usage: Usage;
  /** The cost of `usage`; null for a plan without prices. */
  readonly cost: Cost | null;
  readonly forkedFrom: string | null;
  readonly createdAt: SessionRecord["createdAt"];
  readonly updatedAt: SessionRecord["updatedAt"];
}

/** How large a session's conversation is for the model, and what was removed from it. */
export interface ContextFacts {
  /** Input tokens of the last request, or an estimate. */
  readonly tokens: number;
  /** How many results were cleared, so that the model sees only their beginning. `output` returns them completely. */
  readonly cleared: number;
  /** How many summaries replaced older items, in the whole session. */
  readonly summaries: number;
}

/** A session with its conversation. */
export interface SessionDetails extends SessionSummary {
  /** The items that the model sees now. After a compaction, older items of the session are missing. */
  readonly items: readonly Item[];
  readonly context: ContextFacts;
  readonly waiting: readonly WaitingCall[];
  /** Sessions of its sub-agents. */
  readonly children: readonly string[];
}

/** Runs the turns of sessions with a model. Mounted at `orchestrator`. */
export interface Reasoner {
  /** The name of the model that is asked if a turn names no other. */
  readonly model: string;
  /**
   * Runs a turn. Rejects with `SESSION_CONFLICT` if the session has an open turn, and with `SESSION_NOT_FOUND` for another user's
   * session. If the turn itself fails, its result says so.
   */
  run(host: TurnHost, options: RunOptions): Promise<TurnResult>;
  /**
   * Resumes a turn that paused, or whose process has ended. Nothing runs twice. Rejects with `SESSION_NOT_FOUND` for another
   * user's session, `SESSION_CONFLICT` if no turn is open, and `CLIENT_RESULT_REFUSED` if a result fits no waiting call.
   */
  resume(host: TurnHost, options: ResumeOptions): Promise<TurnResult>;
  /** Lists sessions, the last changed first. */
  list(filter?: {
    parentId?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly SessionSummary[]>;
  /** Returns a session with its conversation. Rejects with `SESSION_NOT_FOUND`. */
  show(sessionId: string): Promise<SessionDetails>;
  /** Returns how the last ended turn of a session ended; null if no turn has ended. Rejects with `SESSION_NOT_FOUND`. */
  lastTurn(sessionId: string): Promise<TurnResult | null>;
  /**
   * Returns the result of a call as the model first read it, even if it was cleared or left out since. Null if the session has no
   * such result. Rejects with `SESSION_NOT_FOUND`.
   */
  output(sessionId: string, callId: string): Promise<Item | null>;
  /**
   * Returns all ended calls of a session, in the order in which they ended. Their arguments are as the model wrote them, with
   * secrets. Rejects with `SESSION_NOT_FOUND`, and with `SESSION_UNREADABLE`.
   */
  calls(sessionId: string): Promise<readonly SessionCall[]>;
  /**
   * Returns all texts of a session in order, each with its author. Rejects with `SESSION_NOT_FOUND`, and with
   * `SESSION_UNREADABLE`.
   */
  said(sessionId: string): Promise<readonly Said[]>;
  /** Returns the user of a session; null for a session without one. Rejects with `SESSION_NOT_FOUND`. */
  owner(sessionId: string): Promise<string | null>;
  /**
   * Copies a session without its open turn or, with `at`, as it was after its first `at` turns. Rejects with `SESSION_NOT_FOUND`
   * for another user's session. A copy of a session without a user belongs to the user who makes it.
   */
  fork(
    host: TurnHost,
    sessionId: string,
    newId?: string,
    userId?: string,
    at?: number,
  ): Promise<SessionSummary>;
  /**
   * Removes the last `turns` turns from the conversation, so that the model no longer sees them. What their calls changed stays
   * changed, and the log keeps the turns. Rejects with `SESSION_CONFLICT` while a turn is open, and with `OPTION_INVALID` if the
   * session has fewer turns.
   */
  rewind(host: TurnHost, sessionId: string, turns: number, userId?: string): Promise<SessionSummary>;
  /**
   * Adds a message of the user to the turn that runs in this process. The model reads the message with its next request, after
   * the calls that run now, and the turn does not end before that. When this resolves, the message is stored. A second message
   * with the same `id` changes nothing. Rejects with `SESSION_CONFLICT` if no turn runs here.
   */
  addMessage(sessionId: string, prompt: Prompt, id?: string): Promise<void>;
  /**
   * Stops changing the log of the turn that runs in this process, so that another process can resume the turn. Its `run` or
   * `resume` here then rejects with `SESSION_CONFLICT`.
   */
  release(sessionId: string): void;
  /** Emits `session:end`, and removes what this process keeps in memory about a session. The session's log stays. */
  leave(host: TurnHost, sessionId: string): Promise<void>;
}
