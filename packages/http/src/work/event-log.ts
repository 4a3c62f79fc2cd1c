import { randomBytes } from "node:crypto";

export interface LoggedEvent {
  /** Its number in its log. A client sends the number of its last event as `Last-Event-ID`. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
  /** The user whom the event concerns; null for an event of all users. */
  readonly userId: string | null;
}

/** The newest events of one host or turn, so that a client that lost its connection can read the events that it missed. */
export class EventLog {
  /** A part of each id. It differs after a restart of the server, because events are then counted from 1 again. */
  #run = newRun();
  readonly #max: number;
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  #events: LoggedEvent[] = [];
  #count = 0;

  /** At least the newest `max` events are kept. */
  constructor(max: number) {
    this.#max = max;
  }

  add(event: string, data: unknown, userId: string | null): void {
    const logged = { id: `${this.#run}.${(this.#count += 1)}`, event, data, userId };
    this.#events.push(logged);
    if (this.#events.length > 2 * this.#max) this.#events = this.#events.slice(-this.#max);
    for (const listener of this.#listeners) listener(logged);
  }

  /**
   * Returns the events after `id`, or all kept events for undefined. Null if some of them are no longer kept, or the id is
   * unknown.
   */
  after(id: string | undefined): readonly LoggedEvent[] | null {
    if (id === undefined) return this.#events;
    const [run, count = ""] = id.split(".");
    const missed = this.#count - Number(count);
    const isKnown = run === this.#run && missed >= 0 && missed <= this.#events.length;
    if (!isKnown) return null;
    return missed === 0 ? [] : this.#events.slice(-missed);
  }

  /** Makes all earlier ids unknown, because events after them may be missing in the log. */
  forget(): void {
    this.#run = newRun();
    this.#events = [];
    this.#count = 0;
  }

  /** Calls `listener` with each new event. Returns a function that ends this. */
  watch(listener: (event: LoggedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function newRun(): string {
  return randomBytes(6).toString("base64url");
}
