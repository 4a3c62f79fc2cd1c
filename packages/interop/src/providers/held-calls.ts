import type { ToolOutcome } from "@toolmount/core";

/** A call that is allowed, and whose tool has not begun. */
interface HeldCall {
  readonly outcome: Promise<ToolOutcome>;
  readonly controller: AbortController;
  readonly release: () => void;
}

/** Most calls that are held. Beyond that the oldest is cancelled: the library cut its answer, or stopped its run. */
const maxHeld = 64;

/** The calls of a library that are allowed, and that it has not run yet. */
export class HeldCalls {
  readonly #held = new Map<string, HeldCall>();

  has(key: string): boolean {
    return this.#held.has(key);
  }

  keep(key: string, held: HeldCall): void {
    this.#held.set(key, held);
    const [oldest] = this.#held.keys();
    if (this.#held.size <= maxHeld || oldest === undefined) return;
    this.#held.get(oldest)!.controller.abort();
    this.#held.delete(oldest);
  }

  /** Lets the tool of a held call begin. Null for a call that is not held. */
  release(key: string, signal: AbortSignal | undefined): Promise<ToolOutcome> | null {
    const held = this.#held.get(key);
    if (held === undefined) return null;
    this.#held.delete(key);
    const abort = () => held.controller.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    held.release();
    return held.outcome.finally(() => signal?.removeEventListener("abort", abort));
  }
}
