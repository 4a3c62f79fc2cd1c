import type { Clock, Timer } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";

const { hrtime } = process;
const firstSecond = hrtime()[0];

/** The machine's clock, the default of `createHost`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed() {
    // This takes 34 ns and `performance.now()` 42 ns; a call reads the clock twice.
    const time = hrtime();
    return (time[0] - firstSecond) * 1000 + ((time[1] / 1e6) | 0);
  },
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return {
      cancel: () => clearTimeout(timer),
      keepAlive: (on) => void (on ? timer.ref() : timer.unref()),
    };
  },
};

/**
 * A host's own time: milliseconds since the host was made. If the clock has `elapsed`, setting the machine's clock does not
 * change it. It begins at 1, so that 0 can mean "never".
 */
export class HostTime {
  readonly clock: Clock;
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  readonly #zero: number;
  /** The zero of the host's time, in milliseconds since the Unix epoch. */
  #epoch: number;
  #lastTime = 1;
  #stampedTime = -1;
  #stampedText = "";

  constructor(clock: Clock, logger: Logger) {
    this.clock = clock;
    this.#logger = logger;
    this.#elapsed = clock.elapsed === undefined ? () => clock.now() : () => clock.elapsed!();
    this.#zero = this.#elapsed() - 1;
    this.#epoch = clock.now() - 1;
  }

  /** Returns the current time. If the clock fails, time stands still, so that deadlines stay in order. */
  now(): number {
    try {
      return (this.#lastTime = this.#elapsed() - this.#zero);
    } catch (err) {
      this.#logger.error({ err }, "the clock failed");
      return this.#lastTime;
    }
  }

  /** Converts a host time to milliseconds since the Unix epoch. It follows the machine's clock when that is set. */
  at(time: number): number {
    try {
      const epoch = this.clock.now() - this.now();
      // Two clocks read one after the other differ by up to a millisecond.
      if (Math.abs(epoch - this.#epoch) > 1) this.#epoch = epoch;
    } catch (err) {
      this.#logger.error({ err }, "the clock failed");
    }
    return this.#epoch + time;
  }

  /** Returns a host time as ISO 8601 text. The last text is kept, because many calls share a millisecond. */
  stamp(time: number): string {
    if (time !== this.#stampedTime) {
      this.#stampedText = new Date(this.at(time)).toISOString();
      this.#stampedTime = time;
    }
    return this.#stampedText;
  }
}

interface Timed {
  /** When the time of the item is over, in the host's own time; 0 for never. */
  due: number;
}

interface TimeSource {
  readonly clock: Clock;
  now(): number;
}

/**
 * Calls `onDue` for items whose time is over. All items share one timer, set for the earliest of them; when it fires, all
 * `items` are looked through. An item that ends in time, as most do, costs two assignments: no timer, and no place in a list.
 */
export class Deadlines<Item extends Timed> {
  readonly #time: TimeSource;
  readonly #items: () => readonly Item[];
  readonly #onDue: (item: Item) => void;
  /** How many items have a deadline. */
  #count = 0;
  #timer: Timer | null = null;
  /** When the timer fires. */
  #firesAt = 0;
  /** Whether the timer does not keep the process alive. */
  #idle = false;
  #idleCheckQueued = false;

  constructor(time: TimeSource, items: () => readonly Item[], onDue: (item: Item) => void) {
    this.#time = time;
    this.#items = items;
    this.#onDue = onDue;
  }

  /** Sets the deadline of an item to `ms` after `now`, instead of any deadline that it has. */
  start(item: Item, ms: number, now: number): void {
    if (item.due === 0) this.#count++;
    item.due = now + ms;
    if (this.#timer === null || item.due < this.#firesAt) this.#schedule(item.due, ms);
    else if (this.#idle) this.#setIdle(this.#timer, false);
  }

  /** Removes the deadline of an item. */
  end(item: Item): void {
    if (item.due === 0) return;
    item.due = 0;
    this.#count--;
    if (this.#count === 0 && !this.#idle && !this.#idleCheckQueued) this.#queueIdleCheck();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#idle = false;
  }

  /** Lets the process end when no item has a deadline. It checks once per tick, or each of several calls in a row would switch it. */
  #queueIdleCheck(): void {
    this.#idleCheckQueued = true;
    setImmediate(() => {
      this.#idleCheckQueued = false;
      if (this.#count === 0 && this.#timer !== null) this.#setIdle(this.#timer, true);
    });
  }

  #setIdle(timer: Timer, idle: boolean): void {
    this.#idle = idle;
    timer.keepAlive(!idle);
  }

  /** Sets the timer. If the clock fails to make one, it is asked again soon, because the deadline must not be lost. */
  #schedule(due: number, ms: number): void {
    this.stop();
    try {
      this.#timer = this.#time.clock.setTimer(() => this.#fire(), ms);
      this.#firesAt = due;
    } catch {
      setImmediate(() => {
        if (this.#timer === null) this.#scheduleNext();
      });
    }
  }

  #fire(): void {
    this.stop();
    const now = this.#time.now();
    // Timers may fire up to a millisecond early.
    const isDue = ({ due }: Item) => due !== 0 && due - now <= 1;
    const over = this.#items().filter(isDue);
    // The end of one item may end others, or give them more time.
    for (const item of over.toSorted((a, b) => a.due - b.due)) {
      if (!isDue(item)) continue;
      this.end(item);
      this.#onDue(item);
    }
    if (this.#timer === null) this.#scheduleNext();
  }

  /** Sets the timer for the earliest item. */
  #scheduleNext(): void {
    let next = 0;
    for (const { due } of this.#items()) if (due !== 0 && (next === 0 || due < next)) next = due;
    if (next !== 0) this.#schedule(next, Math.max(1, next - this.#time.now()));
  }
}

/** A list that items join and leave in constant time, without a search and without links between items. */
export class UnorderedList<Item extends { place: number }> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** Removes an item; the last item takes its place. */
  remove(item: Item): void {
    if (item.place < 0) return;
    const last = this.#items.pop()!;
    if (last !== item) {
      this.#items[item.place] = last;
      last.place = item.place;
    }
    item.place = -1;
  }

  items(): Item[] {
    return [...this.#items];
  }
}

/** Waits at most `ms` for `work`, then settles as the value or promise that `onTimeout` returns. The work itself is not stopped. */
export function withTimeout<Value>(
  clock: Clock,
  ms: number,
  work: Promise<Value>,
  onTimeout: () => Value | Promise<never>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => resolve(onTimeout()), ms);
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
