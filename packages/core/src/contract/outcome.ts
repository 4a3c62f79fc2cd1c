import type { ToolResult } from "./result.ts";

/**
 * How a call ended. `ok` is the only success; `pending` waits for a person or a client;
 * `unknown` may have run.
 */
export type CallStatus =
  | "ok"
  | "invalid"
  | "not_found"
  | "denied"
  | "pending"
  | "cancelled"
  | "timed_out"
  | "failed"
  | "unknown";

/** The hop in which a call that went wrong stopped. */
export type Phase = "find" | "parse" | "decide" | "approve" | "run" | "shape";

/** Text that a gate asked to put before the model; whoever runs the turn adds it. */
export interface Injection {
  readonly text: string;
  readonly role: "system" | "user" | "assistant";
  readonly ephemeral: boolean;
  readonly appendToLastToolResult: boolean;
  readonly source: string;
}

/** What a call gives its caller, whatever happened. Plain JSON. */
export interface ToolOutcome<Data = unknown> {
  /** The caller's correlation id, echoed; the run id when the caller gave none. */
  readonly callId: string;
  /** Made by the host, unique; events, audit and jobs use it. */
  readonly runId: string;
  /** The name under which the tool is mounted; the name asked for when there is no such tool. */
  readonly tool: string;
  readonly status: CallStatus;
  readonly result: ToolResult<Data>;
  /** From the call's arrival to its outcome, waiting included, in milliseconds. */
  readonly durationMs: number;
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly turnId?: string;
  readonly userId?: string;
  /** Set when the call was aborted and the tool still succeeded within its grace. */
  readonly cancelled?: { readonly reason: string; readonly elapsedMs: number };
  /** Lets the same session go on with a pending call; of no use to an approver. */
  readonly ticket?: string;
  readonly injections?: readonly Injection[];
}
