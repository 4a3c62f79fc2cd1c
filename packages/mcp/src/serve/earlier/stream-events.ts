import { randomBytes } from "node:crypto";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";
import type { KeptMessages } from "./kept-messages.ts";

/** Limits of what is kept in memory for clients whose connection broke. */
interface EventBounds {
  /** Maximum number of events that are kept of one session. */
  readonly sessionEvents: number;
  /** Maximum number of bytes that are kept of one session's messages. */
  readonly sessionBytes: number;
  /** Maximum number of bytes that are kept of all sessions' messages. */
  readonly bytes: number;
}

const defaults: EventBounds = {
  sessionEvents: 1_000,
  sessionBytes: 8 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
};

interface KeptEvent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

interface KeptSession {
  readonly events: Map<string, KeptEvent>;
  bytes: number;
}

/** Name of a session's stream for messages that belong to no request. Source: the SDK's transport. */
const listening = "_GET_stream";

/**
 * The newest messages that were sent to clients from before 2026, so that a client whose connection broke can ask with
 * `Last-Event-ID` for those that it missed. They are kept in memory, without the oldest ones when there are too many. Answers
 * to requests are also kept in the host's store, for clients that come back to another server.
 */
export class StreamEvents {
  readonly #bounds: EventBounds;
  readonly #kept: KeptMessages | null;
  /** The sessions, beginning with the one that has stored nothing for the longest time. */
  readonly #sessions = new Map<string, KeptSession>();
  /** Part of each event's id, because the listening streams of all servers have the same name. */
  readonly #run = randomBytes(6).toString("base64url");
  #bytes = 0;
  #count = 0;

  /** Without `kept`, a client whose connection broke can get the missed messages only from this server. */
  constructor(bounds: Partial<EventBounds> = {}, kept: KeptMessages | null = null) {
    this.#bounds = { ...defaults, ...bounds };
    this.#kept = kept;
  }

  /** Returns the store of one session, which knows no events of other sessions. */
  of(session: string): EventStore {
    const eventOf = (id: string) => this.#sessions.get(session)?.events.get(id);
    return {
      storeEvent: async (stream, message) => this.#store(session, stream, message),
      getStreamIdForEventId: async (id) =>
        eventOf(id)?.stream ?? (this.#kept?.hasStore === true ? streamOf(id) : undefined),
      replayEventsAfter: async (last, { send }) => {
        if (eventOf(last) === undefined) return this.#replayKept(session, last, send);
        const events = [...this.#sessions.get(session)!.events];
        const at = events.findIndex(([id]) => id === last);
        const { stream } = events[at]![1];
        for (const [id, event] of events.slice(at + 1))
          // The first event of a stream has no message; it only gives the client an id.
          if (event.stream === stream && "jsonrpc" in event.message) await send(id, event.message);
        return stream;
      },
    };
  }

  /**
   * Replays a stream that began at another server, or at this one before a restart. Only streams of requests are stored; a
   * client of the listening stream is notified that its list of tools may have changed.
   */
  async #replayKept(session: string, last: string, send: SendEvent): Promise<string> {
    const stream = streamOf(last) ?? "";
    if (stream === listening)
      await send(this.#idOf(stream), { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    else await this.#kept?.follow({ session, stream }, last, send);
    return stream;
  }

  #idOf(stream: string): string {
    return `${++this.#count}.${this.#run}.${stream}`;
  }

  forget(session: string): void {
    this.#bytes -= this.#sessions.get(session)?.bytes ?? 0;
    this.#sessions.delete(session);
  }

  #store(session: string, stream: string, message: JSONRPCMessage): string {
    const id = this.#idOf(stream);
    if (stream !== listening) this.#kept?.add({ session, stream }, id, message);
    const bytes = Buffer.byteLength(JSON.stringify(message));
    const kept = this.#sessions.get(session) ?? { events: new Map<string, KeptEvent>(), bytes: 0 };
    kept.events.set(id, { stream, message, bytes });
    kept.bytes += bytes;
    this.#bytes += bytes;
    this.#sessions.delete(session);
    this.#sessions.set(session, kept);
    const { sessionEvents, sessionBytes } = this.#bounds;
    while (kept.events.size > sessionEvents || kept.bytes > sessionBytes) this.#dropOldest(kept);
    for (const one of this.#sessions.values())
      while (this.#bytes > this.#bounds.bytes && one.events.size > 0) this.#dropOldest(one);
    return id;
  }

  #dropOldest(session: KeptSession): void {
    const [oldest] = session.events;
    if (oldest === undefined) return;
    const [id, { bytes }] = oldest;
    session.events.delete(id);
    session.bytes -= bytes;
    this.#bytes -= bytes;
  }
}

type SendEvent = Parameters<EventStore["replayEventsAfter"]>[1]["send"];

function streamOf(id: string): string | undefined {
  return /^\d+\.[\w-]+\.(.+)$/s.exec(id)?.[1];
}
