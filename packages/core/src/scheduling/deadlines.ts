import type { Clock, Timer } from "../contract/clock.ts";
import { LinkedList, type Link } from "./linked-list.ts";

interface TimeSource {
  readonly clock: Clock;
  now(): number;
}

/** Calls `onDue` for items that stay longer than `ms`. All wait equally long, so one timer is enough. */
export class Deadlines<Item> extends LinkedList<Item> {
  readonly #time: TimeSource;
  readonly #ms: number;
  readonly #onDue: (item: Item) => void;
  #timer: Timer | null = null;
  /** The timer does not keep the process alive. */
  #idle = false;
  #idleCheckQueued = false;

  constructor(time: TimeSource, ms: number, onDue: (item: Item) => void) {
    super();
    this.#time = time;
    this.#ms = ms;
    this.#onDue = onDue;
  }

  start(link: Link<Item>, now: number): void {
    link.due = now + this.#ms;
    this.add(link);
    if (this.#timer === null) this.#schedule(this.#ms);
    else if (this.#idle) this.#setIdle(this.#timer, false);
  }

  override remove(link: Link<Item>): void {
    super.remove(link);
    if (this.size === 0 && !this.#idle && !this.#idleCheckQueued) this.#queueIdleCheck();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#idle = false;
  }

  /** Lets the process end once the list is empty; checked once per tick, or calls in a row would switch it twice each. */
  #queueIdleCheck(): void {
    this.#idleCheckQueued = true;
    setImmediate(() => {
      this.#idleCheckQueued = false;
      if (this.size === 0 && this.#timer !== null) this.#setIdle(this.#timer, true);
    });
  }

  #setIdle(timer: Timer, idle: boolean): void {
    this.#idle = idle;
    timer.keepAlive(!idle);
  }

  /** When the clock fails to give a timer, it is asked again soon: the deadline must not be lost. */
  #schedule(ms: number): void {
    try {
      this.#timer = this.#time.clock.setTimer(() => this.#fire(), ms);
    } catch {
      setImmediate(() => {
        if (this.first !== null && this.#timer === null) this.#schedule(ms);
      });
    }
  }

  #fire(): void {
    this.#timer = null;
    this.#idle = false;
    const now = this.#time.now();
    // Timers may fire up to a millisecond early.
    for (let link = this.first; link !== null && link.due - now <= 1; link = this.first) {
      this.remove(link);
      this.#onDue(link.item);
    }
    if (this.first !== null && this.#timer === null) this.#schedule(Math.max(1, this.first.due - now));
  }
}
