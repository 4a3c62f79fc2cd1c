import type { SessionStore, ToolOutcome } from "@toolmount/core";
import { ticketsLogOf } from "@toolmount/core/sessions";

/** Keeps the tickets of calls that wait: in a log beside their session, and in memory where there is no session or no store. */
export class TicketLog {
  readonly #store: () => SessionStore | null;
  readonly #memory = new Map<string, WaitingTicket>();

  constructor(store: () => SessionStore | null) {
    this.#store = store;
  }

  async find(key: string, sessionId: string | undefined): Promise<WaitingTicket | null> {
    return (await this.#read(sessionId)).get(key) ?? null;
  }

  /** The tickets of the calls with this id: a library may use an id again, for another call. */
  async ofCall(callId: string, sessionId: string | undefined): Promise<readonly WaitingTicket[]> {
    return (await this.all(sessionId)).filter((waiting) => waiting.callId === callId);
  }

  /** The tickets of all calls of a session that wait. */
  async all(sessionId: string | undefined): Promise<readonly WaitingTicket[]> {
    return [...(await this.#read(sessionId)).values()];
  }

  /** Keeps the ticket of a call that waits, or forgets that of a call that has ended. */
  async note(key: string, { status, ticket, callId, sessionId, result }: ToolOutcome): Promise<void> {
    const at = Date.parse(result.fetchedAt);
    const waits = status === "pending" && ticket !== undefined;
    const change = waits ? { key, callId, ticket, at } : { key, at };
    const store = this.#store();
    if (store === null || sessionId === undefined) apply(this.#memory, change);
    else await append(store, ticketsLogOf(sessionId), change);
  }

  async #read(sessionId: string | undefined): Promise<ReadonlyMap<string, WaitingTicket>> {
    const store = this.#store();
    if (store === null || sessionId === undefined) return this.#memory;
    return openTickets(await store.entries(ticketsLogOf(sessionId)));
  }
}

/** Another process may append at the same time. A log without a waiting call is emptied. */
async function append(store: SessionStore, log: string, change: Change): Promise<void> {
  for (;;) {
    const entries = await store.entries(log);
    const last = entries.at(-1)?.sequence ?? 0;
    if (!(await store.append(log, last, [{ ...change }]))) continue;
    const open = openTickets([...entries, { entry: change }]);
    if (open.size === 0) await store.trim?.(log, last + 1);
    return;
  }
}

/** A call that waits. */
export interface WaitingTicket {
  readonly key: string;
  readonly callId: string;
  readonly ticket: string;
  /** Milliseconds since the epoch. The store deletes old logs by it. */
  readonly at: number;
}

/** A call that waits, or one that waits no longer. */
type Change = WaitingTicket | Pick<WaitingTicket, "key" | "at">;

function openTickets(entries: readonly { readonly entry: unknown }[]): ReadonlyMap<string, WaitingTicket> {
  const open = new Map<string, WaitingTicket>();
  for (const { entry } of entries) apply(open, entry as Change);
  return open;
}

function apply(open: Map<string, WaitingTicket>, change: Change): void {
  if ("ticket" in change) open.set(change.key, change);
  else open.delete(change.key);
}
