import type { Clock, Timer } from "../contract/clock.ts";
import { maxTimerMs, readRate } from "./rate.ts";
import { WaitQueue, type PermitSource, type Waiter } from "./semaphore.ts";

/** How many servers of one store serve the plan, and which of them this server is, counted from 0. */
export interface ServerShare {
  servers: number;
  rank: number;
}

/**
 * Limits how many tools begin within any period of a given length. A permit is used when its tool begins, not when it is
 * acquired. Several servers share the limit.
 */
export class RateLimiter implements PermitSource {
  readonly #calls: number;
  readonly #perMs: number;
  readonly #clock: Clock;
  readonly #share: ServerShare;
  readonly #queue = new WaitQueue(() => this.#schedule());
  /** When tools began within the last period, oldest first. */
  readonly #begun: number[] = [];
  #acquired = 0;
  #timer: Timer | null = null;

  constructor(rate: string, clock: Clock, share: ServerShare) {
    // Never null, because the host has checked its limits.
    const { calls, perMs } = readRate(rate)!;
    [this.#calls, this.#perMs] = [calls, perMs];
    this.#clock = clock;
    this.#share = share;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  tryAcquire(): boolean {
    return this.#queue.length === 0 && this.#take();
  }

  wait(waiter: Waiter, proceed: () => void): void {
    this.#queue.add(waiter, proceed);
    this.#schedule();
  }

  begin(): boolean {
    this.#acquired--;
    this.#begun.push(this.#clock.now());
    this.#releaseWaiting();
    return true;
  }

  release(): void {
    this.#acquired--;
    this.#releaseWaiting();
  }

  #take(): boolean {
    const now = this.#clock.now();
    // Otherwise, after the clock was set back, all calls would wait until it reaches the old time again.
    if ((this.#begun.at(-1) ?? now) > now) this.#begun.length = 0;
    const { calls, perMs } = this.#own;
    while (this.#begun.length > 0 && now - this.#begun[0]! >= perMs) this.#begun.shift();
    if (this.#acquired + this.#begun.length >= calls) return false;
    this.#acquired++;
    return true;
  }

  /** This server's share. If there are fewer calls than servers, it is one call in a longer period. */
  get #own(): { readonly calls: number; readonly perMs: number } {
    const { servers, rank } = this.#share;
    const [each, more] = [Math.floor(this.#calls / servers), this.#calls % servers];
    if (each > 0) return { calls: each + (rank < more ? 1 : 0), perMs: this.#perMs };
    return { calls: 1, perMs: (this.#perMs * servers) / this.#calls };
  }

  #releaseWaiting(): void {
    this.#queue.drain(() => this.#take());
    this.#schedule();
  }

  /** Sets a timer for when the oldest start leaves the period, so that the next call can proceed. Sets none if no call waits. */
  #schedule(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const [oldest] = this.#begun;
    if (this.#queue.length === 0 || oldest === undefined) return;
    const ms = Math.max(1, oldest + this.#own.perMs - this.#clock.now());
    this.#timer = this.#clock.setTimer(() => this.#releaseWaiting(), Math.min(ms, maxTimerMs));
  }
}
