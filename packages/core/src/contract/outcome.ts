import type { ToolResult } from "./result.ts";

/**
 * How a call ended. `ok` is the only success; `pending` means that the call waits for a person or a client;
 * `unknown` means that the tool may have run.
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
  /** The id that the caller gave to the call, or else the run id. */
  readonly callId: string;
  /** A unique id that the host made; events, the audit and jobs use it. */
  readonly runId: string;
  /** The name under which the tool is mounted, or the requested name if there is no such tool. */
  readonly tool: string;
  readonly status: CallStatus;
  readonly result: ToolResult<Data>;
  /** Milliseconds from the call's arrival to its outcome, waiting included. */
  readonly durationMs: number;
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly turnId?: string;
  readonly userId?: string;
  /** Set if the call was aborted but its tool still succeeded within the grace period. */
  readonly cancelled?: { readonly reason: string; readonly elapsedMs: number };
  /** The ticket with which the same session resumes a pending call. It cannot be used to answer the question. */
  readonly ticket?: string;
  readonly injections?: readonly Injection[];
}
