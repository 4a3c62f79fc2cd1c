import type { Clock, Timer } from "../contract/clock.ts";
import type { ApprovalOptions, HostOptions } from "../contract/host.ts";
import type { Logger } from "../contract/logger.ts";
import type { Approver } from "../contract/ports.ts";
import type { AuditSink } from "../contract/audit.ts";
import type {
  ApprovalFilter,
  ApprovalRecord,
  ApprovalState,
  ApprovalStore,
  SessionStore,
} from "../contract/stores.ts";
import type { Generation } from "../registry/generation.ts";
import { maxTimerMs } from "../scheduling/rate.ts";
import { ApprovalUses } from "./approval-uses.ts";
import { AuditWriter } from "./audit.ts";
import { isUndelivered, StoredCall, withStoreErrors } from "./stored-call.ts";

interface StoresHost {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly closing: boolean;
}

/** The stores and the approver of a host. Those that the application gave take precedence over mounted ones. */
export class HostStores {
  readonly options: { readonly [Key in keyof ApprovalOptions]-?: NonNullable<ApprovalOptions[Key]> };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Functions by the ids of records, for calls that wait here for their approver. Called when another approver answers. */
  readonly asking = new Map<string, (record: ApprovalRecord) => void>();
  /** Ids of the records whose lease this host keeps. Their calls run here, even if leases ran out while the store failed. */
  readonly held = new Set<string>();
  readonly #host: StoresHost;
  readonly #given: HostOptions;
  /** The application's own audit sink, which takes precedence over a mounted sink. */
  readonly givenAudit: AuditSink | null;
  readonly #approver: Approver | null;
  /** Counts how often remembered approvals answer. */
  readonly uses: ApprovalUses;
  readonly #writers = new Map<AuditSink, AuditWriter>();
  readonly #writing = new Set<Promise<unknown>>();
  /** Times at which waiting calls are due, in ascending order. */
  readonly #dueAt: number[] = [];
  #timer: Timer | null = null;
  /** Whether the host has closed, so that nothing more is stored. */
  stopped = false;
  /** Handles records that are due; set by `approvals.ts`. */
  sweep: (store: ApprovalStore) => Promise<void> = async () => {};

  constructor(host: StoresHost, given: HostOptions) {
    const { approver, approvals: { askMs = 300_000, keepMs = 604_800_000, leaseMs = 15_000 } = {} } = given;
    this.#host = host;
    this.clock = host.clock;
    this.logger = host.logger;
    this.uses = new ApprovalUses(host.clock, host.logger, (work) => void this.track(work));
    this.#given = given;
    this.givenAudit = given.store?.audit ?? null;
    this.#approver = typeof approver === "function" ? { ask: approver } : (approver ?? null);
    this.options = { askMs, keepMs, leaseMs };
  }

  /** Returns what the application gave to the host for a mount point. */
  given(point: string): unknown {
    const { store } = this.#given;
    if (point === "approval-store") return store?.approvals;
    if (point === "session-store") return store?.sessions;
    if (point === "work-store") return store?.work;
    return point === "audit-sink" ? store?.audit : undefined;
  }

  approver(generation: Generation): Approver | null {
    return this.#approver ?? generation.approver;
  }

  approvals(generation: Generation): ApprovalStore | null {
    const store = this.#given.store?.approvals ?? generation.approvalStore;
    return store && withStoreErrors(store);
  }

  /** Returns the store of sessions; null if sessions are only in memory. */
  sessions(generation: Generation): SessionStore | null {
    return this.#given.store?.sessions ?? generation.sessionStore;
  }

  audit(generation: Generation): AuditWriter | null {
    const sink = this.givenAudit ?? generation.auditSink;
    if (sink === null) return null;
    const known = this.#writers.get(sink);
    if (known !== undefined) return known;
    const writer = new AuditWriter(sink, this.clock, this.logger);
    this.#writers.set(sink, writer);
    return writer;
  }

  /** Makes `close` wait for this work. */
  track<Value>(work: Promise<Value>): Promise<Value> {
    const settled: Promise<unknown> = work.then(
      () => this.#writing.delete(settled),
      () => this.#writing.delete(settled),
    );
    this.#writing.add(settled);
    return work;
  }

  /** Sweeps the store at the time `at`, if the process still runs then. */
  sweepAt(store: ApprovalStore, at: number): void {
    if (this.#host.closing) return;
    const place = this.#dueAt.findLastIndex((time) => time <= at) + 1;
    this.#dueAt.splice(place, 0, at);
    if (place === 0) this.#startTimer(store);
  }

  #startTimer(store: ApprovalStore): void {
    this.#timer?.cancel();
    const [at] = this.#dueAt;
    if (at === undefined) return;
    const ms = Math.min(maxTimerMs, Math.max(1, at - this.clock.now() + 1));
    this.#timer = this.clock.setTimer(() => {
      const now = this.clock.now();
      this.#dueAt.splice(0, this.#dueAt.findLastIndex((time) => time < now) + 1);
      void this.track(this.sweep(store));
      this.#startTimer(store);
    }, ms);
    this.#timer.keepAlive(false);
  }

  /** Whether a call of a session waits under this id. A question that no caller can resume expires now. */
  async isTaken(
    store: ApprovalStore,
    { sessionId, userId, callId }: Pick<ApprovalFilter, "sessionId" | "userId" | "callId">,
  ): Promise<boolean> {
    const now = this.clock.now();
    const found = await store.list({ sessionId, callId, states: waitingStates });
    const waiting = found.filter(({ info }) => info.userId === userId);
    const lost = waiting.filter((record) => isUndelivered(record) && now >= record.undeliveredUntil!);
    if (lost.length < waiting.length) return true;
    for (const record of lost)
      await new StoredCall(this, store, record, null).change(({ version }) =>
        version === record.version ? { expiresAt: now, undeliveredUntil: null, default: "deny" } : null,
      );
    if (lost.length > 0) await this.sweep(store);
    return false;
  }

  async settle(): Promise<void> {
    this.#timer?.cancel();
    await this.uses.flush();
    while (this.#writing.size > 0) await Promise.all(this.#writing);
    for (const writer of this.#writers.values()) await writer.flush();
  }
}

/** States in which a waiting call occupies its call id. In others, a resumed session makes the call again if that is safe. */
const waitingStates: readonly ApprovalState[] = ["pending", "approved", "suspended"];
