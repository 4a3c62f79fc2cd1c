import { setTimeout as delay } from "node:timers/promises";
import { systemClock, type Host, type WorkRecord } from "@toolmount/core";
import { decryptWithTicket, encryptWithTicket } from "@toolmount/core/internal";
import { digestOf } from "@toolmount/core/json";
import { KeptWork } from "../wire/kept-work.ts";
import type { TaskEnd } from "./task-state.ts";

const kind = "mcp-task";
/**
 * Milliseconds after which a process that runs a task's call counts as gone, unless it has renewed its lease. It does that
 * three times as often.
 */
const leaseMs = 15_000;
/** Milliseconds between two looks at a task that another process runs. */
const lookMs = 500;
/** Largest record of one task, in characters of its JSON. */
const maxKept = 8 * 1024 * 1024;

/** What is stored of a task. It is encrypted with the task's id, so only its client can read it. */
export interface KeptTask {
  readonly ttlMs: number;
  /** The call, without arguments if they were too large. */
  readonly call: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  };
  /** The ticket with which the host resumes the call, so that it runs only once. */
  readonly ticket?: string | undefined;
  /** The message that the client reads while the call waits. */
  readonly message?: string | undefined;
  readonly end?: TaskEnd | undefined;
}

/** The record of one task in the store. This process runs the task's call, or follows the process that does. */
export class TaskRecord {
  readonly id: string;
  readonly #all: KeptWork;
  #record: WorkRecord;
  #kept: KeptTask;
  #last: Promise<unknown> = Promise.resolve();
  #stopRenewing = () => {};
  #isOurs = false;
  /** Called with the end that another process has stored while the call ran here. */
  onEnd: (end: TaskEnd) => void = () => {};

  constructor(all: KeptWork, id: string, record: WorkRecord, kept: KeptTask) {
    this.#all = all;
    this.id = id;
    this.#record = record;
    this.#kept = kept;
  }

  get kept(): KeptTask {
    return this.#kept;
  }

  get facts(): Pick<WorkRecord, "sessionId" | "userId" | "at"> {
    return this.#record;
  }

  /** Whether this process began the call or took it over. Otherwise it only follows what another process does. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  get isOver(): boolean {
    return this.#record.status === "forgotten" || systemClock.now() > this.#record.at + this.#kept.ttlMs;
  }

  async add(): Promise<void> {
    this.#isOurs = true;
    await (this.#last = this.#save(this.#kept));
    this.#hold();
  }

  /** Stores a change. If another process has changed the task, resolves to false and its change is read. */
  change(more: Partial<KeptTask>): Promise<boolean> {
    return this.#alone(async () => {
      if (await this.#save({ ...this.#kept, ...more })) return true;
      await this.#read();
      return false;
    });
  }

  /** Stores the end. Resolves to the end that counts, because another one may have been stored first. */
  end(end: TaskEnd): Promise<TaskEnd> {
    this.release();
    return this.#alone(async () => {
      while (this.#kept.end === undefined)
        if (!(await this.#save({ ...this.#kept, end })) && !(await this.#read())) return end;
      return this.#kept.end;
    });
  }

  /** Deletes all data of the task except that it existed. */
  forget(): Promise<boolean> {
    this.release();
    return this.#alone(() => this.#save(this.#kept, { status: "forgotten", dueAt: null, body: {} }));
  }

  /** Runs one change after the other, so that each starts from what the previous one stored or read. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {}); // the caller gets the error
    return done;
  }

  async #save(kept: KeptTask, more: Partial<WorkRecord> = {}): Promise<boolean> {
    const status = kept.end !== undefined ? "ended" : kept.ticket === undefined ? "running" : "waiting";
    const dueAt = status === "running" ? systemClock.now() + leaseMs : null;
    const body = { sealed: encryptWithTicket(bounded(kept), this.id) };
    const saved = await this.#all.save(this.#record, { status, dueAt, body, ...more });
    if (saved !== null) [this.#record, this.#kept] = [saved, kept];
    return saved !== null;
  }

  /** Renews the lease of this process until {@link release}. */
  #hold(): void {
    const timer = systemClock.setTimer(() => {
      this.#hold();
      this.#renew().catch(() => {}); // if the store cannot be reached now, the next time may succeed
    }, leaseMs / 3);
    timer.keepAlive(false);
    this.#stopRenewing = () => timer.cancel();
  }

  release(): void {
    this.#stopRenewing();
  }

  async #renew(): Promise<void> {
    const { ticket, end } = this.#kept;
    // The call of a task with a ticket is waiting, so this process need not hold it; after an end there is nothing to hold.
    if (ticket !== undefined || end !== undefined || this.isOver) return this.release();
    if ((await this.change({})) || this.#kept.end === undefined) return;
    this.release();
    this.onEnd(this.#kept.end);
  }

  /** Reads what another process stored. Returns false if nothing is kept any more. */
  async #read(): Promise<boolean> {
    const found = await this.#all.get(this.#record.id);
    const kept = found === null ? null : open(found, this.id);
    this.#record = found ?? { ...this.#record, status: "forgotten" };
    this.#kept = kept ?? this.#kept;
    return kept !== null;
  }

  /**
   * Waits until the call has ended, waits for a person, or belongs to this process because no other process runs it any more.
   */
  async takeOver(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { status, dueAt } = this.#record;
      if (status === "forgotten") throw new Error("the task is not kept any more");
      if (status !== "running") return;
      const leftMs = (dueAt ?? 0) - systemClock.now();
      // If the store cannot be reached now, the next look may succeed; the other process runs the call meanwhile.
      if (leftMs <= 0 && (await this.change({}).catch(() => false))) {
        signal.throwIfAborted();
        this.#isOurs = true;
        return this.#hold();
      }
      await delay(leftMs > 0 ? Math.min(leftMs, lookMs) : lookMs, undefined, { signal });
      await this.#alone(() => this.#read()).catch(() => false);
    }
  }
}

