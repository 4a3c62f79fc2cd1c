import { ToolmountError, type Clock } from "@toolmount/core";
import { rateForm, readRate } from "@toolmount/core/internal";

/** How many keys are counted. One more removes the key with the oldest window. */
const maxKeys = 10_000;

/** Counts requests by key. A key's first request begins a window of time; its first request after that begins the next. */
export class RateLimit {
  readonly #most: number;
  readonly #perMs: number;
  readonly #clock: Clock;
  readonly #windows = new Map<string, { count: number; readonly until: number }>();

  /** `rate` is a text such as `300/min`. Throws `OPTION_INVALID` for other texts. */
  constructor(rate: string, clock: Clock) {
    const read = readRate(rate);
    const problem = `it is ${JSON.stringify(rate)}; it must be ${rateForm}`;
    if (read === null) throw new ToolmountError("OPTION_INVALID", { option: "limits", problem });
    [this.#most, this.#perMs] = [read.calls, read.perMs];
    this.#clock = clock;
  }

  /** Takes one request of the key out of the count of its current window. */
  giveBack(key: string): void {
    const open = this.#windows.get(key);
    if (open !== undefined) open.count = Math.max(0, open.count - 1);
  }

  /** Counts one request. Returns 0 if it is allowed; otherwise the seconds after which the key may try again. */
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
