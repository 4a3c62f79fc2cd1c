import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";

/** Name of the tracing channel for the turns of sessions. */
export const turnChannelName = "toolmount:turn";

/** Name of the tracing channel for requests to models. A retry is traced as a separate request. */
export const modelChannelName = "toolmount:model";

/** An error in a trace. */
export interface TraceFailure {
  /** An error code or, for a failure of a model, its kind. */
  readonly code: string;
  readonly message: string;
}

/** Tokens of one request, or of all requests of a turn. */
export interface TraceUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** The message about a turn or a model's request: one object for all its events, filled as the work proceeds. */
interface AgentTrace {
  /** The capability `host.id` of the host; a listener gets the messages of all hosts of the process. */
  readonly hostId: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The requested model. */
  readonly model: string;
  /** The server of the model, as `host` or `host:port`. */
  readonly server: string;
  /** W3C trace context of the parent. A listener to `start` may replace it for all nested work. */
  traceparent: string | undefined;
  durationMs?: number;
  usage?: TraceUsage;
  failure?: TraceFailure;
}

/** A turn, from its start or its resumption to its end or its next pause. */
export interface TurnTrace extends AgentTrace {
  /** The session's agent in the plan; null for the main agent. */
  readonly agent: { readonly name: string; readonly description: string } | null;
  readonly depth: number;
  readonly parentSessionId?: string;
  readonly userId?: string;
  /** Whether the turn resumes after a pause or a crash; `traceparent` is then that of its start. */
  readonly resumed: boolean;
  /** The user who resumed the turn, if known. */
  readonly resumedBy?: string;
  status?: "done" | "incomplete" | "paused" | "cancelled" | "failed";
  /** Number of requests to the model, those of child sessions included; `calls` counts calls in the same way. */
  iterations?: number;
  calls?: number;
}

/** One request to a model. */
export interface ModelTrace extends AgentTrace {
  readonly stream: boolean;
  /** Counts from 1; a retry adds 1. */
  readonly attempt: number;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  responseId?: string;
  responseModel?: string;
  /** Why the answer ended: `stop`, `tool_calls`, or the word that the server uses. */
  finishReason?: string;
  /** Milliseconds from the request to the first piece of a streamed answer. */
  firstPieceMs?: number;
}

const turnChannel = tracingChannel<unknown, TurnTrace>(turnChannelName);
const modelChannel = tracingChannel<unknown, ModelTrace>(modelChannelName);

/** Publishes a turn that `act` runs and fills in. Costs nothing without listeners. */
export function traceTurn<Value>(message: TurnTrace, act: () => Promise<Value>): Promise<Value> {
  return trace(turnChannel, message, act);
}

/** Publishes a request that `act` makes and fills in. Costs nothing without listeners. */
export function traceModel<Value>(message: ModelTrace, act: () => Promise<Value>): Promise<Value> {
  return trace(modelChannel, message, act);
}

/** Runs `act` and publishes the events of an asynchronous function, as on the channel of calls. */
function trace<Message extends AgentTrace, Value>(
  channel: TracingChannel<unknown, Message>,
  message: Message,
  act: () => Promise<Value>,
): Promise<Value> {
  if (!channel.hasSubscribers) return act();
  return channel.start.runStores(message, async () => {
    const settled = act();
    channel.end.publish(message);
    try {
      return await settled;
    } finally {
      if (message.failure !== undefined) channel.error.publish(message);
      channel.asyncStart.publish(message);
      channel.asyncEnd.publish(message);
    }
  });
}
