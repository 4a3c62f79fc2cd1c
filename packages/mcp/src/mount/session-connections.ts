import type { Connection } from "./connection.ts";

/** Connections of sessions that are kept; the one that was quiet longest is closed. */
const maxKept = 64;

/** The connections of one server whose sessions have one each. */
export class SessionConnections {
  readonly #kept = new Map<string, Connection>();

  /** The connection of a session, made at its first call. */
  of(sessionId: string, connect: () => Connection): Connection {
    const connection = this.#kept.get(sessionId) ?? connect();
    this.#kept.delete(sessionId);
    this.#kept.set(sessionId, connection);
    const [quietest] = this.#kept.entries();
    if (this.#kept.size > maxKept && quietest !== undefined) {
      this.#kept.delete(quietest[0]);
      void quietest[1].close();
    }
    return connection;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map((connection) => connection.close()));
  }
}
