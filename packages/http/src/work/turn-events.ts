import type { Clock, Json, JsonObject, Logger, Timer, WorkRecord, WorkStore } from "@toolmount/core";
import { z } from "zod";

/** The kind of the records with the events of turns. */
export const eventsKind = "turn-events";
/** Milliseconds for which events are collected before they are stored, so that a text does not need a row for each word. */
const collectMs = 100;
/** Milliseconds between two looks for events that another server has stored. */
const pollMs = 500;
/** Most events that wait for a store that cannot be reached. Older ones are dropped. */
const maxWaiting = 2_000;

const body = z.object({ events: z.array(z.object({ event: z.string(), data: z.json() })) });

/** One event of a turn. */
interface TurnEvent {
  /** Its number among the events of its turn, the same at every server. */
  readonly id: string;
  readonly event: string;
  readonly data: Json;
}

/** The parts of the server that a turn's events use. */
export interface TurnEventsOptions {
  readonly store: WorkStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The events of one turn in the store, in parts that are numbered from 1. A client can read them at any server. An event is sent
 * only after it is stored, so an event that a client has read is never lost and has the same id everywhere.
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
  /** The number of the next part; null while it is unknown. */
  #next: number | null = null;
  /** Whether the store refused the last part. */
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

  /** Stores the waiting events. While the store cannot be reached, it tries again later. */
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
      // Another server may have stored a part meanwhile, so the next free number is used.
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

  /** Logs once that the store refuses events, and once that it accepts them again. */
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
   * Yields the events after an id, or all of them without one. It calls `onIdle` each time it has yielded the last stored event.
   * It ends when the signal is aborted, or when `isOver` resolves to true and the next look finds no more events.
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

  /** Resolves when events were stored here, or when the next look is due. */
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

/** Reads an id: the part and the number of its events that a client has read; null for an id in another form. */
export function readId(id: string | undefined): readonly [number, number] | null {
  const [, part, read] = /^(\d{1,9})\.(\d{1,9})$/.exec(id ?? "") ?? [];
  return part === undefined ? null : [Number(part), Number(read)];
}
