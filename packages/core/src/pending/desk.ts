import { AuditWriter } from "./audit.ts";
import type { Case, Change } from "./pending-call.ts";
import type { Timer } from "../contract/clock.ts";
import type { ApprovalOptions, HostOptions } from "../contract/host.ts";
import { codedStore } from "./store-errors.ts";
import type { HostState } from "../host/host-state.ts";
import type { Approver } from "../contract/ports.ts";
import type { Generation } from "../registry/registry.ts";
import type {
  ApprovalRecord,
  ApprovalStore,
  AuditSink,
  RecordedDecision,
  SessionStore,
} from "../contract/stores.ts";

/** Longest delay a timer can hold. */
const maxTimerMs = 2 ** 31 - 1;

/** Where a host keeps what outlives a call: who is asked, which store there is, who waits, what is audited. */
export class Desk {
  readonly host: HostState;
  readonly options: { readonly [Key in keyof ApprovalOptions]-?: NonNullable<ApprovalOptions[Key]> };
  /** Calls of this host that wait for an inline answer, by the id of their record; told when another answers it. */
  readonly waiting = new Map<string, (record: ApprovalRecord) => void>();
  /** The audit that whoever made the host gave; a mounted one is the generation's. */
  readonly sink: AuditSink | null;
  readonly #given: HostOptions;
  readonly #writers = new Map<AuditSink, AuditWriter>();
  readonly #busy = new Set<Promise<unknown>>();
  #timer: Timer | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Looks after records whose time has come; set by `approvals.ts`. */
  sweep: (store: ApprovalStore) => Promise<void> = async () => {};

  constructor(host: HostState, given: HostOptions) {
    const { askMs = 300_000, keepMs = 604_800_000, leaseMs = 15_000 } = given.approvals ?? {};
    this.host = host;
    this.#given = given;
    this.options = { askMs, keepMs, leaseMs };
    this.sink = given.store?.audit ?? null;
  }

  /** What whoever made the host gave in place of what a module may mount. */
  given(point: string): unknown {
    const { store } = this.#given;
    if (point === "approval-store") return store?.approvals;
    if (point === "session-store") return store?.sessions;
    return point === "audit-sink" ? store?.audit : undefined;
  }

  /** Who is asked: the approver that whoever made the host gave, else one that a module mounted. */
  approver(generation: Generation): Approver | null {
    return this.host.approver ?? (generation.points.get("approver")?.get("") as Approver | undefined) ?? null;
  }

  approvals(generation: Generation): ApprovalStore | null {
    const mounted = generation.points.get("approval-store")?.get("") as ApprovalStore | undefined;
    const store = this.#given.store?.approvals ?? mounted ?? null;
    return store === null ? null : codedStore(store);
  }

  /** Where sessions are kept; null where they live in memory only. */
  sessions(generation: Generation): SessionStore | null {
    const mounted = generation.points.get("session-store")?.get("") as SessionStore | undefined;
    return this.#given.store?.sessions ?? mounted ?? null;
  }

  /** Where the calls of a generation are audited; null where they are not. */
  audit(generation: Generation): AuditWriter | null {
    const sink = this.sink ?? generation.auditSink;
    if (sink === null) return null;
    const known = this.#writers.get(sink);
    if (known !== undefined) return known;
    const writer = new AuditWriter(sink, this.host.clock, this.host.logger);
    this.#writers.set(sink, writer);
    return writer;
  }

  /** Keeps `close` from ending before this has. */
  track<Value>(work: Promise<Value>): Promise<Value> {
    const settled: Promise<unknown> = work.then(
      () => this.#busy.delete(settled),
      () => this.#busy.delete(settled),
    );
    this.#busy.add(settled);
    return work;
  }

  /** Looks after the store once this time has come, should the process live until then. */
  watch(store: ApprovalStore, at: number): void {
    if (at >= this.#timerAt || this.host.closing) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    const ms = Math.min(maxTimerMs, Math.max(1, at - this.host.clock.now() + 1));
    this.#timer = this.host.clock.setTimer(() => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      void this.track(this.sweep(store));
    }, ms);
    this.#timer.keepAlive(false);
  }

  /** Resolves when nothing is being written any more. */
  async settle(): Promise<void> {
    this.#timer?.cancel();
    while (this.#busy.size > 0) await Promise.all(this.#busy);
    for (const writer of this.#writers.values()) await writer.flush();
  }
}

/** Puts a decision down. Of several, one wins: true for that one; the record says what was decided. */
export async function recordDecision(open: Case, decision: RecordedDecision): Promise<boolean> {
  const { keepMs } = open.host.desk.options;
  const decide: Change = (record) =>
    record.state !== "pending"
      ? null
      : {
          state: decision.decision === "approve" ? "approved" : "denied",
          decision,
          expiresAt: decision.at + keepMs,
        };
  return open.change(decide);
}
