import type { Clock, Timer } from "../contract/clock.ts";
import { LinkedList, type Link } from "./linked-list.ts";

/** A host's own time, in milliseconds since it was made. */
interface HostTime {
  readonly clock: Clock;
  time(): number;
}

/**
 * Calls `onDue` for items that stayed in the list longer than `ms`: one timer for all of them.
 *
 * All items wait equally long, so the list is in the order in which they are due, and a call that ends in time costs
 * no timer of its own.
 */
export class TimerList<Item> extends LinkedList<Item> {
  readonly #time: HostTime;
  readonly #ms: number;
  readonly #onDue: (item: Item) => void;
  #timer: Timer | null = null;
  /** The timer does not keep the process alive. */
  #idle = false;
  #resting = false;

  constructor(time: HostTime, ms: number, onDue: (item: Item) => void) {
    super();
    this.#time = time;
    this.#ms = ms;
    this.#onDue = onDue;
  }

  /** Adds an item that began to wait at `now`. */
  start(link: Link<Item>, now: number): void {
    link.due = now + this.#ms;
    this.add(link);
    if (this.#timer === null) this.#arm(this.#ms);
    else if (this.#idle) this.#wake(this.#timer);
  }

  override remove(link: Link<Item>): void {
    super.remove(link);
    if (this.size === 0 && !this.#idle && !this.#resting) this.#rest();
  }

  #wake(timer: Timer): void {
    this.#idle = false;
    timer.keepAlive(true);
  }

  /** Lets the process end once nothing waits; looked at once a turn, since calls in a row would switch it twice each. */
  #rest(): void {
    this.#resting = true;
    setImmediate(() => {
      this.#resting = false;
      if (this.size > 0 || this.#timer === null) return;
      this.#idle = true;
      this.#timer.keepAlive(false);
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#idle = false;
  }

  /** A clock that gives no timer is asked again soon: a deadline must not be lost with it. */
  #arm(ms: number): void {
    try {
      this.#timer = this.#time.clock.setTimer(() => this.#fire(), ms);
    } catch {
      setImmediate(() => {
        if (this.first !== null && this.#timer === null) this.#arm(ms);
      });
    }
  }

  #fire(): void {
    this.#timer = null;
    this.#idle = false;
    this.#endDue(this.#time.time());
  }

  #endDue(now: number): void {
    // Timers may fire up to a millisecond early.
    for (let link = this.first; link !== null && link.due - now <= 1; link = this.first) {
      this.remove(link);
      this.#onDue(link.item);
    }
    if (this.first !== null && this.#timer === null) this.#arm(Math.max(1, this.first.due - now));
  }
}
