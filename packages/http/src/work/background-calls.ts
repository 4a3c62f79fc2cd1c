import { randomUUID } from "node:crypto";
import {
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
import { workStoreOf } from "@toolmount/core/internal";
import { isOpenQuestion, questionKey, type ApprovalWatch } from "../journal/approval-watch.ts";
import type { Replicas } from "./replicas.ts";
import { repeat } from "./repeat.ts";
import { allWork } from "./work-store.ts";

/** The kind of the records of calls in the store that a server resumes without their clients. */
const kind = "call";
/** Milliseconds between two reads of all waiting calls, because another server may have stored some. */
const lookMs = 15_000;
/** Milliseconds for which the record of an ended call is kept: as long as that of its question. */
const keepMs = 90 * 86_400_000;
/** The body of a waiting call's record. The record of an ended call has no ticket. */
interface Waiting {
  readonly callId: string;
  readonly ticket: string;
  readonly context: JsonObject;
  /** The digest of the plan of the server that stored the call. */
  readonly plan: string;
}

interface BackgroundCallsOptions {
  readonly host: Host;
  readonly watch: ApprovalWatch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the plan in a store that several plans may share. */
  readonly scope: string;
  readonly replicas: Pick<Replicas, "plan" | "mayTake">;
  /** Aborts when the time for running work is over. */
  readonly cut: AbortSignal;
}

/**
 * Resumes calls when their questions are answered, even if the client that made them has gone, or the server was restarted.
 * Several servers with one store may try to resume a call, but the host runs it only once.
 */
export class BackgroundCalls {
  readonly #options: BackgroundCallsOptions;
  readonly #store: WorkStore;
  /** The waiting calls, by a key of session and call. */
  #waiting = new Map<string, WorkRecord>();
  /** The keys of the questions that were open when the watch last reported them. */
  #open: ReadonlySet<string> = new Set();
  readonly #running = new Map<string, Promise<void>>();
  readonly #stop: () => void;
  #unwatch: (() => void) | null = null;
  #isEnding = false;

  constructor(options: BackgroundCallsOptions) {
    const { host, clock } = options;
    this.#options = options;
    this.#store = workStoreOf(host);
    this.#stop = repeat(clock, lookMs, () => void this.#readAll());
    void this.#guarded(() => this.#store.remove(kind, ["ended"], clock.now() - keepMs));
    void this.#readAll();
  }

  /** Stores what is needed to resume a waiting call later, here or at another server. */
  async keep({ callId, ticket }: { callId: string; ticket: string }, context: CallContext): Promise<void> {
    const { clock, scope, replicas } = this.#options;
    const { sessionId = null, userId = null } = context;
    const plain = JSON.parse(JSON.stringify({ ...context, abortSignal: undefined })) as JsonObject;
    const body: Waiting = { callId, ticket, context: plain, plan: replicas.plan };
    const facts = { kind, id: randomUUID(), version: 1, scope, status: "waiting", sessionId, userId };
    const record: WorkRecord = { ...facts, at: clock.now(), dueAt: null, body: { ...body } };
    await this.#store.save(record);
    const key = questionKey({ sessionId, callId });
    this.#waiting.set(key, record);
    this.#watch();
    // The question may have been answered before the call was stored.
    if (!(await this.#isOpen(record))) this.#resume(key, record);
  }

  /** Starts no more calls, so that the next server resumes them. Resolves when the calls that run here have ended. */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#unwatch?.();
    this.#stop();
    await Promise.all(this.#running.values());
  }

  /** Begins to watch the questions if calls wait, and ends the watch if none does. */
  #watch(): void {
    if (this.#isEnding) return;
    if (this.#waiting.size > 0) {
      this.#unwatch ??= this.#options.watch.watch((views) => this.#see(views));
      return;
    }
    this.#unwatch?.();
    this.#unwatch = null;
  }

  /**
   * Resumes the calls whose questions are no longer in the list of open ones. If the list is cut, a missing question counts only
   * if the previous list had it.
   */
  #see(views: readonly ApprovalView[]): void {
    const before = this.#open;
    this.#open = new Set(views.map(({ info }) => questionKey(info)));
    const isWhole = !this.#options.watch.hasMore;
    for (const [key, record] of this.#waiting)
      if (!this.#open.has(key) && (isWhole || before.has(key))) this.#resume(key, record);
  }

  /**
   * Reads all waiting calls and checks their questions, because another server may have stored some, and the list of open
   * questions may be cut.
   */
  async #readAll(): Promise<void> {
    await this.#guarded(async () => {
      const waiting = new Map<string, WorkRecord>();
      const filter = { kind, scope: this.#options.scope, statuses: ["waiting"] };
      for await (const record of allWork(this.#store, filter))
        waiting.set(questionKey({ ...record, ...(record.body as unknown as Waiting) }), record);
      this.#waiting = waiting;
      this.#watch();
      for (const [key, record] of waiting)
        if (!this.#open.has(key) && !(await this.#isOpen(record))) this.#resume(key, record);
    });
  }

  #isOpen({ sessionId, body }: WorkRecord): Promise<boolean> {
    const { callId } = body as unknown as Waiting;
    return isOpenQuestion(this.#options.host, { callId, sessionId: sessionId ?? undefined });
  }

  #resume(key: string, record: WorkRecord): void {
    if (this.#isEnding || this.#running.has(record.id)) return;
    if (!this.#options.replicas.mayTake((record.body as unknown as Partial<Waiting>).plan)) return;
    const running = this.#guarded(async () => {
      if (!(await this.#run(record))) return;
      this.#waiting.delete(key);
      this.#watch();
    }).finally(() => this.#running.delete(record.id));
    this.#running.set(record.id, running);
  }

  /** Resumes one call. Returns false if it waits again or runs in another process. */
  async #run(record: WorkRecord): Promise<boolean> {
    const { host, cut, logger } = this.#options;
    const { ticket, context, callId } = record.body as unknown as Waiting;
    try {
      const outcome = await host.resume(ticket, { ...context, abortSignal: cut });
      // The call has asked another question, or another process runs it now.
      if (outcome.status === "pending") return false;
    } catch (err) {
      if (!isToolmountError(err) || !err.code.startsWith("TICKET_")) throw err;
      logger.warn({ err, call: callId }, "a call could not be resumed");
    }
    const body = { callId };
    await this.#store.save({ ...record, version: record.version + 1, status: "ended", body });
    return true;
  }

  /** Runs work and logs its error. The next read tries again. */
  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.#options.logger.error({ err }, "calls that wait cannot be read or resumed");
    }
  }
}
