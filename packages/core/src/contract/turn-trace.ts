import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";

/** Name of the tracing channel on which turns of sessions are told, by whatever runs them. */
export const turnChannelName = "toolmount:turn";

/** Name of the tracing channel on which requests to models are told: each one that is made, retries too. */
export const modelChannelName = "toolmount:model";

/** What went wrong. */
export interface TraceFailure {
  /** A code, or for a model the kind of failure. */
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

/** What listeners of a channel of agents are given: one object for all its moments, filled as things go on. */
interface AgentTrace {
  /** The host's, as the capability `host.id`; listeners hear all hosts of the process. */
  readonly hostId: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The model that is asked for. */
  readonly model: string;
  /** Where it is asked, as `host` or `host:port`. */
  readonly server: string;
  /** W3C trace context above it. What a listener to `start` puts here, all within it sees. */
  traceparent: string | undefined;
  durationMs?: number;
  usage?: TraceUsage;
  failure?: TraceFailure;
}

/** A turn: from its beginning, or from where it goes on, to its end, or to where it waits. */
export interface TurnTrace extends AgentTrace {
  /** The agent of the plan that the session is; null for the plan's own. */
  readonly agent: { readonly name: string; readonly description: string } | null;
  readonly depth: number;
  readonly parentSessionId?: string;
  readonly userId?: string;
  /** It waited, or its process was gone, and goes on; `traceparent` is then of where it began. */
  readonly resumed: boolean;
  /** Who goes on with it, where that is known. */
  readonly resumedBy?: string;
  status?: "done" | "incomplete" | "paused" | "cancelled" | "failed";
  /** Requests to the model, and calls, those of children counted. */
  iterations?: number;
  calls?: number;
}

/** One request to a model. */
export interface ModelTrace extends AgentTrace {
  readonly stream: boolean;
  /** Counts from 1; more for a request that is made again. */
  readonly attempt: number;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  responseId?: string;
  responseModel?: string;
  /** Why the answer ended where it did: `stop`, `tool_calls`, or what the server says. */
  finishReason?: string;
  /** From the request to the first piece of a streamed answer. */
  firstPieceMs?: number;
}

const turnChannel = tracingChannel<unknown, TurnTrace>(turnChannelName);
const modelChannel = tracingChannel<unknown, ModelTrace>(modelChannelName);

/** Tells of a turn that `act` runs and fills in. Costs nothing when nobody listens. */
export function traceTurn<Value>(message: TurnTrace, act: () => Promise<Value>): Promise<Value> {
  return trace(turnChannel, message, act);
}

/** Tells of a request that `act` makes and fills in. Costs nothing when nobody listens. */
export function traceModel<Value>(message: ModelTrace, act: () => Promise<Value>): Promise<Value> {
  return trace(modelChannel, message, act);
}

/** The moments are those of an asynchronous function, as of a call. */
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
