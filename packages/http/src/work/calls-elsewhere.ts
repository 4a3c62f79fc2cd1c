import type { Clock, Logger } from "@toolmount/core";
import type { EventLog } from "./event-log.ts";
import type { Replicas } from "./replicas.ts";
import { repeat } from "./repeat.ts";
import type { CallHistory } from "../journal/call-history.ts";
import { isOpen, openStatuses, type CallSummary } from "../journal/call-record.ts";

/** Milliseconds between two looks at the calls of the other servers. */
const lookMs = 1_000;
/** Looks without a watcher, after which they end: a client whose connection broke comes back within them. */
const idleLooks = 60;
/** Milliseconds after which a new call of another server is in the audit: servers write it together, and clocks differ. */
const lateMs = 10_000;
/** Calls that are read with a look. */
const maxRead = 1_000;

interface CallsElsewhereOptions {
  readonly history: CallHistory;
  readonly replicas: Pick<Replicas, "hasOthers">;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Puts the calls that other servers of the store make among the events of this one, as the audit has them, while there are
 * watchers. A server alone looks at nothing.
 */
export class CallsElsewhere {
  readonly #options: CallsElsewhereOptions;
  /** What was last known of calls: of the newest, and of those that have not ended. Null before the first look. */
  #known: ReadonlyMap<string, CallSummary> | null = null;
  #watchers = 0;
  #idle = 0;
  #stop: (() => void) | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: CallsElsewhereOptions) {
    this.#options = options;
  }

  /** Looks from now on. Returns a function that ends the watch. */
  watch(): () => void {
    this.#watchers += 1;
    this.#stop ??= repeat(this.#options.clock, lookMs, () => this.#next());
    return () => void (this.#watchers -= 1);
  }

  /** Reports what changed since the last look. One look comes after the other. */
  look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#look()));
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
  }

  #next(): void {
    this.#idle = this.#watchers > 0 ? 0 : this.#idle + 1;
    if (this.#idle <= idleLooks) {
      void this.look();
      return;
    }
    this.close();
    // For a client that comes back later, these events are not all that happened.
    if (this.#known !== null) this.#options.events.forget();
    this.#known = null;
  }

  async #look(): Promise<void> {
    if (!this.#options.replicas.hasOthers) return;
    try {
      const found = await this.#read();
      for (const call of found.values()) this.#report(call);
      this.#known = found;
    } catch (err) {
      this.#options.logger.error({ err }, "the calls of other servers cannot be read");
    }
  }

  #report(call: CallSummary): void {
    // What runs or ended here is among the events already; at the first look, lists have it.
    if (this.#known === null || call.change > 0) return;
    if (this.#known.get(call.runId)?.status !== call.status)
      this.#options.events.add("call", call, call.userId);
  }

  async #read(): Promise<ReadonlyMap<string, CallSummary>> {
    const { history, clock } = this.#options;
    const pages = [
      ...(await this.#open()),
      await history.list({ since: clock.now() - lateMs, limit: maxRead }),
    ];
    return new Map(pages.flatMap(({ calls }) => calls.map((call) => [call.runId, call])));
  }

  /** The calls that had not ended at the last look, or at the first one. */
  async #open() {
    const { history } = this.#options;
    if (this.#known === null)
      return Promise.all(openStatuses.map((status) => history.list({ status, limit: maxRead })));
    const runIds = [...this.#known.values()].filter(isOpen).map(({ runId }) => runId);
    return runIds.length === 0 ? [] : [await history.list({ runIds, limit: maxRead })];
  }
}
