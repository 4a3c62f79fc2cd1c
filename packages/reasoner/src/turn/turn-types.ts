import type { Json, ToolOutcome } from "@toolmount/core";
import type { ModelEvent } from "../provider/model-events.ts";
import type { Cost, Usage } from "../provider/usage.ts";
import type { WaitingCall } from "../session/waiting.ts";

/** How a turn ended, or where it stopped. */
export interface TurnResult {
  readonly sessionId: string;
  readonly turnId: string;
  /** `paused`: calls wait; `resume` continues. `incomplete`: the model's last answer was cut, blocked, refused or empty. */
  readonly status: "done" | "incomplete" | "paused" | "cancelled" | "failed";
  /** The last text of the model. */
  readonly text: string;
  /** The checked value of the last answer, with `outputSchema` and the status `done`. */
  readonly data?: Json;
  /** With the status `incomplete`: `max_output_tokens`, `content_filter`, `refusal`, `empty`, or the server's own reason. */
  readonly incomplete?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: object };
  /** With the status `paused`: the calls that wait, in the order of the model's answer. */
  readonly waiting: readonly WaitingCall[];
  /** Requests to the model, without those of sub-agents. */
  readonly iterations: number;
  /** The number of calls, including those of sub-agents. */
  readonly calls: number;
  /** Requests and tokens, including those of sub-agents. */
  readonly usage: Usage;
  /** The cost of `usage`; null if the plan has no prices. */
  readonly cost: Cost | null;
}

/** The result of a call that ran at the client: either `result` or `error`. */
export interface ClientResult {
  readonly callId: string;
  readonly result?: unknown;
  readonly error?: string | undefined;
}

/** An event of a running turn. Source of the names: Tool-Forge's events. */
export type TurnEvent =
  | ModelEvent
  | { readonly type: "begin"; readonly sessionId: string; readonly turnId: string }
  /** A complete message. */
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
  /** An event of a sub-agent, while the call with this id runs it. */
  | {
      readonly type: "agent";
      readonly agent: string;
      readonly sessionId: string;
      readonly callId: string | null;
      readonly event: TurnEvent;
    }
  /** A message that the user wrote during the turn, and that the next request contains. */
  | { readonly type: "message"; readonly text: string }
  /** The conversation was shortened: by which means, the tokens before and after, and how many items were left out. */
  | {
      readonly type: "compaction";
      readonly by: "cleared" | "summary" | "turns" | "hook";
      readonly beforeTokens: number;
      readonly afterTokens: number;
      readonly dropped: number;
    }
  | { readonly type: "hitl"; readonly waiting: readonly WaitingCall[] }
  | { readonly type: "error"; readonly code: string; readonly message: string }
  | { readonly type: "done"; readonly result: TurnResult };
