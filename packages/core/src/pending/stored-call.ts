import type { Clock, Timer } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { ApprovalRecord, ApprovalStore, RecordedDecision, RecordedEnd } from "../contract/stores.ts";

/** A change of a record; null when the record is not in a state for it. */
export type Change = (record: ApprovalRecord) => Partial<ApprovalRecord> | null;

/** What a stored call uses of its host. */
interface StoredCallHost {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: { readonly keepMs: number; readonly leaseMs: number };
}

/** What the client says that it did. */
export interface ClientResult {
  readonly value: unknown;
}

/**
 * A call that waits, or waited, in a store: its record as this host saw it last, and its ticket where the host knows it.
 *
 * The changes of one object reach the store one after another. Changes by other objects, in this process or another, are
 * kept apart by the record's version alone.
 */
export class StoredCall {
  readonly store: ApprovalStore;
  readonly ticket: string | null;
  /** The client's result, when the call resumes with one. */
  readonly clientResult: ClientResult | null;
  record: ApprovalRecord;
  /** Another host has ended the call, or its end could not be stored: this host reports nothing about it. */
  lost = false;
  /** Set while the call is ended because of one version of its record: the end counts for that version only. */
  endsAt: number | null = null;
  readonly #host: StoredCallHost;
  /** The version that this object wrote last. While the call is claimed or started, the writer of the version owns it. */
  #ownVersion = 0;
  #lastChange: Promise<unknown> = Promise.resolve();
  #lease: Timer | null = null;

  constructor(
    host: StoredCallHost,
    store: ApprovalStore,
    record: ApprovalRecord,
    ticket: string | null,
    clientResult: ClientResult | null = null,
  ) {
    this.#host = host;
    this.store = store;
    this.record = record;
    this.ticket = ticket;
    this.clientResult = clientResult;
  }

  /** Stores the new record. */
  add(): Promise<void> {
    return this.#enqueue(async () => {
      await this.store.add(this.record);
      this.#ownVersion = this.record.version;
    });
  }

  /**
   * Changes the record by compare-and-set, and tries again with the current record when another writer was faster.
   * False when the record is not, or no longer, in a state for the change; `record` is then the current one.
   */
  change(change: Change): Promise<boolean> {
    return this.#enqueue(async () => {
      for (;;) {
        const patch = change(this.record);
        if (patch === null) return false;
        const next = { ...this.record, ...patch, version: this.record.version + 1 };
        if (await this.store.replace(next)) {
          this.record = next;
          this.#ownVersion = next.version;
          return true;
        }
        const current = await this.store.get(this.record.id);
        if (current === null) throw new Error("the record of a waiting call is no longer in its store");
        this.record = current;
      }
    });
  }

  /** Stores a decision. Of several decisions one wins: true for that one; `record` has the one that won. */
  decide(decision: RecordedDecision): Promise<boolean> {
    const state = decision.decision === "approve" ? "approved" : "denied";
    const expiresAt = decision.at + this.#host.options.keepMs;
    return this.change((record) => (record.state === "pending" ? { state, decision, expiresAt } : null));
  }

  /** Whether no other writer changed the record since this object did. */
  owns(record: ApprovalRecord): boolean {
    return record.version === this.#ownVersion;
  }

  /** Renews the lease three times in its duration, so that other hosts see that this one still runs. */
  keepLease(): void {
    const { clock, logger, options } = this.#host;
    const { leaseMs } = options;
    const renew: Change = (record) =>
      this.owns(record) && record.state !== "ended" ? { leaseUntil: clock.now() + leaseMs } : null;
    this.#lease = clock.setTimer(
      () => {
        this.change(renew).then(
          (renewed) => (renewed ? this.keepLease() : undefined),
          (err: unknown) =>
            logger.error({ err, run_id: this.record.info.runId }, "the lease of a call was not renewed"),
        );
      },
      Math.max(1, Math.floor(leaseMs / 3)),
    );
    this.#lease.keepAlive(false);
  }

  dropLease(): void {
    this.#lease?.cancel();
    this.#lease = null;
  }

  /**
   * Ends the record, unless another host has ended it or owns it now: `lost` is then true, and nothing may be reported
   * here. With `endsAt`, it ends only that version of the record.
   */
  async end(end: RecordedEnd): Promise<void> {
    this.dropLease();
    const { endsAt } = this;
    const won = await this.change((record) => {
      const isTaken = (record.state === "claimed" || record.state === "started") && !this.owns(record);
      const isFree = endsAt === null ? !isTaken : record.version === endsAt;
      return record.state !== "ended" && isFree ? { state: "ended", leaseUntil: null, end } : null;
    });
    this.lost = !won;
  }

  #enqueue<Value>(act: () => Promise<Value>): Promise<Value> {
    const next = this.#lastChange.then(act);
    this.#lastChange = next.catch(() => undefined);
    return next;
  }
}
