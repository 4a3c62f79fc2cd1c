/** A call that was sent to workers, alone or with others: what an engine needs to send it again. */
export interface Sent {
  readonly runId: string;
  readonly attempt: number;
  readonly rank: number;
}

/** What an intake needs of its worker and its engine. */
export interface IntakeOptions {
  /** Calls that run at the same time. */
  readonly concurrency: number;
  /** Takes these calls. Resolves to those that run now, and each of these when its call ended. */
  readonly take: (runIds: readonly string[]) => Promise<readonly Promise<void>[]>;
  /** Gives calls back to the engine, for any worker with a free place. */
  readonly sendBack: (calls: readonly Sent[]) => Promise<void>;
}

/**
 * Starts the calls of deliveries, never more than have a place. Each fetcher of the engine holds one place for its next
 * delivery, so that a worker without a free place fetches nothing; of a delivery with more calls than there are places the
 * others go back.
 */
export class Intake {
  /** How many deliveries the engine may fetch at the same time. */
  readonly fetchers: number;
  readonly #options: IntakeOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #isClosed = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.fetchers = Math.min(maxFetchers, Math.ceil(options.concurrency / 4));
    this.#free = options.concurrency - this.fetchers;
  }

  /** Takes a delivery. Resolves when its fetcher has a place for the next one. */
  async receive(calls: readonly Sent[]): Promise<void> {
    const inOrder = calls.toSorted((one, other) => one.rank - other.rank);
    const places = 1 + Math.min(this.#free, Math.max(0, calls.length - 1));
    this.#free -= places - 1;
    const rest = inOrder.slice(places);
    const sent = rest.length > 0 ? this.#options.sendBack(rest) : undefined;
    sent?.catch(() => {}); // it is awaited below, unless the calls cannot be taken either
    let used = 0;
    try {
      const runs = await this.#options.take(inOrder.slice(0, places).map(({ runId }) => runId));
      used = runs.length;
      for (const run of runs) this.#follow(run);
      await sent;
    } finally {
      for (let unused = places - used; unused > 0; unused--) this.#release();
      await this.#acquire();
    }
  }

  /** Lets fetchers end that wait for a place, and waits for the calls that run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const go of this.#waiting.splice(0)) go();
    await Promise.all(this.#running);
  }

  #follow(run: Promise<void>): void {
    const ended = run.finally(() => {
      this.#running.delete(ended);
      this.#release();
    });
    this.#running.add(ended);
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  async #acquire(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Most deliveries that a worker fetches at the same time: one delivery can have many calls. */
const maxFetchers = 8;
