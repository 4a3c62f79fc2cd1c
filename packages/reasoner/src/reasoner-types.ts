import type { Host, SessionRecord } from "@toolmount/core";
import type { Item } from "./provider/items.ts";
import type { ClientResult, TurnEvent, TurnResult, WaitingCall } from "./turn/turn-types.ts";
import type { Settings } from "./config.ts";
import type { Usage } from "./provider/usage.ts";

/** The part of a host that turns need. */
export type TurnHost = Pick<Host, "session" | "approvals" | "tools">;

/** What every turn may be given. */
export interface TurnOptions {
  /** Only the user of a session goes on with it; a session without one is open to all. Default: the session's. */
  readonly userId?: string | undefined;
  /** Cancels the turn; every call it made is answered. */
  readonly abortSignal?: AbortSignal | undefined;
  readonly onEvent?: ((event: TurnEvent) => void) | undefined;
  /** W3C trace context of whoever asks; the turn, its requests and its calls are told as a part of that trace. */
  readonly traceparent?: string | undefined;
  /** Another model, or another server, than the plan's, for this turn. */
  readonly settings?: Partial<Settings> | undefined;
}

export interface RunOptions extends TurnOptions {
  readonly prompt: string;
  /** Goes on with this session, or begins it under this id. Default: a new one. */
  readonly sessionId?: string | undefined;
}

export interface ResumeOptions extends TurnOptions {
  readonly sessionId: string;
  /** For calls that the client runs. */
  readonly clientResults?: readonly ClientResult[] | undefined;
  /** Ends the turn instead: what waits is answered as cancelled. */
  readonly cancel?: boolean | undefined;
}

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly parentId: string | null;
  readonly agent: string | null;
  readonly title: string;
  readonly turns: number;
  /** `open`: a turn has not ended; it runs, waits, or its process is gone. */
  readonly status: "open" | "done" | "cancelled" | "failed";
  /** Calls that wait. */
  readonly waits: number;
  readonly usage: Usage;
  readonly forkedFrom: string | null;
  readonly createdAt: SessionRecord["createdAt"];
  readonly updatedAt: SessionRecord["updatedAt"];
}

/** A session, whole. */
export interface SessionDetails extends SessionSummary {
  readonly items: readonly Item[];
  readonly waiting: readonly WaitingCall[];
  readonly children: readonly string[];
}

/** Runs turns of sessions over a model; what is mounted at `orchestrator`. */
export interface Reasoner {
  /**
   * Runs a turn. Rejects with `SESSION_CONFLICT` where one is open, and with `SESSION_NOT_FOUND` where the session is
   * another user's; what goes wrong in the turn is in its result.
   */
  run(host: TurnHost, options: RunOptions): Promise<TurnResult>;
  /**
   * Goes on with a turn that paused, or whose process is gone; nothing runs twice. Rejects with `SESSION_NOT_FOUND`
   * where there is none of this user, with `SESSION_CONFLICT` where no turn is open, and with `CLIENT_RESULT_REFUSED`.
   */
  resume(host: TurnHost, options: ResumeOptions): Promise<TurnResult>;
  /** Newest change first. */
  list(filter?: {
    parentId?: string | undefined;
    limit?: number | undefined;
  }): Promise<readonly SessionSummary[]>;
  /** Rejects with `SESSION_NOT_FOUND`. */
  show(sessionId: string): Promise<SessionDetails>;
  /**
   * A new session with all that one has; a turn that is open is left out. Rejects with `SESSION_NOT_FOUND` where it is
   * another user's; one without a user becomes the user's who forks it.
   */
  fork(host: TurnHost, sessionId: string, newId?: string, userId?: string): Promise<SessionSummary>;
  /** Forgets a session's live state in this process; its log stays. */
  leave(host: TurnHost, sessionId: string): Promise<void>;
}
