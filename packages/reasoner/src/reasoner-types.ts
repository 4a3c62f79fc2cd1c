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

/** The part of a host that turns need. */
export type TurnHost = Pick<Host, "session" | "approvals" | "tools"> & Partial<Pick<Host, "coordinator">>;

/** Options of every turn. */
export interface TurnOptions {
  /** Only a session's user may use it; a session without a user is open to all. Default: the session's user. */
  readonly userId?: string | undefined;
  /** The conversation that tools see in their context. Default: the session's id; a sub-agent has its parent's. */
  readonly conversationId?: string | undefined;
  /** Cancels the turn; every call it made is answered. */
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

/** Options of a turn that resumes. */
export interface ResumeOptions extends TurnOptions {
  readonly sessionId: string;
  /** Results of calls that the client runs. */
  readonly clientResults?: readonly ClientResult[] | undefined;
  /** Ends the turn instead: calls that wait are answered as cancelled, and their questions are void. */
  readonly cancel?: boolean | undefined;
  /** Denies the calls that wait, and says this to the model in their place. */
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

/** The size of what the model sees of a session, and what was taken from it. */
export interface ContextFacts {
  /** Tokens of the last request, or an estimate. */
  readonly tokens: number;
  /** Results of which the model sees only the beginning. `output` reads them whole. */
  readonly cleared: number;
  /** Summaries that took the place of older items, in the whole session. */
  readonly summaries: number;
}

/** A session with its conversation. */
export interface SessionDetails extends SessionSummary {
  /** What the model sees now: after a compaction less than was said. */
  readonly items: readonly Item[];
  readonly context: ContextFacts;
  readonly waiting: readonly WaitingCall[];
  /** Sessions of its sub-agents. */
  readonly children: readonly string[];
}

/** Runs turns of sessions over a model. Mounted at `orchestrator`. */
export interface Reasoner {
  /** The model that is asked, where a turn names no other. */
  readonly model: string;
  /**
   * Runs a turn. Rejects with `SESSION_CONFLICT` when the session has an open turn, and with `SESSION_NOT_FOUND` for
   * another user's session. A failure of the turn itself is in its result.
   */
  run(host: TurnHost, options: RunOptions): Promise<TurnResult>;
  /**
   * Resumes a turn that paused, or whose process is gone; nothing runs twice. Rejects with `SESSION_NOT_FOUND` for a
   * session that this user does not have, with `SESSION_CONFLICT` when no turn is open, and with `CLIENT_RESULT_REFUSED`.
   */
  resume(host: TurnHost, options: ResumeOptions): Promise<TurnResult>;
  /** Lists sessions, the last changed first. */
  list(filter?: {
    parentId?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly SessionSummary[]>;
  /** Rejects with `SESSION_NOT_FOUND`. */
  show(sessionId: string): Promise<SessionDetails>;
  /** How the last turn of a session ended; null where none has. Rejects with `SESSION_NOT_FOUND`. */
  lastTurn(sessionId: string): Promise<TurnResult | null>;
  /**
   * The result of a call as the model read it first, also after it was cleared or left out; null for a call without one.
   * Rejects with `SESSION_NOT_FOUND`.
   */
  output(sessionId: string, callId: string): Promise<Item | null>;
  /**
   * All calls of a session that ended, in that order, with secrets as the model wrote them. Rejects with
   * `SESSION_NOT_FOUND`, and with `SESSION_UNREADABLE`.
   */
  calls(sessionId: string): Promise<readonly SessionCall[]>;
  /**
   * What was said in a session, in order, with who wrote it. Rejects with `SESSION_NOT_FOUND`, and with `SESSION_UNREADABLE`.
   */
  said(sessionId: string): Promise<readonly Said[]>;
  /** The user of a session; null for a session without one. Rejects with `SESSION_NOT_FOUND`. */
  owner(sessionId: string): Promise<string | null>;
  /**
   * Copies a session without its open turn, or with `at` as it was after its first `at` turns. Rejects with `SESSION_NOT_FOUND` for another user's session. The copy of a
   * session without a user belongs to the user who forks it.
   */
  fork(
    host: TurnHost,
    sessionId: string,
    newId?: string,
    userId?: string,
    at?: number,
  ): Promise<SessionSummary>;
  /**
   * Removes the last `turns` turns from the conversation: the model no longer sees them. What their calls did stays done, and the log keeps
   * them. Rejects with `SESSION_CONFLICT` while a turn is open, and with `OPTION_INVALID` for more turns than there are.
   */
  rewind(host: TurnHost, sessionId: string, turns: number, userId?: string): Promise<SessionSummary>;
  /**
   * Adds a message of the user to the turn that runs in this process: the model reads it with its next request, after the
   * calls that run now, and the turn does not end before that. It is stored when this resolves; a second one with the same
   * `id` changes nothing. Rejects with `SESSION_CONFLICT` when no turn runs here.
   */
  addMessage(sessionId: string, prompt: Prompt, id?: string): Promise<void>;
  /**
   * Leaves the turn that runs in this process to another one, as if this process were gone: its log stays where it is, and
   * `run` or `resume` of it rejects with `SESSION_CONFLICT`.
   */
  release(sessionId: string): void;
  /** Drops a session's live state in this process; its log stays. */
  leave(host: TurnHost, sessionId: string): Promise<void>;
}
