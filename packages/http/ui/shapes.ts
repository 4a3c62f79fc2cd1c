// The shapes of the API that the page reads; /api/openapi.json describes them.

export interface Approval {
  readonly id: string;
  readonly state: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly prompt: string;
  readonly reasons: readonly { readonly source: string; readonly reason: string; readonly rule?: string }[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly rememberable: boolean;
  readonly info: { readonly sessionId?: string; readonly userId?: string; readonly callId: string };
  readonly decision: {
    readonly decision: string;
    readonly by: string;
    readonly at: number;
    readonly reason?: string;
  } | null;
}

export interface Remembered {
  readonly id: string;
  readonly tool: string;
  readonly scope: string;
  readonly by: string;
  readonly at: number;
}

export interface CallSummary {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly status: string;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly code: string | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
}

type Shown = { readonly value: unknown } | { readonly text: string; readonly characters: number } | null;

export interface CallRecord extends CallSummary {
  readonly phase: string | null;
  readonly traceparent: string | null;
  readonly arguments: Shown;
  readonly result: Shown;
  readonly steps: readonly { readonly at: number; readonly name: string; readonly note?: string }[];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly category?: string;
  readonly consequenceLevel?: string;
  readonly requiresConfirmation: boolean | "dynamic";
  readonly inputSchema: Schema;
}

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Me {
  readonly name: string;
  readonly roles: readonly string[];
  readonly hosts: readonly { readonly name: string; readonly turns: boolean; readonly plan: boolean }[];
}
