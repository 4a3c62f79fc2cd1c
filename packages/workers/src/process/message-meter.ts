import type { Clock } from "@toolmount/core";

/** Messages that a process may send at once after the start of a call, and further ones per second. */
const messages = { most: 100_000, perSecond: 1_000 };

/** The same limits in characters of JSON; the first is as much as four of the largest messages. */
const characters = { most: 268_435_456, perSecond: 16_777_216 };

/** Limits what a process sends, before it is read. The start of a call restores the whole allowance. */
export class MessageMeter {
  readonly #clock: Pick<Clock, "now">;
  #messages = messages.most;
  #characters = characters.most;
  #countedAt: number;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.#countedAt = clock.now();
  }

  refill(): void {
    this.#messages = messages.most;
    this.#characters = characters.most;
    this.#countedAt = this.#clock.now();
  }

  /**
   * Allows the two messages that a question can cause: the answer, and the report that it was aborted. It does not restore the
   * whole allowance, because the host also asks about events that the process itself has emitted.
   */
  allowAnswer(): void {
    this.#messages = Math.min(messages.most, this.#messages + 2);
  }

  /** Counts a message. Returns what was too much if the allowance is used up. */
  take(length: number): string | undefined {
    this.#messages -= 1;
    this.#characters -= length;
    if (this.#messages >= 0 && this.#characters >= 0) return undefined;
    this.#addForTime();
    if (this.#messages < 0) return `more than ${messages.most} messages`;
    return this.#characters < 0 ? `more than ${characters.most} characters` : undefined;
  }

  #addForTime(): void {
    const now = this.#clock.now();
    const seconds = Math.max(0, now - this.#countedAt) / 1000;
    this.#countedAt = now;
    this.#messages = Math.min(messages.most, this.#messages + seconds * messages.perSecond);
    this.#characters = Math.min(characters.most, this.#characters + seconds * characters.perSecond);
  }
}
