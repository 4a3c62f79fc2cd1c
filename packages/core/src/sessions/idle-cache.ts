/** The number of values below which none is dropped. */
const leastKept = 1_000;

/** A map that drops idle values once nothing refers to them, for a host with millions of sessions. */
export class IdleCache<Value extends object> {
  readonly #isIdle: (value: Value, key: string) => boolean;
  readonly #kept = new Map<string, Value>();
  readonly #idle = new Map<string, WeakRef<Value>>();
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#idle.get(key)?.deref() === undefined) this.#idle.delete(key);
  });
  #sweepAt = leastKept;

  /** `isIdle` says whether a value holds nothing that cannot be made again. */
  constructor(isIdle: (value: Value, key: string) => boolean) {
    this.#isIdle = isIdle;
  }

  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const idle = this.#idle.get(key)?.deref();
    if (idle !== undefined) this.set(key, idle);
    return idle;
  }

  set(key: string, value: Value): void {
    if (this.#idle.size > 0) this.#idle.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size >= this.#sweepAt) this.#sweep();
  }

  delete(key: string): void {
    this.#kept.delete(key);
    this.#idle.delete(key);
  }

  #sweep(): void {
    for (const [key, value] of this.#kept) {
      if (!this.#isIdle(value, key)) continue;
      this.#kept.delete(key);
      this.#idle.set(key, new WeakRef(value));
      this.#collected.register(value, key);
    }
    this.#sweepAt = Math.max(leastKept, this.#kept.size * 2);
  }
}
