import { AsyncLocalStorage } from "node:async_hooks";

/** A call that waits. */
export interface Waiter {
  /** The user or session of the call. Waiting calls take turns by it, so that many calls of one user do not block another's. */
  readonly queuedFor: string;
  /** Removes the call from the queue. The queue sets it while the call waits. */
  withdraw: (() => void) | null;
}

/** A source of permits. A call needs a permit of each source before its tool may run. */
export interface PermitSource {
  readonly waiting: number;
  /** Takes a permit if one is free and no call waits for it. */
  tryAcquire(): boolean;
  /** Calls `proceed` when a permit was taken for the waiter; never, if the waiter withdraws first. */
  wait(waiter: Waiter, proceed: () => void): void;
  /** Called when the tool begins. Returns whether that uses the permit up; if not, the call holds it until its end. */
  begin(): boolean;
  /** Frees a permit that a call has held until its end, or that no tool will use. */
  release(): void;
}

/** Gives permits to at most `limit` calls at the same time. The others wait in a {@link WaitQueue}. */
export class Semaphore implements PermitSource {
  readonly limit: number;
  running = 0;
  readonly #queue = new WaitQueue();

  constructor(limit: number) {
    this.limit = limit;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  tryAcquire(): boolean {
    return this.#queue.length === 0 && this.#take();
  }

  wait(waiter: Waiter, proceed: () => void): void {
    this.#queue.add(waiter, proceed);
  }

  begin(): boolean {
    return false;
  }

  /** Frees a permit, which the next waiting call gets. */
  release(): void {
    this.running--;
    this.#queue.drain(() => this.#take());
  }

  #take(): boolean {
    if (this.running >= this.limit) return false;
    this.running++;
    return true;
  }
}

/** One call that waits. */
interface Entry {
  readonly waiter: Waiter;
  readonly proceed: () => void;
}

/**
 * Calls that wait for a permit. The users or sessions of these calls take turns; among the calls of one of them, the first that
 * came proceeds first. A call that is stopped leaves immediately.
 */
export class WaitQueue {
  /** The waiting calls by user or session. The one whose turn was last is the last in this map. */
  readonly #waiting = new Map<string, Set<Entry>>();
  readonly #onWithdraw: () => void;
  #length = 0;
  #draining = false;

  /** `onWithdraw` runs after a waiter withdrew. */
  constructor(onWithdraw: () => void = () => {}) {
    this.#onWithdraw = onWithdraw;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a waiter. `proceed` runs in the waiter's own asynchronous context, not in that of the call that frees the permit. */
  add(waiter: Waiter, proceed: () => void): void {
    const inContext = AsyncLocalStorage.snapshot();
    const entry = { waiter, proceed: () => inContext(proceed) };
    const own = this.#waiting.get(waiter.queuedFor) ?? new Set<Entry>();
    this.#waiting.set(waiter.queuedFor, own.add(entry));
    this.#length += 1;
    waiter.withdraw = () => {
      this.#remove(entry);
      this.#onWithdraw();
    };
  }

  /** Lets waiters proceed while `take` gets permits. A call that ends synchronously frees its permit for the same loop. */
  drain(take: () => boolean): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      while (this.#length > 0 && take()) {
        const entry = this.#next();
        entry.waiter.withdraw = null;
        entry.proceed();
      }
    } finally {
      this.#draining = false;
    }
  }

  #next(): Entry {
    const [[owner, own]] = this.#waiting as unknown as [[string, Set<Entry>]];
    const [entry] = own as unknown as [Entry];
    this.#remove(entry);
    if (this.#waiting.delete(owner)) this.#waiting.set(owner, own);
    return entry;
  }

  #remove(entry: Entry): void {
    const { queuedFor } = entry.waiter;
    const own = this.#waiting.get(queuedFor)!;
    own.delete(entry);
    if (own.size === 0) this.#waiting.delete(queuedFor);
    this.#length -= 1;
  }
}
