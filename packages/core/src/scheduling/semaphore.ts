import type { Run } from "../call/call.ts";
import { WaitingLine } from "./wait-queue.ts";

/** Something that a run needs before its tool may run, and may have to wait for. */
export interface Turns {
  /** How many wait. */
  readonly waiting: number;
  /** Takes a turn if one is free and nobody waits for it. */
  take(): boolean;
  /** Calls `go`, with the turn taken, once it is this run's turn; never, if the run is stopped before. */
  wait(run: Run, go: () => void): void;
}

/** Turns for calls: at most `limit` at once, the others in the order in which they came. */
export class Slots implements Turns {
  readonly limit: number;
  running = 0;
  readonly #line = new WaitingLine();
  #handing = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  get waiting(): number {
    return this.#line.length;
  }

  take(): boolean {
    if (this.running >= this.limit || this.#line.length > 0) return false;
    this.running++;
    return true;
  }

  wait(run: Run, go: () => void): void {
    this.#line.add(run, go);
  }

  /** Gives a turn back: to the first that still waits, else to whoever comes. */
  release(): void {
    this.running--;
    if (this.#handing) return; // a run that ended at once; the loop below goes on with the next
    this.#handing = true;
    try {
      while (this.running < this.limit) {
        const go = this.#line.shift();
        if (go === null) return;
        this.running++;
        go();
      }
    } finally {
      this.#handing = false;
    }
  }
}
