/** Those facts of a call that an engine needs to send it to workers again, alone or with others. */
export interface Sent {
  readonly runId: string;
  readonly attempt: number;
  readonly rank: number;
}

/** Functions of the worker and the engine that an intake uses. */
export interface IntakeOptions {
  /** Number of calls that run at the same time. */
  readonly concurrency: number;
  /** Takes these calls. Resolves to one promise for each call that now runs, which resolves when the call has ended. */
  readonly take: (runIds: readonly string[]) => Promise<readonly Promise<void>[]>;
  /** Returns calls to the engine, for any worker with a free place. */
  readonly sendBack: (calls: readonly Sent[]) => Promise<void>;
}

/**
 * Starts the calls of deliveries, at most as many as there are places. Each of the engine's fetchers holds one place for its
 * next delivery, so a worker without a free place fetches nothing. If a delivery has more calls than there are places, the
 * others are sent back.
 */
export class Intake {
  /** Number of deliveries that the engine may fetch at the same time. */
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
    sent?.catch(() => {}); // awaited below, unless `take` fails, too
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

  /** Lets the fetchers that wait for a place return, so that the engine can end them, and waits for the running calls. */
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

/** Maximum number of deliveries that a worker fetches at the same time, because one delivery can have many calls. */
const maxFetchers = 8;
