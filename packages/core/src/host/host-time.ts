import type { Clock } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";

/** A host's own time: milliseconds since the host was made. Its first moment is 1, so that 0 can mean "never". */
export class HostTime {
  readonly clock: Clock;
  /** The zero of the host's time, in milliseconds since the Unix epoch. */
  readonly epoch: number;
  readonly #logger: Logger;
  #lastTime = 1;
  #stampedTime = -1;
  #stampedText = "";

  constructor(clock: Clock, logger: Logger) {
    this.clock = clock;
    this.epoch = clock.now() - 1;
    this.#logger = logger;
  }

  /** The time now. When the clock fails, time stands still, so that deadlines stay in order. */
  now(): number {
    try {
      return (this.#lastTime = this.clock.now() - this.epoch);
    } catch (err) {
      this.#logger.error({ err }, "the clock failed");
      return this.#lastTime;
    }
  }

  /** ISO 8601 text of a moment. The last one is cached: many calls share a millisecond. */
  stamp(time: number): string {
    if (time !== this.#stampedTime) {
      this.#stampedText = new Date(this.epoch + time).toISOString();
      this.#stampedTime = time;
    }
    return this.#stampedText;
  }
}
