import { AsyncLocalStorage } from "node:async_hooks";
import { Link, LinkedList } from "./linked-list.ts";

/** A call that waits for a permit. */
export interface Waiter {
  /** Leaves the queue; the queue sets it while the call waits. */
  withdraw: (() => void) | null;
}

/** Something of which a call needs a permit before its tool may run. */
export interface PermitSource {
  /** How many calls wait. */
  readonly waiting: number;
  /** Takes a permit if one is free and no call waits for it. */
  tryAcquire(): boolean;
  /** Calls `proceed` with the permit taken, once it is free; never, if the waiter withdraws first. */
  wait(waiter: Waiter, proceed: () => void): void;
}

/** Permits for calls: at most `limit` at the same time; the others wait, first come, first served. */
export class Semaphore implements PermitSource {
  readonly limit: number;
  running = 0;
  readonly #queue = new WaitQueue();
  #releasing = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  tryAcquire(): boolean {
    if (this.running >= this.limit || this.#queue.length > 0) return false;
    this.running++;
    return true;
  }

  wait(waiter: Waiter, proceed: () => void): void {
    this.#queue.add(waiter, proceed);
  }

  /** Returns a permit: the first call that waits gets it. */
  release(): void {
    this.running--;
    if (this.#releasing) return; // a call that ended synchronously: the loop below starts the next one
    this.#releasing = true;
    try {
      while (this.running < this.limit) {
        const proceed = this.#queue.shift();
        if (proceed === null) return;
        this.running++;
        proceed();
      }
    } finally {
      this.#releasing = false;
    }
  }
}

/** Calls that wait for something, first come, first served. A call that is stopped leaves immediately. */
export class WaitQueue {
  readonly #list = new LinkedList<{ readonly waiter: Waiter; readonly proceed: () => void }>();
  readonly #onWithdraw: () => void;

  /** `onWithdraw` runs after a waiter withdrew. */
  constructor(onWithdraw: () => void = () => {}) {
    this.#onWithdraw = onWithdraw;
  }

  get length(): number {
    return this.#list.size;
  }

  /** `proceed` runs in the waiter's own asynchronous context, not in that of the call that frees the permit. */
  add(waiter: Waiter, proceed: () => void): void {
    const inContext = AsyncLocalStorage.snapshot();
    const link = new Link({ waiter, proceed: () => inContext(proceed) });
    this.#list.add(link);
    waiter.withdraw = () => {
      link.leave();
      this.#onWithdraw();
    };
  }

  /** Removes the first waiter and returns its `proceed`. */
  shift(): (() => void) | null {
    const { first } = this.#list;
    if (first === null) return null;
    first.leave();
    first.item.waiter.withdraw = null;
    return first.item.proceed;
  }
}
