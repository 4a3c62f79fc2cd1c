import { ToolmountError, type Clock } from "@toolmount/core";
import { rateForm, readRate } from "@toolmount/core/internal";

/** Keys that are remembered. The oldest is forgotten to make room. */
const maxKeys = 10_000;

/** Counts requests by a key, in windows that begin with a key's first request. */
export class RateLimit {
  readonly #most: number;
  readonly #perMs: number;
  readonly #clock: Clock;
  readonly #windows = new Map<string, { count: number; readonly until: number }>();

  /** Throws `OPTION_INVALID` for a text that is not a rate. */
  constructor(rate: string, clock: Clock) {
    const read = readRate(rate);
    const problem = `it is ${JSON.stringify(rate)}; it must be ${rateForm}`;
    if (read === null) throw new ToolmountError("OPTION_INVALID", { option: "limits", problem });
    [this.#most, this.#perMs] = [read.calls, read.perMs];
    this.#clock = clock;
  }

  /** Uncounts one request of the key in the same window. */
  giveBack(key: string): void {
    const open = this.#windows.get(key);
    if (open !== undefined) open.count = Math.max(0, open.count - 1);
  }

  /** Counts one request. Returns 0, or the seconds after which the key may try again. */
  take(key: string): number {
    const now = this.#clock.now();
    const open = this.#windows.get(key);
    if (open === undefined || open.until <= now) {
      this.#windows.delete(key);
      this.#windows.set(key, { count: 1, until: now + this.#perMs });
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > maxKeys && oldest !== undefined) this.#windows.delete(oldest);
      return 0;
    }
    open.count += 1;
    return open.count <= this.#most ? 0 : Math.ceil((open.until - now) / 1_000);
  }
}
