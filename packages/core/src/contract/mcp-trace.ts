import { channel, tracingChannel } from "node:diagnostics_channel";
import type { TraceFailure } from "./turn-trace.ts";

/** Name of the tracing channel for requests of the Model Context Protocol that this process sends or receives. */
export const mcpChannelName = "toolmount:mcp";

/** Name of the channel for sessions of the protocol; each is published once, when it has ended. */
export const mcpSessionChannelName = "toolmount:mcp-session";

/** The known facts of a connection. */
interface McpConnection {
  /** The capability `host.id` of the host; a listener gets the messages of all hosts of the process. */
  readonly hostId: string;
  /** `pipe`: standard input and output of a process; `tcp`: HTTP. */
  readonly transport: "pipe" | "tcp";
  /** The server that a client connects to, as `host` or `host:port`; absent for a pipe, and on the server's side. */
  readonly server?: string | undefined;
  /** The protocol revision of the connection, once it is known. */
  protocolVersion?: string | undefined;
  failure?: TraceFailure;
  durationMs?: number;
}

/** The message about a request: one object for all its events, filled as it proceeds. Notifications are not traced. */
export interface McpTrace extends McpConnection {
  /** `client`: this process sent the request; `server`: this process received the request. */
  readonly side: "client" | "server";
  readonly method: string;
  readonly requestId: string;
  /** The name of the tool or the prompt, or the address of the resource. */
  readonly subject?: string | undefined;
  /** The id of the session over HTTP, if there is one. */
  readonly sessionId?: string | undefined;
  /** W3C trace context of the sender; at a client, of the work that makes the request. A `start` listener may replace it. */
  traceparent: string | undefined;
}

/** One session, from the start of its connection to its end. */
export interface McpSessionTrace extends McpConnection {
  /** Whether this process was the client or the server of the session. */
  readonly role: "client" | "server";
}

const requests = tracingChannel<unknown, McpTrace>(mcpChannelName);
const sessions = channel(mcpSessionChannelName);

/** Whether anything listens to requests. */
export function tracesMcp(): boolean {
  return requests.hasSubscribers;
}

/** Publishes the start of a request, which `act` sends. */
export function beginMcp<Value>(message: McpTrace, act: () => Value): Value {
  try {
    return requests.start.runStores(message, act);
  } finally {
    requests.end.publish(message);
  }
}

/** Publishes the end of a request. */
export function endMcp(message: McpTrace): void {
  if (message.failure !== undefined) requests.error.publish(message);
  requests.asyncStart.publish(message);
  requests.asyncEnd.publish(message);
}

/** Publishes a session that has ended. */
export function publishMcpSession(message: McpSessionTrace): void {
  if (sessions.hasSubscribers) sessions.publish(message);
}
