import type { ToolInfo } from "./tool.ts";
import type { CallStatus, Phase } from "./outcome.ts";
import type { ToolResult } from "./result.ts";

/** Name of the tracing channel of `node:diagnostics_channel` that reports every call of every host. */
export const callChannelName = "toolmount:call";

/**
 * The message about a call that listeners of the channel receive: one object for all events, filled as the call proceeds.
 * It holds real arguments and results; a listener that sends them elsewhere must remove secrets.
 */
export interface CallTrace {
  /** The host's id, as in the capability `host.id`. Listeners hear all hosts of the process. */
  readonly hostId: string;
  readonly runId: string;
  readonly callId: string;
  /** The requested name; from `end` on, the name of the tool that was found. */
  tool: string;
  readonly depth: number;
  readonly parentRunId?: string;
  /** The line of the program that makes the call, with secrets masked. */
  readonly place?: { readonly line: number; readonly code: string };
  readonly sessionId?: string;
  readonly conversationId?: string;
  readonly turnId?: string;
  readonly userId?: string;
  /** The id of the rehearsal that the call is a part of. */
  readonly rehearsalId?: string;
  /** The id of the run whose change this call undoes. */
  readonly undoOf?: string;
  /** Whether the call was `pending` before and now resumes. */
  readonly resumed: boolean;
  /** W3C trace context of the caller. A listener to `start` can set it: the tool and the calls it makes see that value. */
  traceparent: string | undefined;
  /** The parsed arguments, or else the given ones unless they were too large to be read. Set at the end. */
  arguments?: unknown;
  /** Set once the tool was found. */
  info?: ToolInfo;
  status?: CallStatus;
  /** The hop in which the call stopped, unless it is `ok` or `pending`. */
  phase?: Phase;
  durationMs?: number;
  result?: ToolResult;
  /** The error, unless the call is `ok` or `pending`. `thrown` is the interrupt with which the call rejects. */
  error?: {
    readonly code: string;
    readonly message: string;
    readonly type: string;
    readonly thrown?: unknown;
  };
}

/**
 * Wraps a listener of a tracing channel so that its errors go to `onError`. Node ends the process when a listener throws, and
 * a call must not end the process that it runs in.
 */
export function safeListener(
  listen: (message: never) => void,
  onError: (error: unknown) => void,
): (message: unknown) => void {
  return (message) => {
    try {
      listen(message as never);
    } catch (error) {
      onError(error);
    }
  };
}

/** A trace, and whether its `end` was published. */
export interface ActiveTrace {
  readonly message: CallTrace;
  ended: boolean;
}