/** Longest time for which a task is kept, in milliseconds. */
export const longestTtlMs = 86_400_000;

/** The records of one owner's tasks in the store. */
export class TaskRecords {
  readonly #all: KeptWork;
  readonly #owner: string;

  /** `owner` names the authorization to which the tasks belong, in any process. */
  constructor(host: Host, owner: string) {
    const statuses = ["running", "waiting", "ended", "forgotten"];
    this.#all = new KeptWork(host, kind, { keptMs: longestTtlMs, statuses });
    this.#owner = owner;
  }

  /** Makes a new record, which is not stored yet. */
  make(id: string, facts: Pick<WorkRecord, "sessionId" | "userId" | "at">, kept: KeptTask): TaskRecord {
    const record = this.#all.draft({ id: digestOf([kind, id]), scope: this.#owner, ...facts });
    return new TaskRecord(this.#all, id, record, kept);
  }

  /** Returns the task with this id, of this owner and user; undefined if there is none, or none any more. */
  async find(id: string, userId: string | undefined): Promise<TaskRecord | undefined> {
    const found = await this.#all.get(digestOf([kind, id]));
    if (found === null || found.scope !== this.#owner || found.userId !== (userId ?? null)) return undefined;
    const kept = open(found, id);
    const record = kept === null ? undefined : new TaskRecord(this.#all, id, found, kept);
    return record?.isOver === true ? undefined : record;
  }
}

function open({ body }: WorkRecord, id: string): KeptTask | null {
  const { sealed } = body as { readonly sealed?: string };
  return sealed === undefined
    ? null
    : ((decryptWithTicket(sealed, id)?.value as KeptTask | undefined) ?? null);
}

/**
 * Returns the data of a task that is stored. The arguments are left out after the task's end, because nothing needs them any
 * more, or if they are too large. A result that is too large is replaced by a note.
 */
function bounded({ call: { name, ...rest }, end, ...kept }: KeptTask): KeptTask {
  const whole = { ...kept, call: end === undefined ? { name, ...rest } : { name }, end };
  if (JSON.stringify(whole).length <= maxKept) return whole;
  const text = `the result of ${name} is larger than ${maxKept} characters, so it was not kept when its server ended`;
  const result = { content: [{ type: "text" as const, text }], isError: true };
  return { ...kept, call: { name }, end: end?.result === undefined ? end : { ...end, result } };
}
