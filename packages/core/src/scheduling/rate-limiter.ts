import type { Clock, Timer } from "../contract/clock.ts";
import type { Rate } from "../contract/host.ts";
import type { Run } from "../call/call.ts";
import type { Turns } from "./semaphore.ts";
import { WaitingLine } from "./wait-queue.ts";

/**
 * Keeps tools from being begun more than `calls` times in any stretch of `perMs`; more calls wait, first come, first
 * served.
 *
 * A turn is taken first and used when the tool begins, so that calls that had to wait for something else in between do
 * not begin all at once.
 */
export class Pace implements Turns {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #line = new WaitingLine(() => this.#arm());
  /** When tools began, within the last `perMs`, oldest first. */
  readonly #begun: number[] = [];
  #taken = 0;
  #timer: Timer | null = null;
  #handing = false;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#line.length;
  }

  take(): boolean {
    if (this.#line.length > 0 || !this.#isFree()) return false;
    this.#taken++;
    return true;
  }

  wait(run: Run, go: () => void): void {
    this.#line.add(run, go);
    this.#arm();
  }

  /** The tool begins. */
  use(): void {
    this.#taken--;
    this.#begun.push(this.#clock.now());
    this.#handOn();
  }

  /** The tool will not begin. */
  giveBack(): void {
    this.#taken--;
    this.#handOn();
  }

  #isFree(): boolean {
    const now = this.#clock.now();
    const { calls, perMs } = this.#rate;
    // A clock that was set back would have everybody wait until it has caught up.
    if ((this.#begun.at(-1) ?? now) > now) this.#begun.length = 0;
    while (this.#begun.length > 0 && now - this.#begun[0]! >= perMs) this.#begun.shift();
    return this.#taken + this.#begun.length < calls;
  }

  #handOn(): void {
    if (this.#handing) return;
    this.#handing = true;
    try {
      while (this.#line.length > 0 && this.#isFree()) {
        this.#taken++;
        this.#line.shift()!();
      }
    } finally {
      this.#handing = false;
    }
    this.#arm();
  }

  /** The next is let go when the oldest beginning is `perMs` ago. No timer while nobody waits. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const [oldest] = this.#begun;
    if (this.#line.length === 0 || oldest === undefined) return;
    const ms = Math.max(1, oldest + this.#rate.perMs - this.#clock.now());
    this.#timer = this.#clock.setTimer(() => this.#handOn(), ms);
  }
}
