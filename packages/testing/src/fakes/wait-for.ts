import { systemClock, type Clock } from "@toolmount/core";

/** Options of {@link waitFor}. */
export interface WaitOptions {
  /** Milliseconds after which waiting fails. Default 2000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between two calls of `look`. Default 5. */
  readonly everyMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Waits until `look` returns something other than undefined, null or false, and resolves to it. Rejects after `timeoutMs`. */
export async function waitFor<Value>(
  look: () => Value | Promise<Value>,
  { timeoutMs = 2_000, everyMs = 5, clock = systemClock }: WaitOptions = {},
): Promise<NonNullable<Value>> {
  const end = clock.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (clock.now() >= end) throw new Error(`nothing was found within ${timeoutMs} ms`);
    await new Promise<void>((resolve) => void clock.setTimer(resolve, everyMs));
  }
}
