import type { Clock, Timer } from "../contract/clock.ts";
import { ToolmountError } from "../contract/errors.ts";
import type { Logger } from "../contract/logger.ts";
import type { ApprovalRecord, ApprovalStore, RecordedDecision, RecordedEnd } from "../contract/stores.ts";
import type { JsonObject } from "../json/json.ts";
import { canonicalJson } from "../json/canonical.ts";

interface StoredCallHost {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: { readonly keepMs: number; readonly leaseMs: number };
  readonly held: Set<string>;
  /** Whether the host has closed, so that nothing more is stored. */
  readonly stopped: boolean;
}

/**
 * A call that waits, or waited, in a store: its record as this host saw it last, and its ticket if the host knows it.
 *
 * The changes of one object reach the store one after another. Only the version of the record protects it from conflicting
 * changes by other objects, in this process or another.
 */
export class StoredCall {
  readonly store: ApprovalStore;
  readonly ticket: string | null;
  /** The client's result, when the call resumes with one. */
  readonly clientResult: { readonly value: unknown } | null;
  /** The call whose tool resumes this call; null if its session resumes it. */
  maker: object | null = null;
  /** The name of the person who runs the call instead of its caller. */
  runBy: string | undefined = undefined;
  /** Whether the call was resumed. Its session then has the ticket, and can resume it again. */
  isResumed = false;
  record: ApprovalRecord;
  /** Whether another host has ended the call or owns it now, so that this host reports nothing about it. */
  lost = false;
  /** The version of the record whose state is the reason to end the call; only that version is ended. Null for all other ends. */
  endsAt: number | null = null;
  /** Why the end for that version could not be stored. */
  failure: { readonly err: unknown } | null = null;
  readonly #host: StoredCallHost;
  /** The version that this object wrote last. While the call is claimed or started, the writer of the version owns the call. */
  #ownVersion = 0;
  /** A start or an end for which the store failed, so that it is not known whether it was stored. */
  #uncertain: ApprovalRecord | null = null;
  #lastChange: Promise<unknown> = Promise.resolve();
  #lease: Timer | null = null;
  #keepsLease = false;

  constructor(
    host: StoredCallHost,
    store: ApprovalStore,
    record: ApprovalRecord,
    ticket: string | null,
    clientResult: StoredCall["clientResult"] = null,
  ) {
    this.#host = host;
    this.store = store;
    this.record = record;
    this.ticket = ticket;
    this.clientResult = clientResult;
  }

