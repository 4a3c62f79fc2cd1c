import { AsyncLocalStorage } from "node:async_hooks";

/** A call that waits. */
export interface Waiter {
  /** Whose call it is: those who wait take turns, so that many calls of one keep no other from its first. */
  readonly queuedFor: string;
  /** Leaves the queue; the queue sets it while the call waits. */
  withdraw: (() => void) | null;
}

/** Something of which a call needs a permit before its tool may run. */
export interface PermitSource {
  readonly waiting: number;
  /** Takes a permit if one is free and no call waits for it. */
  tryAcquire(): boolean;
  /** Calls `proceed` with the permit taken, once it is free; never, if the waiter withdraws first. */
  wait(waiter: Waiter, proceed: () => void): void;
  /** The tool begins. Returns whether that uses the permit up; else it is held until the call ends. */
  begin(): boolean;
  /** Returns a permit that is held, or that no tool will use. */
  release(): void;
}

/** Permits for calls: at most `limit` at the same time; the others wait in a {@link WaitQueue}. */
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

  /** The next call that waits gets the permit. */
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
 * Calls that wait for something. Those for whom they are made take turns; of one of them, the first that came is the first that
 * proceeds. A call that is stopped leaves immediately.
 */
export class WaitQueue {
  /** The calls by those for whom they wait: who had a turn last is last. */
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

  /** `proceed` runs in the waiter's own asynchronous context, not in that of the call that frees the permit. */
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

  /** Lets waiters proceed while `take` gets a permit. A call that ends synchronously frees one for the same loop. */
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
