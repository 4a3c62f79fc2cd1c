/**
 * What a child inherits: its parent's messages (`conversation`), also results of agents (`agents`) or of all tools (`full`).
 */
export type InheritedScope = "conversation" | "agents" | "full";

/** A request to the capability `session.spawn`, or with a `sessionId` to `session.resume`. */
export interface SpawnRequest {
  /** An agent of the plan, or `self`. Optional with a `sessionId`; then it must be the session's agent. */
  readonly agent?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly instruction: string;
  /** The session and the turn that make the request. A turn can start sessions only while it runs. */
  readonly parentSessionId: string;
  readonly parentTurnId: string;
  /**
   * The id of the call that makes the request. Only for a tool that does nothing else. If its process ends, or the sub-agent
   * waits, the call is made again when the parent's turn is resumed, and resumes the same session. A sub-agent that waits is
   * then reported by an interrupt, not as a result. Without this id, a call whose process ended has the outcome `unknown`.
   */
  readonly parentCallId?: string | undefined;
  /** The trace context of the calling call; the child's turn is traced as part of it. */
  readonly traceparent?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** How many turns of the parent's conversation the child inherits: the newest ones, in their order, or all. */
  readonly inherit?: { readonly turns: number } | "all" | undefined;
  /** Default `conversation`. */
  readonly scope?: InheritedScope | undefined;
  /** Tools that the child does not get unless its agent names them: names, declared names or modules. */
  readonly exclude?: readonly string[] | undefined;
  /** How many sessions of the agent `self` may be nested in a row. Default: only the limit for nested sessions of any agent holds. */
  readonly maxSelfDepth?: number | undefined;
}

/** The end of a child's turn, or the point at which it paused. */
export interface ChildTurn {
  /** `paused`: some of its calls wait. `incomplete`: the model's last answer was cut off. */
  readonly status: "done" | "incomplete" | "paused" | "cancelled" | "failed";
  /** The model's last text. */
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string };
  /** Number of requests to the model. */
  readonly iterations: number;
  readonly calls: number;
}

/** A child session and the end of its turn. */
export interface SpawnResult {
  readonly sessionId: string;
  readonly agent: string;
  /** Number of turns of the session so far. */
  readonly turns: number;
  readonly turn: ChildTurn;
}

/** The capabilities `session.spawn` and `session.resume`. */
export type Spawn = (request: SpawnRequest) => Promise<SpawnResult>;

/** The capability `session.agents`: the plan's agents. */
export type ListAgents = () => readonly { readonly name: string; readonly description: string }[];
