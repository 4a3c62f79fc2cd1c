import type { Run } from "./run.ts";

/** Turns for calls: at most `limit` at once, the others in the order in which they came. */
export class Slots {
  readonly limit: number;
  running = 0;
  readonly #waiting: { run: Run; token: number; go: () => void }[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes a turn if one is free. */
  take(): boolean {
    if (this.running >= this.limit) return false;
    this.running++;
    return true;
  }

  /** Calls `go`, with the turn taken, once it is this run's turn; never, if the run goes on without it before. */
  wait(run: Run, go: () => void): void {
    this.#waiting.push({ run, token: run.token, go });
  }

  /** Gives a turn back: to the first that still waits, else to whoever comes. */
  release(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      if (next.run.token === next.token) return next.go();
    this.running--;
  }
}
