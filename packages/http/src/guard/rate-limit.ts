import type { Clock } from "@toolmount/core";

/** At most `count` in any window of `perMs` milliseconds. */
export interface RateRule {
  readonly count: number;
  readonly perMs: number;
}

/** Keys that are remembered; the oldest is forgotten to make room. */
const maxKeys = 10_000;

/** Counts requests by a key, in windows that begin with a key's first request. */
export class RateLimit {
  readonly #rule: RateRule;
  readonly #clock: Clock;
  readonly #windows = new Map<string, { count: number; readonly until: number }>();

  constructor(rule: RateRule, clock: Clock) {
    this.#rule = rule;
    this.#clock = clock;
  }

  /** Takes one back that was counted, in the same window. */
  giveBack(key: string): void {
    const open = this.#windows.get(key);
    if (open !== undefined) open.count = Math.max(0, open.count - 1);
  }

  /** Counts one. Returns 0, or the seconds after which the key may try again. */
  take(key: string): number {
    const now = this.#clock.now();
    const open = this.#windows.get(key);
    if (open === undefined || open.until <= now) {
      this.#windows.delete(key);
      this.#windows.set(key, { count: 1, until: now + this.#rule.perMs });
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > maxKeys && oldest !== undefined) this.#windows.delete(oldest);
      return 0;
    }
    open.count += 1;
    return open.count <= this.#rule.count ? 0 : Math.ceil((open.until - now) / 1_000);
  }
}