  /** Stores the new record. Its lease is renewed until the caller has the ticket. */
  add(): Promise<void> {
    return this.#enqueue(async () => {
      await this.store.add(this.record);
      this.#ownVersion = this.record.version;
      if (isUndelivered(this.record)) this.keepLease();
    });
  }

  /** Records that the caller has the ticket. If that fails, the call's id can be used again when the lease ends. */
  async deliver(): Promise<void> {
    if (!isUndelivered(this.record)) return;
    this.dropLease();
    await this.change((record) => (isUndelivered(record) ? { undeliveredUntil: null } : null));
  }

  /** Changes the record by compare-and-set, repeatedly until it succeeds. False if `change` does not apply to the record. */
  change(change: (record: ApprovalRecord) => Partial<ApprovalRecord> | null): Promise<boolean> {
    return this.#enqueue(async () => {
      if (this.#uncertain !== null) await this.#settle(this.#uncertain);
      for (;;) {
        const patch = change(this.record);
        if (patch === null) return false;
        const next = { ...this.record, ...patch, version: this.record.version + 1 };
        if (await this.#replace(next)) return true;
        this.record = await this.#current();
      }
    });
  }

  async #replace(next: ApprovalRecord): Promise<boolean> {
    this.#uncertain = next.state === "started" || next.state === "ended" ? next : null;
    const replaced = await this.store.replace(next);
    this.#uncertain = null;
    if (replaced) {
      this.record = next;
      this.#ownVersion = next.version;
    }
    return replaced;
  }

  /** Repeats a change for which the store failed. It may have been stored despite the failure. */
  async #settle(uncertain: ApprovalRecord): Promise<void> {
    if (await this.#replace(uncertain)) return;
    this.#uncertain = uncertain;
    this.record = await this.#current();
    this.#uncertain = null;
    if (canonicalJson(this.record) === canonicalJson(uncertain)) this.#ownVersion = uncertain.version;
  }

  async #current(): Promise<ApprovalRecord> {
    const current = await this.store.get(this.record.id);
    if (current === null) throw new RecordGone("the record of a waiting call is no longer in its store");
    return current;
  }

  /** Stores a decision. Returns whether it won over others; `record` then has the decision that won. */
  decide(decision: RecordedDecision, edited?: JsonObject): Promise<boolean> {
    const state = decision.decision === "approve" ? "approved" : "denied";
    const expiresAt = decision.at + this.#host.options.keepMs;
    const patch = { state, decision, expiresAt, ...(edited !== undefined && { edited }) } as const;
    return this.change((record) => (record.state === "pending" ? patch : null));
  }

  /** Whether no other writer has changed the record since this object did. */
  owns(record: ApprovalRecord): boolean {
    return record.version === this.#ownVersion;
  }

  /** Renews the lease three times during its duration; while the store fails, five times as often. */
  keepLease(): void {
    this.#keepsLease = true;
    this.#host.held.add(this.record.id);
    this.#renewAfter(this.#host.options.leaseMs / 3);
  }

  dropLease(): void {
    this.#keepsLease = false;
    this.#host.held.delete(this.record.id);
    this.#lease?.cancel();
    this.#lease = null;
  }

  #renewAfter(ms: number): void {
    if (!this.#keepsLease || this.#host.stopped) return;
    this.#lease?.cancel();
    this.#lease = this.#host.clock.setTimer(() => void this.#renew(), Math.max(1, Math.floor(ms)));
    this.#lease.keepAlive(false);
  }

  async #renew(): Promise<void> {
    const { clock, logger, options } = this.#host;
    const { leaseMs } = options;
    try {
      const renewed = await this.change((record) => {
        if (!this.owns(record)) return null;
        const until = clock.now() + leaseMs;
        if (isUndelivered(record)) return { undeliveredUntil: until };
        return record.state === "claimed" || record.state === "started" ? { leaseUntil: until } : null;
      });
      if (renewed) this.#renewAfter(leaseMs / 3);
    } catch (err) {
      const fields = { err, run_id: this.record.info.runId };
      logger.error(fields, "the lease of a call was not renewed; the host tries again");
      this.#renewAfter(leaseMs / 15);
    }
  }

  /**
   * Ends the record, or only its version `endsAt`. Sets `lost` if another host ended it or owns it now: then nothing may be
   * reported here. A record that is not in the store needs no end. Rejects when the store fails; the lease is then kept.
   */
  async end(end: RecordedEnd): Promise<void> {
    const { endsAt } = this;
    const won = await this.change((record) => {
      const isTaken = (record.state === "claimed" || record.state === "started") && !this.owns(record);
      const isFree = endsAt === null ? !isTaken : record.version === endsAt;
      return record.state !== "ended" && isFree ? { state: "ended", leaseUntil: null, end } : null;
    }).catch(nullIfGone);
    this.dropLease();
    this.lost = won === false && !(this.record.state === "ended" && this.owns(this.record));
  }

  /** Tries to end the record until its store answers, or the host has closed. */
  async endLater(end: RecordedEnd): Promise<void> {
    const { clock, logger, options } = this.#host;
    const pauseMs = Math.max(1, Math.floor(options.leaseMs / 15));
    for (;;) {
      await new Promise<void>((resolve) => clock.setTimer(resolve, pauseMs).keepAlive(false));
      if (this.#host.stopped) return;
      try {
        return await this.end(end);
      } catch (err) {
        logger.error({ err, run_id: this.record.info.runId }, "the end of a call is still not stored");
      }
    }
  }

  #enqueue<Value>(act: () => Promise<Value>): Promise<Value> {
    const next = this.#lastChange.then(act);
    this.#lastChange = next.catch(() => undefined);
    return next;
  }
}

/** Thrown when a record was never stored, or the store has removed it. */
class RecordGone extends Error {}

function nullIfGone(error: unknown): null {
  if (error instanceof RecordGone) return null;
  throw error;
}

/** Whether the caller of a question may not have received its ticket. */
export function isUndelivered({ state, undeliveredUntil = null }: ApprovalRecord): boolean {
  return undeliveredUntil !== null && (state === "pending" || state === "approved");
}

/** Wraps a store so that its errors have the code `STORE_FAILED`. The engine's own error is their cause, for the log. */
export function withStoreErrors(store: ApprovalStore): ApprovalStore {
  const known = wrapped.get(store);
  if (known !== undefined) return known;
  const made: ApprovalStore = {
    add: (record) => withStoreCode(() => store.add(record)),
    get: (id) => withStoreCode(() => store.get(id)),
    findByTicket: (hash) => withStoreCode(() => store.findByTicket(hash)),
    replace: (record) => withStoreCode(() => store.replace(record)),
    list: (filter) => withStoreCode(() => store.list(filter)),
    remember: (approval) => withStoreCode(() => store.remember(approval)),
    remembered: (tool) => withStoreCode(() => store.remembered(tool)),
    forget: (id) => withStoreCode(() => store.forget(id)),
    countUses: (uses) => withStoreCode(() => store.countUses(uses)),
  };
  wrapped.set(store, made);
  return made;
}

/** The wrapper of each store. One store has one wrapper, so that stores can be compared by identity. */
const wrapped = new WeakMap<ApprovalStore, ApprovalStore>();

export async function withStoreCode<Value>(use: () => Promise<Value>): Promise<Value> {
  try {
    return await use();
  } catch (cause) {
    throw new ToolmountError("STORE_FAILED", {}, { cause });
  }
}
