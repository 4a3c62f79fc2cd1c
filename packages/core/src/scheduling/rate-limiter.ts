import type { Clock, Timer } from "../contract/clock.ts";
import type { Rate } from "../contract/host.ts";
import { WaitQueue, type PermitSource, type Waiter } from "./semaphore.ts";

/** Lets at most `calls` tools begin in any `perMs`. A permit is used when its tool begins, not when it is acquired. */
export class RateLimiter implements PermitSource {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #queue = new WaitQueue(() => this.#schedule());
  /** When tools began, within the last `perMs`, oldest first. */
  readonly #begun: number[] = [];
  #acquired = 0;
  #timer: Timer | null = null;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
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

  /** The tool begins. */
  use(): void {
    this.#acquired--;
    this.#begun.push(this.#clock.now());
    this.#releaseWaiting();
  }

  /** The tool will not begin. */
  release(): void {
    this.#acquired--;
    this.#releaseWaiting();
  }

  #take(): boolean {
    const now = this.#clock.now();
    const { calls, perMs } = this.#rate;
    // After the clock was set back, all calls would wait until it reaches the old time again.
    if ((this.#begun.at(-1) ?? now) > now) this.#begun.length = 0;
    while (this.#begun.length > 0 && now - this.#begun[0]! >= perMs) this.#begun.shift();
    if (this.#acquired + this.#begun.length >= calls) return false;
    this.#acquired++;
    return true;
  }

  #releaseWaiting(): void {
    this.#queue.drain(() => this.#take());
    this.#schedule();
  }

  /** The next call proceeds when the oldest beginning is `perMs` old. No timer runs while no call waits. */
  #schedule(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const [oldest] = this.#begun;
    if (this.#queue.length === 0 || oldest === undefined) return;
    const ms = Math.max(1, oldest + this.#rate.perMs - this.#clock.now());
    this.#timer = this.#clock.setTimer(() => this.#releaseWaiting(), ms);
  }
}
