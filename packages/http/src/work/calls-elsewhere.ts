import type { Clock, Logger } from "@toolmount/core";
import type { EventLog } from "./event-log.ts";
import type { Replicas } from "./replicas.ts";
import { repeat } from "./repeat.ts";
import type { CallHistory } from "../journal/call-history.ts";
import { isOpen, openStatuses, type CallSummary } from "../journal/call-record.ts";

/** Milliseconds between two reads of the calls of the other servers. */
const lookMs = 1_000;
/** After this many reads without a watcher, reading stops. A client with a broken connection can return until then. */
const idleLooks = 60;
/**
 * Milliseconds after which a new call of another server is surely in the audit, because servers write calls in batches, and
 * clocks differ.
 */
const lateMs = 10_000;
/** Maximum number of calls of one read. */
const maxRead = 1_000;

interface CallsElsewhereOptions {
  readonly history: CallHistory;
  readonly replicas: Pick<Replicas, "hasOthers">;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Adds calls of other servers with the same store to this server's events, as long as there are watchers. It reads them from the
 * audit, and reads nothing while there is no other server.
 */
export class CallsElsewhere {
  readonly #options: CallsElsewhereOptions;
  /** The calls that the last read found: new ones, and those that had not ended before. Null before the first read. */
  #known: ReadonlyMap<string, CallSummary> | null = null;
  #watchers = 0;
  #idle = 0;
  #stop: (() => void) | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: CallsElsewhereOptions) {
    this.#options = options;
  }

  /** Reads calls of other servers from now on. Returns a function that ends this watch. */
  watch(): () => void {
    this.#watchers += 1;
    this.#stop ??= repeat(this.#options.clock, lookMs, () => this.#next());
    return () => void (this.#watchers -= 1);
  }

  /** Adds changes since the last look to the events. Looks run one after the other. */
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
    // Events of other servers are missed from now on. So a client that returns later must not continue after an earlier event.
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
    // Calls of this server already have their events. Before the first look, clients get the calls from lists.
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

  /** Returns the calls that had not ended at the last look, as they are now. At the first look, returns all open calls. */
  async #open() {
    const { history } = this.#options;
    if (this.#known === null)
      return Promise.all(openStatuses.map((status) => history.list({ status, limit: maxRead })));
    const runIds = [...this.#known.values()].filter(isOpen).map(({ runId }) => runId);
    return runIds.length === 0 ? [] : [await history.list({ runIds, limit: maxRead })];
  }
}
