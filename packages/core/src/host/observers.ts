import { isoTime, type Clock } from "../contract/clock.ts";
import type { EventData } from "../contract/hooks.ts";
import type { Logger } from "../contract/logger.ts";
import type { ObserverEntry } from "../registry/registry.ts";

export class Observers {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #running = new Set<Promise<unknown>>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Adds the time to an event, freezes it, and notifies observers. */
  notifyNow(observers: readonly ObserverEntry[], event: string, data: EventData): void {
    this.notify(observers, event, Object.freeze({ ...data, timestamp: isoTime(this.#clock.now()) }));
  }

  notify(observers: readonly ObserverEntry[], event: string, data: EventData): void {
    for (const observer of observers) {
      try {
        const returned = observer.handler(event, data);
        if (returned instanceof Promise) this.#watch(returned, observer, event);
      } catch (error) {
        this.#logFailure(error, observer, event);
      }
    }
  }

  settled(): Promise<unknown> | null {
    return this.#running.size === 0 ? null : Promise.all(this.#running);
  }

  #watch(returned: Promise<unknown>, observer: ObserverEntry, event: string): void {
    const settled: Promise<unknown> = returned
      .catch((error: unknown) => this.#logFailure(error, observer, event))
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  #logFailure(err: unknown, observer: ObserverEntry, event: string): void {
    this.#logger.warn({ err, observer: observer.name, owner: observer.owner, event }, "an observer failed");
  }
}
