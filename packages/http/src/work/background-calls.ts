import { randomUUID } from "node:crypto";
import {
  createMemoryStore,
  isToolmountError,
  type ApprovalView,
  type CallContext,
  type Clock,
  type Host,
  type JsonObject,
  type Logger,
  type WorkRecord,
  type WorkStore,
} from "@toolmount/core";
import type { ApprovalWatch } from "../journal/approval-watch.ts";
import { repeat } from "./repeat.ts";

/** The kind of the records of calls that the server resumes. */
const kind = "call";
/** Milliseconds between two looks at all of them: another server may have left some. */
const lookMs = 15_000;
/** Milliseconds for which it is known that a call was resumed, as long as its question is kept. */
const keepMs = 90 * 86_400_000;
/** Records that are read at a time. */
const pageSize = 500;

/** What is kept of one call. The ticket goes when the call has ended. */
interface Waiting {
  readonly callId: string;
  readonly ticket: string;
  readonly context: JsonObject;
}

/** What the calls of one host need that the server resumes. */
export interface BackgroundCallsOptions {
  readonly host: Host;
  readonly watch: ApprovalWatch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the plan: several may share one store. */
  readonly scope: string;
  /** Aborted when the grace for running work is over. */
  readonly cut: AbortSignal;
}

/**
 * Resumes calls when their questions are answered, without the client that made them, also after a restart. Several servers
 * with one store may resume the same call: the host runs it once.
 */
export class BackgroundCalls {
  readonly #options: BackgroundCallsOptions;
  readonly #store: WorkStore;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stops: (() => void)[];
  #unwatch: (() => void) | null = null;
  #isEnding = false;

  constructor(options: BackgroundCallsOptions) {
    const { host, clock } = options;
    this.#options = options;
    this.#store = (host.coordinator.get("work-store") as WorkStore | null) ?? createMemoryStore().work!;
    this.#stops = [repeat(clock, lookMs, () => void this.#look())];
    void this.#guarded(() => this.#store.remove(kind, ["ended"], clock.now() - keepMs));
    void this.#look();
  }

  /** Keeps what resumes a call that waits. */
  async keep({ callId, ticket }: { callId: string; ticket: string }, context: CallContext): Promise<void> {
    const { clock, scope } = this.#options;
    const { sessionId = null, userId = null } = context;
    const plain = JSON.parse(JSON.stringify({ ...context, abortSignal: undefined })) as JsonObject;
    const body: Waiting = { callId, ticket, context: plain };
    const facts = { kind, id: randomUUID(), version: 1, scope, status: "waiting", sessionId, userId };
    await this.#store.save({ ...facts, at: clock.now(), dueAt: null, body: { ...body } });
    this.#watch();
  }

  /** Calls that run have the grace of the server. */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#unwatch?.();
    for (const stop of this.#stops) stop();
    await Promise.all(this.#running.values());
  }

  #watch(): void {
    if (!this.#isEnding) this.#unwatch ??= this.#options.watch.watch((views) => void this.#look(views));
  }

  /** Resumes the calls whose questions are no longer open; without one that waits the store is not watched. */
  async #look(views: readonly ApprovalView[] = []): Promise<void> {
    await this.#guarded(async () => {
      const open = new Set(views.map(({ info }) => info.callId));
      let count = 0;
      for await (const record of this.#waiting()) {
        count += 1;
        const { callId } = record.body as unknown as Waiting;
        if (!open.has(callId) && !this.#running.has(record.id) && !(await this.#isOpen(record)))
          this.#resume(record);
      }
      if (count > 0) return this.#watch();
      this.#unwatch?.();
      this.#unwatch = null;
    });
  }

  async *#waiting(): AsyncGenerator<WorkRecord> {
    const filter = { kind, scope: this.#options.scope, statuses: ["waiting"], limit: pageSize };
    let after: WorkRecord | undefined;
    for (;;) {
      const page = await this.#store.list({ ...filter, after });
      yield* page;
      after = page.at(-1);
      if (page.length < pageSize) return;
    }
  }

  /** The list of questions may be cut, or older than the question. */
  async #isOpen({ sessionId, body }: WorkRecord): Promise<boolean> {
    const { callId } = body as unknown as Waiting;
    const session = sessionId === null ? {} : { sessionId };
    const filter = { ...session, callId, states: ["pending"] as const, limit: 1 };
    return (await this.#options.host.approvals.list(filter)).length > 0;
  }

  #resume(record: WorkRecord): void {
    if (this.#isEnding) return;
    const running = this.#guarded(() => this.#run(record)).finally(() => this.#running.delete(record.id));
    this.#running.set(record.id, running);
  }

  async #run(record: WorkRecord): Promise<void> {
    const { host, cut, logger } = this.#options;
    const { ticket, context, callId } = record.body as unknown as Waiting;
    try {
      const outcome = await host.resume(ticket, { ...context, abortSignal: cut });
      // Another question of the same call, or another process that runs it now.
      if (outcome.status === "pending") return;
    } catch (err) {
      if (!isToolmountError(err) || !err.code.startsWith("TICKET_")) throw err;
      logger.warn({ err, call: callId }, "a call could not be resumed");
    }
    const body = { callId };
    await this.#store.save({ ...record, version: record.version + 1, status: "ended", body });
  }

  /** What failed is tried again at the next look. */
  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.#options.logger.error({ err }, "calls that wait cannot be read or resumed");
    }
  }
}
