import type { Clock, Timer } from "../contract/clock.ts";
import type { Progress } from "../contract/context.ts";

/** Number of reports of one run that are passed on at once. */
const freeReports = 100;

/** Milliseconds between later reports. */
const pauseMs = 50;

/** Passes on the reports of one run: the first ones at once, and then the newest one after each pause. */
export class ProgressPace {
  readonly #clock: Clock;
  readonly #passOn: (progress: Progress) => void;
  #free = freeReports;
  #timer: Timer | null = null;
  #newest: Progress | null = null;

  constructor(clock: Clock, passOn: (progress: Progress) => void) {
    this.#clock = clock;
    this.#passOn = passOn;
  }

  report(progress: Progress): void {
    if (this.#free-- > 0) return this.#passOn(progress);
    this.#newest = progress;
    if (this.#timer !== null) return;
    this.#timer = this.#clock.setTimer(() => this.flush(), pauseMs);
    this.#timer.keepAlive(false);
  }

  /** Passes on the newest report, if it was not passed on yet. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const newest = this.#newest;
    this.#newest = null;
    if (newest !== null) this.#passOn(newest);
  }
}
