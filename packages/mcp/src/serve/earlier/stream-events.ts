import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** What is kept of the streams of clients, at most. */
interface EventBounds {
  /** Events of one session. */
  readonly sessionEvents: number;
  /** Bytes of the messages of one session. */
  readonly sessionBytes: number;
  /** Bytes of the messages of all sessions. */
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

/**
 * The newest messages that were sent to clients from before 2026, so that one whose connection broke reads on with
 * `Last-Event-ID`. Messages are kept in memory, and the oldest make room.
 */
export class StreamEvents {
  readonly #bounds: EventBounds;
  /** The session that stored last is the last one. */
  readonly #sessions = new Map<string, KeptSession>();
  #bytes = 0;
  #count = 0;

  constructor(bounds: Partial<EventBounds> = {}) {
    this.#bounds = { ...defaults, ...bounds };
  }

  /** The store of one session. It knows no event of another session. */
  of(session: string): EventStore {
    return {
      storeEvent: async (stream, message) => this.#store(session, stream, message),
      getStreamIdForEventId: async (id) => this.#sessions.get(session)?.events.get(id)?.stream,
      replayEventsAfter: async (last, { send }) => {
        const events = [...(this.#sessions.get(session)?.events ?? [])];
        const at = events.findIndex(([id]) => id === last);
        const { stream = "" } = events[at]?.[1] ?? {};
        for (const [id, event] of events.slice(at + 1))
          // The first event of a stream has no message: it gives the client an id.
          if (event.stream === stream && "jsonrpc" in event.message) await send(id, event.message);
        return stream;
      },
    };
  }

  /** A session has ended. */
  forget(session: string): void {
    this.#bytes -= this.#sessions.get(session)?.bytes ?? 0;
    this.#sessions.delete(session);
  }

  #store(session: string, stream: string, message: JSONRPCMessage): string {
    const id = String(++this.#count);
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
