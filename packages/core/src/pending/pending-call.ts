import { digestOf } from "../json/canonical.ts";
import type { Timer } from "../contract/clock.ts";
import type { HostState } from "../host/host-state.ts";
import type { JsonObject } from "../json/json.ts";
import type { Run } from "../call/call.ts";
import { hashTicket, randomName, seal } from "./ticket.ts";
import type { ApprovalRecord, ApprovalStore, RecordedEnd } from "../contract/stores.ts";

/** A change of a record; null when the record is not in a state for it. */
export type Change = (record: ApprovalRecord) => Partial<ApprovalRecord> | null;

/**
 * A call that waits, or waited, as one host has it in hand: its record as last seen, and the ticket where that is known.
 *
 * Its changes go to the store one after another. Whatever else holds the same record, here or in another process, is
 * kept apart by the version alone.
 */
export class Case {
  readonly host: HostState;
  readonly store: ApprovalStore;
  readonly ticket: string | null;
  /** What the client says it did, when this is why the call goes on. */
  readonly clientResult: { readonly value: unknown } | null;
  record: ApprovalRecord;
  /** Another host has ended the record, or it could not be kept: nothing is told of it here. */
  lost = false;
  /** Set when the call is ended for what a version of its record says; another version may say otherwise. */
  endsAt: number | null = null;
  /** The version that this case wrote last: while claimed or started, whoever wrote it has the call. */
  #held = 0;
  #last: Promise<unknown> = Promise.resolve();
  #lease: Timer | null = null;

  constructor(
    host: HostState,
    store: ApprovalStore,
    record: ApprovalRecord,
    ticket: string | null,
    clientResult: { readonly value: unknown } | null = null,
  ) {
    this.host = host;
    this.store = store;
    this.record = record;
    this.ticket = ticket;
    this.clientResult = clientResult;
  }

  /** Puts a new record into the store. */
  add(): Promise<void> {
    return this.#next(async () => {
      await this.store.add(this.record);
      this.#held = this.record.version;
    });
  }

  /**
   * Changes the record by compare-and-set, looking at what is there again when somebody else was faster. False when
   * the record is not, or no longer, in a state for the change; `record` is then what is there.
   */
  change(change: Change): Promise<boolean> {
    return this.#next(async () => {
      for (;;) {
        const patch = change(this.record);
        if (patch === null) return false;
        const next = { ...this.record, ...patch, version: this.record.version + 1 };
        if (await this.store.replace(next)) {
          this.record = next;
          this.#held = next.version;
          return true;
        }
        const current = await this.store.get(this.record.id);
        if (current === null) throw new Error("the record of a waiting call is gone from its store");
        this.record = current;
      }
    });
  }

  /** Whether a record is as this case left it. */
  holds(record: ApprovalRecord): boolean {
    return record.version === this.#held;
  }

  /** Shows the store from now on that whoever has the record lives. */
  keepLease(): void {
    const { leaseMs } = this.host.desk.options;
    this.#lease = this.host.clock.setTimer(
      () => {
        const renew: Change = (record) =>
          this.holds(record) && record.state !== "ended"
            ? { leaseUntil: this.host.clock.now() + leaseMs }
            : null;
        this.change(renew).then(
          (kept) => (kept ? this.keepLease() : undefined),
          (err: unknown) =>
            this.host.logger.error({ err, run_id: this.record.info.runId }, "a lease was not renewed"),
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
   * Ends the record, unless somebody else has, or has the call now: then nothing may be told here. With `endsAt`, only
   * while nobody has changed it since that version.
   */
  async end(end: RecordedEnd): Promise<boolean> {
    this.dropLease();
    const seen = this.endsAt;
    const won = await this.change((record) => {
      const taken = (record.state === "claimed" || record.state === "started") && !this.holds(record);
      const free = seen === null ? !taken : record.version === seen;
      return record.state !== "ended" && free ? { state: "ended", leaseUntil: null, end } : null;
    });
    this.lost = !won;
    return won;
  }

  #next<Value>(act: () => Promise<Value>): Promise<Value> {
    const next = this.#last.then(act);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

/** Makes the case of a call that begins to wait; nothing of it is in the store yet. */
export function newCase(run: Run, store: ApprovalStore, state: "pending" | "handed"): Case {
  const { host, gateAsk } = run;
  const now = host.clock.now();
  const ticket = randomName();
  const tool = run.tool!;
  const request = { name: run.request.name, arguments: run.request.arguments ?? {} };
  const record: ApprovalRecord = {
    id: randomName(),
    ticketHash: hashTicket(ticket),
    state,
    version: 1,
    tool: tool.name,
    info: host.infoOf(run),
    digest: questionDigest(run),
    definition: tool.digest(),
    shown: run.host.redact(run.arguments as JsonObject) as JsonObject,
    argumentsDigest: digestOf({ tool: tool.name, arguments: run.arguments }),
    sealed: seal(request, ticket),
    prompt: promptOf(run),
    reasons: [...(run.reasons ?? [])],
    options: gateAsk?.approvalOptions ?? ["Allow", "Deny"],
    default: gateAsk?.approvalDefault === "allow" ? "approve" : "deny",
    idempotent: tool.info.idempotent,
    client: tool.info.execution === "client",
    createdAt: now,
    expiresAt: now + (gateAsk?.approvalTimeoutMs ?? host.desk.options.keepMs),
    decision: null,
    leaseUntil: null,
    end: null,
  };
  return new Case(host, store, record, ticket);
}

/** What an approval is bound to: one byte more or less of any of it is another question. */
export function questionDigest(run: Run): string {
  const { given } = run;
  return digestOf({
    tool: run.tool!.name,
    definition: run.tool!.digest(),
    arguments: run.arguments,
    session: given.sessionId ?? null,
    user: given.userId ?? null,
  });
}

export function promptOf({ gateAsk, reasons, tool }: Run): string {
  return gateAsk?.approvalPrompt ?? `Run "${tool!.name}"? ${reasons?.[0]?.reason ?? ""}`.trimEnd();
}
