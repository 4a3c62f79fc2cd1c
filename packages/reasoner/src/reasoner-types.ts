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

/** The parts of a host that turns need. */
export type TurnHost = Pick<Host, "session" | "approvals" | "tools"> & Partial<Pick<Host, "coordinator">>;

/** Options of every turn. */
export interface TurnOptions {
  /** The user of the turn. Only a session's user may use it; a session without a user is open to all. Default: the session's user. */
  readonly userId?: string | undefined;
  /** The conversation that tools see in their context. Default: the session's id; a sub-agent has its parent's. */
  readonly conversationId?: string | undefined;
  /** Cancels the turn. Every call that it made is answered. */
  readonly abortSignal?: AbortSignal | undefined;
  readonly onEvent?: ((event: TurnEvent) => void) | undefined;
  /** W3C trace context of the caller. The turn, its requests and its calls become part of that trace. */
  readonly traceparent?: string | undefined;
  /** Makes the calls of the turn a part of a rehearsal: they change nothing. Its conversation is kept like any other. */
  readonly rehearsal?: Rehearsal | undefined;
  /** More instructions for this turn, after those of the plan, such as the text of an AGENTS.md. */
  readonly instructions?: string | undefined;
  /** Settings of this turn that override the plan's. */
  readonly settings?: Partial<Settings> | undefined;
}

/** Options of a new turn. */
export interface RunOptions extends TurnOptions {
  /** A text that the user typed, or parts of which each says who wrote it. */
  readonly prompt: Prompt;
  /** Images of the prompt; base64. Rejects with `OPTION_INVALID` for another type than `image/…`. */
  readonly images?: readonly ImageInput[] | undefined;
  /** The session of the turn: an existing one, or a new one under this id. Default: a new one. */
  readonly sessionId?: string | undefined;
}

/** Options for resuming a turn. */
export interface ResumeOptions extends TurnOptions {
  readonly sessionId: string;
  /** Results of calls that the client runs. */
  readonly clientResults?: readonly ClientResult[] | undefined;
  /** Ends the turn instead: waiting calls are answered as cancelled, and their questions become void. */
  readonly cancel?: boolean | undefined;
  /** Denies the waiting calls, and gives the model this message instead. */
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
  /** The cost of `usage`; null when the plan has no prices. */
  readonly cost: Cost | null;
  readonly forkedFrom: string | null;
  readonly createdAt: SessionRecord["createdAt"];
  readonly updatedAt: SessionRecord["updatedAt"];
}

/** The size of a session's conversation for the model, and what was removed from it. */
export interface ContextFacts {
  /** Tokens of the last request, or an estimate. */
  readonly tokens: number;
  /** Results of which the model sees only the beginning. `output` reads them completely. */
  readonly cleared: number;
  /** Summaries that replaced older items, in the whole session. */
  readonly summaries: number;
}

/** A session with its conversation. */
export interface SessionDetails extends SessionSummary {
  /** The items that the model sees now. After a compaction they are fewer than those of the session. */
  readonly items: readonly Item[];
  readonly context: ContextFacts;
  readonly waiting: readonly WaitingCall[];
  /** Sessions of its sub-agents. */
  readonly children: readonly string[];
}

/** Runs turns of sessions over a model. Mounted at `orchestrator`. */
export interface Reasoner {
  /** The model that is asked if a turn names no other. */
  readonly model: string;
  /**
   * Runs a turn. Rejects with `SESSION_CONFLICT` if the session has an open turn, and with `SESSION_NOT_FOUND` for
   * another user's session. A failure of the turn itself is in its result.
   */
  run(host: TurnHost, options: RunOptions): Promise<TurnResult>;
  /**
   * Resumes a turn that paused, or whose process is gone; nothing runs twice. Rejects with `SESSION_NOT_FOUND` for a
   * session that does not belong to this user, with `SESSION_CONFLICT` if no turn is open, and with `CLIENT_RESULT_REFUSED`.
   */
  resume(host: TurnHost, options: ResumeOptions): Promise<TurnResult>;
  /** Lists sessions, newest change first. */
  list(filter?: {
    parentId?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly SessionSummary[]>;
  /** Returns a session with its conversation. Rejects with `SESSION_NOT_FOUND`. */
  show(sessionId: string): Promise<SessionDetails>;
  /** Returns how the last turn of a session ended; null if none has ended. Rejects with `SESSION_NOT_FOUND`. */
  lastTurn(sessionId: string): Promise<TurnResult | null>;
  /**
   * Returns the result of a call as the model first read it, even after it was cleared or left out; null for a call without one.
   * Rejects with `SESSION_NOT_FOUND`.
   */
  output(sessionId: string, callId: string): Promise<Item | null>;
  /**
   * Returns all ended calls of a session, in the order of their ends, with secrets as the model wrote them. Rejects with
   * `SESSION_NOT_FOUND`, and with `SESSION_UNREADABLE`.
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
   * for another user's session. The copy of a session without a user belongs to the user who forks it.
   */
  fork(
    host: TurnHost,
    sessionId: string,
    newId?: string,
    userId?: string,
    at?: number,
  ): Promise<SessionSummary>;
  /**
   * Removes the last `turns` turns from the conversation, so that the model no longer sees them. The effects of their calls stay,
   * and the log keeps the turns. Rejects with `SESSION_CONFLICT` while a turn is open, and with `OPTION_INVALID` for more turns
   * than exist.
   */
  rewind(host: TurnHost, sessionId: string, turns: number, userId?: string): Promise<SessionSummary>;
  /**
   * Adds a message of the user to the turn that runs in this process. The model reads it with its next request, after the
   * calls that run now, and the turn does not end before. The message is stored when this resolves; a second one with the same
   * `id` changes nothing. Rejects with `SESSION_CONFLICT` if no turn runs here.
   */
  addMessage(sessionId: string, prompt: Prompt, id?: string): Promise<void>;
  /**
   * Gives up the turn that runs in this process, so that another process can take it, as if this one were gone. Its log stays as
   * it is, and its `run` or `resume` here rejects with `SESSION_CONFLICT`.
   */
  release(sessionId: string): void;
  /** Drops a session's live state in this process; its log stays. */
  leave(host: TurnHost, sessionId: string): Promise<void>;
}
