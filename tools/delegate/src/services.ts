/** What is asked of the capability `session.spawn`, and with a `sessionId` of `session.resume`. */
export interface SpawnRequest {
  readonly agent?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly instruction: string;
  readonly parentSessionId: string;
  readonly parentTurnId: string;
  readonly abortSignal?: AbortSignal | undefined;
  readonly inherit?: { readonly turns: number } | "all" | undefined;
  /** Tools that the child does not get, unless its agent names them. */
  readonly exclude?: readonly string[] | undefined;
}

/** How a child's turn ended. */
export interface ChildTurn {
  readonly sessionId: string;
  readonly agent: string;
  readonly turns: number;
  readonly turn: {
    readonly status: "done" | "paused" | "cancelled" | "failed";
    readonly text: string;
    readonly error?: { readonly code: string; readonly message: string };
    readonly iterations: number;
    readonly calls: number;
  };
}

export type Spawn = (request: SpawnRequest) => Promise<ChildTurn>;

/** Events that the tool tells. */
export type DelegateEvent =
  | "delegate:agent_spawned"
  | "delegate:agent_resumed"
  | "delegate:agent_completed"
  | "delegate:agent_cancelled"
  | "delegate:error";
