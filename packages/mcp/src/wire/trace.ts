import { systemClock } from "@toolmount/core";
import { beginMcp, endMcp, publishMcpSession, tracesMcp, type McpTrace } from "@toolmount/core/tracing";
import { isRecord } from "@toolmount/core/json";
import { onConnect, type Peer, type Wire } from "./peer.ts";

/** Facts of a connection that are known before it is made. */
interface TracedConnection {
  /** The capability `host.id`. */
  readonly hostId: string;
  readonly role: "client" | "server";
  readonly transport: "pipe" | "tcp";
  /** Whether the connection serves only one request. Such a connection is not traced if no listener exists when it is made. */
  readonly isBrief?: boolean | undefined;
  /** The server to which a client connects, as `host` or `host:port`. */
  readonly server?: string | undefined;
}

/** Publishes the requests and the session of each connection that a client or a server makes, for traces. */
export function traceConnections(peer: Peer, connection: TracedConnection): void {
  onConnect(peer, (wire) => {
    if (connection.isBrief !== true || tracesMcp()) new TracedWire(wire, connection).watch();
  });
}

const reused = { code: "id_reused", message: "another request has the same id" };

interface Running {
  readonly trace: McpTrace;
  readonly startedAt: number;
}

/** Watches one transport, and reads its messages as they pass. */
class TracedWire {
  readonly #wire: Wire;
  readonly #connection: TracedConnection;
  readonly #sent = new Map<unknown, Running>();
  readonly #received = new Map<unknown, Running>();
  readonly #beganAt = systemClock.now();
  #protocolVersion: string | undefined;
  #isSession: boolean;
  #last: unknown;

  constructor(wire: Wire, connection: TracedConnection) {
    this.#wire = wire;
    this.#connection = connection;
    this.#isSession = connection.transport === "pipe";
  }

  watch(): void {
    const wire = this.#wire;
    const send = wire.send.bind(wire);
    wire.send = (message, ...rest) => this.#pass("client", message, (it) => send(it, ...rest));
    this.#watchMessages();
    const closed = wire.onclose;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK has no addEventListener
    wire.onclose = () => {
      closed?.();
      this.#close();
    };
  }

  /**
   * Puts our handler before each handler that the SDK sets. The SDK sets several, because it finds out the server's revision
   * with handlers of its own.
   */
  #watchMessages(): void {
    const around =
      (handler: Wire["onmessage"]): Wire["onmessage"] =>
      (message, ...rest) => {
        this.#note(message);
        handler?.(message, ...rest);
      };
    let current = around(this.#wire.onmessage);
    Object.defineProperty(this.#wire, "onmessage", {
      get: () => current,
      set: (handler: Wire["onmessage"]) => {
        current = around(handler);
      },
      configurable: true,
      enumerable: true,
    });
  }

  /** Reads a received message once. Handlers of the SDK call the previous one, so a message may come twice. */
  #note(message: unknown): void {
    if (message === this.#last) return;
    this.#last = message;
    this.#pass("server", message, (traced) => {
      // The handler of the request looks for its parent span in the message, where the sender wrote it.
      if (traced !== message) (message as Message)["params"] = (traced as Message)["params"];
    });
  }

  /**
   * Reads a message as it passes. `side` is `client` for a message that this peer sends, and `server` for one that it receives.
   */
  #pass<Value>(side: McpTrace["side"], message: unknown, act: (message: unknown) => Value): Value {
    if (!isRecord(message)) return act(message);
    const [own, other] = side === "client" ? [this.#sent, this.#received] : [this.#received, this.#sent];
    if (!("method" in message)) this.#end(other, message);
    else if (!("id" in message)) this.#cancel(message, own);
    else if (tracesMcp()) return this.#begin(side, message, act);
    return act(message);
  }

  #begin<Value>(side: McpTrace["side"], message: Message, act: (message: Message) => Value): Value {
    const trace = this.#traceOf(side, message);
    const running = side === "client" ? this.#sent : this.#received;
    // The earlier request would never end, because its answer has the same id.
    this.#finish(running, message["id"], reused);
    running.set(message["id"], { trace, startedAt: systemClock.now() });
    return beginMcp(trace, () => act(withTrace(message, trace.traceparent)));
  }

  #traceOf(side: McpTrace["side"], message: Message): McpTrace {
    const { method, id, params } = message;
    const { _meta: meta, name, uri, protocolVersion } = isRecord(params) ? params : {};
    const { traceparent, [versionKey]: version = protocolVersion } = isRecord(meta) ? meta : {};
    if (typeof version === "string") this.#protocolVersion = version;
    if (method === "initialize") this.#isSession = true;
    const subject = name ?? uri;
    const { hostId, transport, server } = this.#connection;
    return {
      hostId,
      side,
      method: String(method),
      requestId: String(id),
      transport,
      server,
      subject: typeof subject === "string" ? subject : undefined,
      sessionId: this.#wire.sessionId,
      protocolVersion: this.#protocolVersion,
      traceparent: typeof traceparent === "string" ? traceparent : undefined,
    };
  }

  #end(running: Map<unknown, Running>, { id, result, error }: Message): void {
    const found = running.get(id);
    if (found === undefined) return;
    if (isRecord(result) && typeof result["protocolVersion"] === "string")
      this.#protocolVersion = result["protocolVersion"];
    if (isRecord(error))
      this.#finish(running, id, { code: String(error["code"]), message: String(error["message"]) });
    else if (isRecord(result) && result["isError"] === true)
      this.#finish(running, id, { code: "tool_error", message: "" });
    else this.#finish(running, id);
  }

  /** Ends the trace of a cancelled request, which gets no answer. */
  #cancel({ method, params }: Message, running: Map<unknown, Running>): void {
    if (method !== "notifications/cancelled" || !isRecord(params)) return;
    this.#finish(running, params["requestId"], { code: "cancelled", message: "the request was cancelled" });
  }

  #finish(running: Map<unknown, Running>, id: unknown, failure?: McpTrace["failure"]): void {
    const found = running.get(id);
    if (found === undefined) return;
    running.delete(id);
    const { trace, startedAt } = found;
    trace.protocolVersion = this.#protocolVersion;
    trace.durationMs = systemClock.now() - startedAt;
    if (failure !== undefined) trace.failure = failure;
    endMcp(trace);
  }

  #close(): void {
    const failure = { code: "closed", message: "the connection was closed" };
    for (const running of [this.#sent, this.#received])
      for (const id of running.keys()) this.#finish(running, id, failure);
    if (!this.#isSession) return;
    const durationMs = systemClock.now() - this.#beganAt;
    publishMcpSession({ ...this.#connection, protocolVersion: this.#protocolVersion, durationMs });
    this.#isSession = false;
  }
}

type Message = Record<string, unknown>;

/** Key of `_meta` for the revision of a request since 2026. */
const versionKey = "io.modelcontextprotocol/protocolVersion";

/** Returns the request with the given trace context, which a listener may have replaced. */
function withTrace(message: Message, traceparent: string | undefined): Message {
  const params = isRecord(message["params"]) ? message["params"] : {};
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  if (traceparent === undefined || meta["traceparent"] === traceparent) return message;
  return { ...message, params: { ...params, _meta: { ...meta, traceparent } } };
}
