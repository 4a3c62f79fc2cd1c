import type { Clock, Json, JsonObject, Logger, Timer, WorkRecord, WorkStore } from "@toolmount/core";
import { z } from "zod";

/** The kind of the records with the events of turns. */
export const eventsKind = "turn-events";
/**
 * Milliseconds for which events are collected before they are stored together, because a row for each word of a text would be too
 * many.
 */
const collectMs = 100;
/** Milliseconds between two reads of events that another server may have stored. */
const pollMs = 500;
/** Maximum number of events that wait while the store cannot be reached. Older ones are dropped. */
const maxWaiting = 2_000;

const body = z.object({ events: z.array(z.object({ event: z.string(), data: z.json() })) });

interface TurnEvent {
  /** Its position among the events of its turn, which is the same at every server. */
  readonly id: string;
  readonly event: string;
  readonly data: Json;
}

/** What the events of a turn need from the server. */
export interface TurnEventsOptions {
  readonly store: WorkStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The events of one turn in the store, in parts that are numbered from 1. A client can read them at any server. An event is sent
 * only after it was stored, so a client never gets an event that is lost later or has another id elsewhere.
 */
export class TurnEvents {
  readonly #store: WorkStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #turn: string;
  readonly #listeners = new Set<() => void>();
  #waiting: { readonly event: string; readonly data: Json }[] = [];
  #timer: Timer | null = null;
  #storing: Promise<void> = Promise.resolve();
  /** The number of the next part to store; null if it is not known yet. */
  #next: number | null = null;
  /** Whether the last attempt to store events failed. */
  #isAway = false;

  constructor({ store, clock, logger }: TurnEventsOptions, turn: string) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#turn = turn;
  }

  add(event: string, data: unknown): void {
    this.#waiting.push({ event, data: JSON.parse(JSON.stringify(data)) as Json });
    this.#storeIn(collectMs);
  }

  #storeIn(ms: number): void {
    this.#timer ??= this.#clock.setTimer(() => void this.stored(), ms);
    this.#timer.keepAlive(false);
  }

  /** Stores the waiting events. If the store cannot be reached, they are stored later. */
  stored(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    return (this.#storing = this.#storing.then(() => this.#storeWaiting()));
  }

  async #storeWaiting(): Promise<void> {
    const events = this.#waiting.slice(-maxWaiting);
    this.#waiting = [];
    if (events.length === 0) return;
    try {
      this.#next ??= await this.#findNext();
      // Another server may have stored a part with this number, so the next free number is used.
      while (!(await this.#store.save(this.#part(this.#next, { events })))) this.#next += 1;
      this.#next += 1;
      this.#report(null);
    } catch (err) {
      this.#waiting.unshift(...events);
      this.#report(err);
      this.#storeIn(pollMs);
    }
    for (const listener of this.#listeners) listener();
  }

  /** Logs once that events cannot be stored, and once that they are stored again. */
  #report(err: unknown): void {
    const isAway = err !== null;
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    const turn = this.#turn;
    if (isAway)
      this.#logger.error({ err, turn }, "the events of a turn cannot be stored; they are tried again");
    else this.#logger.info({ turn }, "the events of a turn are stored again");
  }

  async #findNext(): Promise<number> {
    const [last] = await this.#store.list({ kind: eventsKind, sessionId: this.#turn, limit: 1 });
    return last === undefined ? 1 : Number(last.id.slice(this.#turn.length + 1)) + 1;
  }

  #part(number: number, events: JsonObject): WorkRecord {
    const facts = { kind: eventsKind, version: 1, scope: "", status: "kept", userId: null, dueAt: null };
    return { ...facts, id: this.#idOf(number), sessionId: this.#turn, at: this.#clock.now(), body: events };
  }

  #idOf(number: number): string {
    return `${this.#turn}.${String(number).padStart(9, "0")}`;
  }

  /**
   * Yields the stored events after an id; without one, all of them. Calls `onIdle` each time it has yielded the last one. Ends
   * when the signal aborts, or when `isOver` has resolved to true and no more events are found.
   */
  async *after(
    id: string | undefined,
    { signal, isOver, onIdle }: { signal: AbortSignal; isOver: () => Promise<boolean>; onIdle: () => void },
  ): AsyncGenerator<TurnEvent> {
    let [number, read] = readId(id) ?? [1, 0];
    let isLast = false;
    while (!signal.aborted) {
      const part = await this.#store.get(eventsKind, this.#idOf(number));
      if (part === null) {
        if (isLast) return;
        onIdle();
        isLast = await isOver();
        await this.#changed(signal);
        continue;
      }
      for (const [at, event] of body.parse(part.body).events.entries())
        if (at >= read) yield { ...event, id: `${number}.${at + 1}` };
      [number, read] = [number + 1, 0];
    }
  }

  /** Resolves when this server has stored events, after `pollMs`, or when the signal aborts. */
  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        this.#listeners.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = this.#clock.setTimer(done, pollMs);
      this.#listeners.add(done);
      signal.addEventListener("abort", done);
    });
  }
}

/**
 * Reads an id of an event: the number of its part, and how many events of this part the client has. Null for undefined or another
 * text.
 */
export function readId(id: string | undefined): readonly [number, number] | null {
  const [, part, read] = /^(\d{1,9})\.(\d{1,9})$/.exec(id ?? "") ?? [];
  return part === undefined ? null : [Number(part), Number(read)];
}
