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

/** The hop in which a failed call stopped. Records of older versions name `execute` by its former name, `run`. */
export type Phase = "find" | "parse" | "decide" | "approve" | "execute" | "shape";

/** Text that a gate adds to the model's context. The code that runs the turn adds it. */
export interface Injection {
  readonly text: string;
  readonly role: "system" | "user" | "assistant";
  readonly ephemeral: boolean;
  readonly appendToLastToolResult: boolean;
  readonly source: string;
}

/** The end of a call as its caller gets it, for success and failure alike. Plain JSON. */
export interface ToolOutcome<Data = unknown> {
  /** The caller's correlation id, echoed; the run id when the caller gave none. */
  readonly callId: string;
  /** Made by the host, unique; events, audit and jobs use it. */
  readonly runId: string;
  /** The name under which the tool is mounted; the requested name when there is no such tool. */
  readonly tool: string;
  readonly status: CallStatus;
  readonly result: ToolResult<Data>;
  /** Milliseconds from the call's arrival to its outcome, waiting included. */
  readonly durationMs: number;
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly turnId?: string;
  readonly userId?: string;
  /** Set when the call was aborted and the tool still succeeded within its grace. */
  readonly cancelled?: { readonly reason: string; readonly elapsedMs: number };
  /** Lets the same session resume a pending call. It does not decide the approval. */
  readonly ticket?: string;
  readonly injections?: readonly Injection[];
}
