import {
  type ApprovalView,
  type Clock,
  type Host,
  type Logger,
  type WorkRecord,
  type WorkStore,
} from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { workStoreOf } from "@toolmount/core/internal";
import { readQuestion, type ApprovalWatch } from "../journal/approval-watch.ts";
import { repeat } from "./repeat.ts";
import { allWork } from "./work-store.ts";
import type { Webhook } from "./webhook.ts";

/** The kind of the records in the store that say which reports of a question were sent. */
const kind = "report";
/** Milliseconds between two checks for reports that are due. */
const lookMs = 5_000;
/** Milliseconds for which a server claims a report while it sends it. Sending is given up after ten seconds. */
const sendingMs = 30_000;
/** Milliseconds before each new attempt to send a report. Further attempts wait as long as the last value says. */
const pauses = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
/** After this many attempts a report is given up. With these pauses, that takes a day. */
const maxAttempts = 28;
/** Milliseconds for which the record of a question's reports is kept: as long as that of an ended question. */
const keepMs = 90 * 86_400_000;
/** How many reports are sent at the same time. */
const maxAtOnce = 8;
/** How many reports one check begins to send. */
const maxDue = 500;

/** The reports of a question, in the order in which they are sent. */
const types = ["question.asked", "question.decided", "question.ended"] as const;
type ReportType = (typeof types)[number];

/** The body of the record about the reports of one question. */
interface Reported {
  readonly callId: string;
  readonly sent: readonly ReportType[];
  /** How often sending the next report has failed. */
  readonly attempts: number;
  /** Whether a server is sending the next report. Its claim ends at `dueAt`. */
  readonly sending: boolean;
  /** The text of the next report, which is the same at each attempt. Null before the first attempt. */
  readonly text: string | null;
}

interface QuestionReportsOptions {
  readonly name: string;
  readonly host: Host;
  readonly watch: ApprovalWatch;
  readonly webhook: Webhook;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names the plan in a store that several plans may share. */
  readonly scope: string;
  /** Returns the address of a question on the page; undefined if the server has no public address. */
  readonly linkTo: (id: string) => string | undefined;
}

/**
 * Reports each question of one host to a webhook: when it is asked, when it is decided, here or elsewhere, and how its call
 * ended. The store has what was reported. So a restart loses no report, and only one of several servers sends it. A report that
 * fails is sent again with the same id, for a day.
 */
export class QuestionReports {
  readonly #options: QuestionReportsOptions;
  readonly #store: WorkStore;
  /** Ids of the questions with reports that are not sent yet. */
  readonly #open = new Set<string>();
  readonly #queue = new Set<string>();
  readonly #working = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #stops: (() => void)[];

  constructor(options: QuestionReportsOptions) {
    const { host, watch, clock } = options;
    this.#options = options;
    this.#store = workStoreOf(host);
    this.#stops = [
      watch.watch((waiting) => void this.#see(waiting)),
      repeat(clock, lookMs, () => void this.#look()),
    ];
    void this.#begin();
  }

  /** Stops sending reports. A report that is being sent is interrupted; the next server sends it again, with the same id. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#ending.abort();
    await Promise.all(this.#working);
  }

  /** Stores a question that is decided here next, so that it is reported even if no server saw it wait, or this one ends now. */
  async expect(question: ApprovalView): Promise<void> {
    const record = await this.#store.get(kind, question.id);
    if (record === null) return this.#add(question);
    this.#open.add(question.id);
    if (record.status === "open" && record.dueAt === null)
      await this.#store.save(changed(record, {}, { dueAt: this.#options.clock.now() + lookMs }));
  }

  /** Continues with the reports that an earlier server has not sent. */
  async #begin(): Promise<void> {
    await this.#guarded(async () => {
      const { clock, scope } = this.#options;
      await this.#store.remove(kind, ["reported", "failed"], clock.now() - keepMs);
      const open = { kind, scope, statuses: ["open"] };
      for await (const { id } of allWork(this.#store, open)) this.#wake(id);
    });
  }

