import { AsyncLocalStorage } from "node:async_hooks";

export interface Waiter {
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

/** Permits for calls: at most `limit` at the same time; the others wait, first come, first served. */
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

  /** The first call that waits gets the permit. */
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

/** Calls that wait for something, first come, first served. A call that is stopped leaves immediately. */
export class WaitQueue {
  readonly #waiting = new Set<{ readonly waiter: Waiter; readonly proceed: () => void }>();
  readonly #onWithdraw: () => void;
  #draining = false;

  /** `onWithdraw` runs after a waiter withdrew. */
  constructor(onWithdraw: () => void = () => {}) {
    this.#onWithdraw = onWithdraw;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** `proceed` runs in the waiter's own asynchronous context, not in that of the call that frees the permit. */
  add(waiter: Waiter, proceed: () => void): void {
    const inContext = AsyncLocalStorage.snapshot();
    const entry = { waiter, proceed: () => inContext(proceed) };
    this.#waiting.add(entry);
    waiter.withdraw = () => {
      this.#waiting.delete(entry);
      this.#onWithdraw();
    };
  }

  /** Lets waiters proceed while `take` gets a permit. A call that ends synchronously frees one for the same loop. */
  drain(take: () => boolean): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (const entry of this.#waiting) {
        if (!take()) break;
        this.#waiting.delete(entry);
        entry.waiter.withdraw = null;
        entry.proceed();
      }
    } finally {
      this.#draining = false;
    }
  }
}
