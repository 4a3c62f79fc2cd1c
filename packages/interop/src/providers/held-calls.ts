import type { ToolOutcome } from "@toolmount/core";

/** A call that is allowed, but whose tool has not begun. */
interface HeldCall {
  readonly outcome: Promise<ToolOutcome>;
  readonly controller: AbortController;
  readonly release: () => void;
}

/** Maximum number of held calls. The oldest is then cancelled, because the library has dropped it or stopped its run. */
const maxHeld = 64;

/** The calls that are allowed and that the library has not run yet. */
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

  /** Lets the tool of a held call begin. Returns null for a call that is not held. */
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