  /** Adds new questions, and checks those that no longer wait for due reports. */
  async #see(waiting: readonly ApprovalView[]): Promise<void> {
    await this.#guarded(async () => {
      const ids = new Set(waiting.map(({ id }) => id));
      for (const id of this.#open) if (!ids.has(id)) this.#wake(id);
      for (const view of waiting) if (!this.#open.has(view.id)) await this.#add(view);
    });
  }

  async #add({ id, createdAt, info: { callId, sessionId, userId } }: ApprovalView): Promise<void> {
    const { scope, clock } = this.#options;
    this.#open.add(id);
    const body: Reported = { callId, sent: [], attempts: 0, sending: false, text: null };
    await this.#store.save({
      kind,
      id,
      version: 1,
      scope,
      status: "open",
      sessionId: sessionId ?? null,
      userId: userId ?? null,
      at: createdAt,
      dueAt: clock.now(),
      body: body as never,
    });
    this.#wake(id);
  }

  async #look(): Promise<void> {
    await this.#guarded(async () => {
      const { clock, scope } = this.#options;
      const due = { kind, scope, statuses: ["open"], dueBy: clock.now(), limit: maxDue };
      for (const { id } of await this.#store.list(due)) this.#wake(id);
    });
  }

  #wake(id: string): void {
    this.#open.add(id);
    this.#queue.add(id);
    if (this.#working.size >= maxAtOnce) return;
    const working = this.#work().finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  async #work(): Promise<void> {
    for (const id of this.#queue) {
      if (this.#ending.signal.aborted) return;
      this.#queue.delete(id);
      await this.#guarded(() => this.#advance(id));
    }
  }

  /** Sends the next report of a question, unless none is due or another server is sending it. */
  async #advance(id: string): Promise<void> {
    const { clock, host } = this.#options;
    const record = await this.#store.get(kind, id);
    if (record === null || record.status !== "open") return void this.#open.delete(id);
    const reported = record.body as unknown as Reported;
    const now = clock.now();
    if (record.dueAt !== null && record.dueAt > now && (reported.sending || reported.attempts > 0)) return;
    const view = await readQuestion(host, { id, callId: reported.callId, sessionId: record.sessionId });
    const type = nextReport(view, reported.sent);
    if (type === null) return this.#rest(record, view);
    const text = reported.text ?? this.#textOf(type, view!);
    const claimed = changed(record, { sending: true, text }, { dueAt: now + sendingMs });
    if (await this.#store.save(claimed)) await this.#send(claimed, type, text);
  }

  /** Returns the text of a report, with the current state of the question. */
  #textOf(type: ReportType, question: ApprovalView): string {
    const { clock, linkTo, name: host } = this.#options;
    const link = linkTo(question.id);
    const data = { host, question, ...(link !== undefined && { link }) };
    return JSON.stringify({ type, timestamp: new Date(clock.now()).toISOString(), data });
  }

  async #send(record: WorkRecord, type: ReportType, text: string): Promise<void> {
    const { webhook, logger, clock } = this.#options;
    const { sent, attempts } = record.body as unknown as Reported;
    const { id } = record;
    try {
      await webhook.post(`${id}.${type}`, text, this.#ending.signal);
    } catch (error) {
      const isEnding = this.#ending.signal.aborted;
      const isLast = !isEnding && attempts + 1 >= maxAttempts;
      if (!isEnding)
        logger.warn({ question: id, type, attempts, problem: messageOf(error) }, "a report did not arrive");
      const pause = isEnding ? 0 : pauses[Math.min(attempts, pauses.length - 1)]!;
      const next = { sending: false, attempts: isEnding ? attempts : attempts + 1 };
      await this.#store.save(
        changed(record, next, { dueAt: clock.now() + pause, ...(isLast && { status: "failed" }) }),
      );
      return;
    }
    const next = { sending: false, attempts: 0, text: null, sent: [...sent, type] };
    await this.#store.save(changed(record, next, { dueAt: clock.now() }));
    this.#wake(id);
  }

  /**
   * Stores when a question is checked again: never while it waits, because it is watched; soon while its call may end elsewhere.
   */
  async #rest(record: WorkRecord, view: ApprovalView | undefined): Promise<void> {
    const isOver = view === undefined || view.end !== undefined;
    if (isOver) this.#open.delete(record.id);
    const dueAt = isOver || view.state === "pending" ? null : this.#options.clock.now() + lookMs;
    const status = isOver ? "reported" : "open";
    if (status !== record.status || dueAt !== record.dueAt)
      await this.#store.save(changed(record, {}, { dueAt, status }));
  }

  /** Runs work and logs an error of the store. The next check tries again. */
  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.#options.logger.error({ err }, "the reports of questions cannot be read or stored");
    }
  }
}

/** Returns the type of the next report of a question; null if it is not due yet, or if all were sent. */
function nextReport(view: ApprovalView | undefined, sent: readonly ReportType[]): ReportType | null {
  if (view === undefined) return null;
  const isTrue = {
    "question.asked": true,
    "question.decided": view.state !== "pending",
    "question.ended": view.end !== undefined,
  };
  const next = types.find((type) => !sent.includes(type));
  return next !== undefined && isTrue[next] ? next : null;
}

function changed(record: WorkRecord, body: Partial<Reported>, fields: Partial<WorkRecord>): WorkRecord {
  return { ...record, ...fields, version: record.version + 1, body: { ...record.body, ...(body as object) } };
}
