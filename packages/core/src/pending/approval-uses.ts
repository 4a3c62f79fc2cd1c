import type { Clock, Timer } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { ApprovalStore, ApprovalUse } from "../contract/stores.ts";

/** Milliseconds for which uses are counted in memory before they are stored. A killed process loses at most these counts. */
const countMs = 1_000;

/** Counts how often remembered approvals answer. Calls do not wait for the count, because it decides nothing. */
export class ApprovalUses {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #track: (work: Promise<void>) => void;
  readonly #counted = new Map<string, ApprovalUse>();
  #store: ApprovalStore | null = null;
  #timer: Timer | null = null;

  constructor(clock: Clock, logger: Logger, track: (work: Promise<void>) => void) {
    this.#clock = clock;
    this.#logger = logger;
    this.#track = track;
  }

  note(store: ApprovalStore, id: string, usedAt: number): void {
    const count = (this.#counted.get(id)?.count ?? 0) + 1;
    this.#counted.set(id, { id, count, usedAt });
    this.#store = store;
    this.#timer ??= this.#clock.setTimer(() => this.#track(this.flush()), countMs);
    this.#timer.keepAlive(false);
  }

  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    const uses = [...this.#counted.values()];
    this.#counted.clear();
    if (uses.length === 0) return;
    try {
      await this.#store!.countUses(uses);
    } catch (err) {
      this.#logger.warn({ err }, "the uses of remembered approvals could not be counted");
    }
  }
}
