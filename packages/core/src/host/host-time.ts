import type { Clock } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";

/**
 * A host's own time: milliseconds since the host was made, however the machine's clock is set meanwhile. Its first moment
 * is 1, so that 0 can mean "never".
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

  /** The time now. When the clock fails, time stands still, so that deadlines stay in order. */
  now(): number {
    try {
      return (this.#lastTime = this.#elapsed() - this.#zero);
    } catch (err) {
      this.#logger.error({ err }, "the clock failed");
      return this.#lastTime;
    }
  }

  /** A moment in milliseconds since the Unix epoch. Follows the machine's clock when that is set. */
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

  /** ISO 8601 text of a moment. The last one is cached: many calls share a millisecond. */
  stamp(time: number): string {
    if (time !== this.#stampedTime) {
      this.#stampedText = new Date(this.at(time)).toISOString();
      this.#stampedTime = time;
    }
    return this.#stampedText;
  }
}
