/** What of a conversation comes along: what was said, with what agents answered, or with what all tools answered. */
export type InheritedScope = "conversation" | "agents" | "full";

/** What is asked of the capability `session.spawn`, and with a `sessionId` of `session.resume`. */
export interface SpawnRequest {
  /** An agent of the plan, or `self`. Not needed with a `sessionId`; then it has to be the one that the session is. */
  readonly agent?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly instruction: string;
  /** The session whose turn asks, and that turn: only while it runs can it begin another. */
  readonly parentSessionId: string;
  readonly parentTurnId: string;
  /**
   * The call that asks, of a tool that does nothing else. When its process ends, or the sub-agent waits, the call is made
   * again when the parent's turn is resumed, and resumes the same session. A sub-agent that waits is then reported by an
   * interrupt, not as a result. Without this id, a call whose process ended has the outcome `unknown`.
   */
  readonly parentCallId?: string | undefined;
  /** The trace context of the call that asks; the child's turn is told as a part of it. */
  readonly traceparent?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** How much of the parent's conversation comes along, newest last. */
  readonly inherit?: { readonly turns: number } | "all" | undefined;
  /** Default `conversation`. */
  readonly scope?: InheritedScope | undefined;
  /** Tools that the child does not get, unless its agent names them; by name, declared name or module. */
  readonly exclude?: readonly string[] | undefined;
  /** How often in a row an agent may begin one like itself. Default: as deep as sessions may begin sessions. */
  readonly maxSelfDepth?: number | undefined;
}

/** How the turn of a child ended, or where it stopped. */
export interface ChildTurn {
  /** `paused`: calls of it wait. `incomplete`: the model's last answer was cut. */
  readonly status: "done" | "incomplete" | "paused" | "cancelled" | "failed";
  /** What the model said last. */
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string };
  /** Requests to the model. */
  readonly iterations: number;
  readonly calls: number;
}

/** A child, and how its turn ended. */
export interface SpawnResult {
  readonly sessionId: string;
  readonly agent: string;
  /** Turns of its session so far. */
  readonly turns: number;
  readonly turn: ChildTurn;
}

/** The capabilities `session.spawn` and `session.resume`. */
export type Spawn = (request: SpawnRequest) => Promise<SpawnResult>;

/** The capability `session.agents`: which agents the plan has. */
export type ListAgents = () => readonly { readonly name: string; readonly description: string }[];
