import type { ToolOutcome } from "@toolmount/core";
import type { WaitsFor } from "../session/entry.ts";
import type { Cost, Usage } from "../provider/usage.ts";

/** A call that waits for a person, for the client, or for another process that has it. */
export interface WaitingCall {
  readonly callId: string;
  readonly tool: string;
  readonly waitsFor: WaitsFor;
  /** For a call that the client runs: what it is called with. */
  readonly arguments: unknown;
}

/** How a turn ended, or where it stopped. */
export interface TurnResult {
  readonly sessionId: string;
  readonly turnId: string;
  /** `paused`: calls wait, and `resume` goes on. */
  readonly status: "done" | "paused" | "cancelled" | "failed";
  /** What the model said last. */
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: object };
  /** Only where it is `paused`, in the order of the calls. */
  readonly waiting: readonly WaitingCall[];
  /** Requests to the model. */
  readonly iterations: number;
  readonly calls: number;
  readonly usage: Usage;
  readonly cost: Cost | null;
}

/** A result of a call that ran at the client: exactly one of both. */
export interface ClientResult {
  readonly callId: string;
  readonly result?: unknown;
  readonly error?: string | undefined;
}

/** What a turn tells while it runs. Source of the names: Tool-Forge's events. */
export type TurnEvent =
  | { readonly type: "begin"; readonly sessionId: string; readonly turnId: string }
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thinking_delta"; readonly text: string }
  /** A whole message. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_call"; readonly callId: string; readonly tool: string; readonly arguments: string }
  | {
      readonly type: "tool_result";
      readonly callId: string;
      readonly tool: string;
      readonly status: string;
      readonly durationMs: number;
      readonly text: string;
      readonly outcome?: ToolOutcome;
    }
  | { readonly type: "tool_warning"; readonly tool: string; readonly message: string }
  /** A request is made again; what it streamed before does not count. */
  | { readonly type: "retry"; readonly kind: string; readonly afterMs: number }
  | { readonly type: "hitl"; readonly waiting: readonly WaitingCall[] }
  | { readonly type: "error"; readonly code: string; readonly message: string }
  | { readonly type: "done"; readonly result: TurnResult };
