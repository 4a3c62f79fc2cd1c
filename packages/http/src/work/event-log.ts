import { randomBytes } from "node:crypto";

/** One event of a stream. */
export interface LoggedEvent {
  /** Its number in its log. A client sends the last one that it has read as `Last-Event-ID`. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
  /** The user whom the event concerns; null for an event without a user. */
  readonly userId: string | null;
}

/** The newest events of one host or turn, so that a client that lost its connection can read the events that it missed. */
export class EventLog {
  /** Part of each id, because another run of the server counts from 1 again. */
  #run = newRun();
  readonly #max: number;
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  #events: LoggedEvent[] = [];
  #count = 0;

  /** Keeps at least the newest `max` events. */
  constructor(max: number) {
    this.#max = max;
  }

  add(event: string, data: unknown, userId: string | null): void {
    const logged = { id: `${this.#run}.${(this.#count += 1)}`, event, data, userId };
    this.#events.push(logged);
    if (this.#events.length > 2 * this.#max) this.#events = this.#events.slice(-this.#max);
    for (const listener of this.#listeners) listener(logged);
  }

  /** Returns the events after an id, all kept ones for an undefined id, and null if some of them are no longer kept. */
  after(id: string | undefined): readonly LoggedEvent[] | null {
    if (id === undefined) return this.#events;
    const [run, count = ""] = id.split(".");
    const missed = this.#count - Number(count);
    const isKnown = run === this.#run && missed >= 0 && missed <= this.#events.length;
    if (!isKnown) return null;
    return missed === 0 ? [] : this.#events.slice(-missed);
  }

  /** Makes all earlier ids unknown, because there may have been events that are not in the log. */
  forget(): void {
    this.#run = newRun();
    this.#events = [];
    this.#count = 0;
  }

  /** Reports each new event. Returns a function that stops it. */
  watch(listener: (event: LoggedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function newRun(): string {
  return randomBytes(6).toString("base64url");
}
