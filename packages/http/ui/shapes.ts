// The shapes of the API that the page reads; /api/v1/openapi.json describes them.

export interface Approval {
  readonly id: string;
  readonly state: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly prompt: string;
  readonly reasons: readonly { readonly source: string; readonly reason: string; readonly rule?: string }[];
  readonly place?: {
    readonly tool: string;
    readonly line: number;
    readonly code: string;
    readonly after: number;
  };
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly digest: string;
  /** The decision when the time is over. */
  readonly default: "approve" | "deny";
  readonly end?: { readonly status: string };
  readonly rememberable: boolean;
  readonly info: {
    readonly sessionId?: string;
    readonly userId?: string;
    readonly callId: string;
    readonly runId: string;
    readonly parentRunId?: string;
  };
  readonly decision: {
    readonly decision: string;
    readonly by: string;
    readonly at: number;
    readonly reason?: string;
    /** Those with which the person let the call run instead. */
    readonly arguments?: Readonly<Record<string, unknown>>;
  } | null;
}

export interface Remembered {
  readonly id: string;
  readonly tool: string;
  readonly scope: string;
  readonly pattern: Readonly<Record<string, unknown>> | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly by: string;
  readonly at: number;
  readonly expiresAt: number | null;
  readonly uses: number;
  readonly usedAt: number | null;
}

export interface CallSummary {
  readonly runId: string;
  readonly callId: string;
  readonly kind: "call" | "rehearsal" | "undo";
  readonly tool: string;
  readonly status: string;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly code: string | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly turnId: string | null;
  readonly parentRunId: string | null;
  readonly place: { readonly line: number; readonly code: string } | null;
  readonly line: string;
  /** Grows with each change of any call. */
  readonly change: number;
}

type Shown = { readonly value: unknown } | { readonly text: string; readonly characters: number } | null;

export interface CallRecord extends CallSummary {
  readonly phase: string | null;
  readonly traceparent: string | null;
  readonly arguments: Shown;
  readonly result: Shown;
  readonly steps: readonly { readonly at: number; readonly name: string; readonly note?: string }[];
}

/** A line of a program with the calls that it made. */
export interface ProgramLine {
  readonly line: number | null;
  readonly code: string;
  readonly isNow: boolean;
  readonly calls: readonly CallSummary[];
}

export interface Program {
  readonly lines: readonly ProgramLine[];
  readonly isCut: boolean;
  readonly hasMore: boolean;
  readonly omitsReads: boolean;
}

export interface Tool {
  readonly name: string;
  readonly owner: string;
  readonly description: string;
  readonly category?: string;
  readonly consequenceLevel?: string;
  readonly requiresConfirmation: boolean | "dynamic";
  readonly undoable?: true;
  readonly irreversible?: true;
  /** A sentence for people, with `{argument}` for values. */
  readonly question?: string;
  /** Arguments that decide where an effect goes. */
  readonly control?: readonly string[];
  readonly inputSchema: Schema;
  readonly tags: readonly string[];
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Me {
  readonly name: string;
  readonly user: string | null;
  readonly roles: readonly string[];
  readonly hosts: readonly {
    readonly name: string;
    readonly turns: boolean;
    readonly plan: boolean;
    readonly mcp: boolean;
    readonly modelText: boolean;
    readonly servers: number;
  }[];
}

/** A mounted server. */
export interface Mounted {
  readonly name: string;
  readonly state: string;
  readonly cause?: string;
  readonly protocol?: string;
  readonly server?: string;
  readonly users?: readonly { readonly user: string; readonly state: string }[];
  readonly refused: readonly { readonly tool: string; readonly problem: string }[];
}

/** A mounted server to which people sign in. */
export interface Server {
  readonly name: string;
  readonly whose: "user" | "host";
  readonly state: "signed_in" | "needed" | "unknown";
  readonly maySignIn: boolean;
}

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly turns: number;
  readonly waits: number;
  readonly agent: string | null;
  readonly parentId: string | null;
  readonly forkedFrom: string | null;
  readonly updatedAt: number;
  readonly usage: { readonly requests: number; readonly inputTokens: number; readonly outputTokens: number };
  readonly cost: { readonly amount: number; readonly currency: string } | null;
}

/** One item of a conversation. */
export interface Item {
  readonly type: string;
  readonly role?: string;
  readonly [field: string]: unknown;
}

/** A session with its conversation. */
export interface SessionDetails extends SessionSummary {
  readonly items: readonly Item[];
  readonly children: readonly string[];
  readonly waiting: readonly { readonly tool: string; readonly waitsFor: string; readonly callId: string }[];
}

/** A place in a file of the plan. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

/** A problem of a plan. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly frame?: string;
  readonly hint?: string;
}

/** A module of the plan. */
export interface Entry {
  readonly id: string;
  readonly section: string;
  readonly specifier: string;
  readonly version?: string;
  readonly state: string;
  readonly tools: readonly string[];
  readonly problems: readonly Problem[];
  readonly position?: Position;
}

/** A tool that differs from the lock file. */
export interface LockChange {
  readonly tool: string;
  readonly change: string;
  readonly differences: readonly {
    readonly path: string;
    readonly before?: unknown;
    readonly now?: unknown;
  }[];
}
