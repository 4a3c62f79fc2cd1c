import { setTimeout as delay } from "node:timers/promises";
import { systemClock, type Host, type WorkRecord, type WorkStore } from "@toolmount/core";
import { decryptWithTicket, digestOf, encryptWithTicket, workStoreOf } from "@toolmount/core/internal";
import type { TaskEnd } from "./task-state.ts";

/** The kind of the records of tasks. */
const kind = "mcp-task";
/** A process that runs the call of a task says so this often; after the whole time it counts as gone. */
const leaseMs = 15_000;
/** Milliseconds between two looks at a task that another process runs. */
const lookMs = 500;
/** Most characters of the JSON that is kept of one task. */
const maxKept = 8 * 1024 * 1024;
/** Tasks after which old ones are deleted. */
const pruneEvery = 1_000;

/** What is kept of a task, encrypted with its id: only its client can read it. */
export interface KeptTask {
  readonly ttlMs: number;
  /** Without arguments where they were too large. */
  readonly call: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  };
  /** With it the host resumes the call, and runs it once. */
  readonly ticket?: string | undefined;
  /** What its client reads while it waits. */
  readonly message?: string | undefined;
  readonly end?: TaskEnd | undefined;
}

/** One task in the store. */
export class TaskRecord {
  readonly id: string;
  readonly #store: WorkStore;
  #record: WorkRecord;
  #kept: KeptTask;
  #saving: Promise<unknown> = Promise.resolve();
  #stopRenewing = () => {};
  /** Called with the end that another process has stored while the call ran here. */
  onEnd: (end: TaskEnd) => void = () => {};

  constructor(store: WorkStore, id: string, record: WorkRecord, kept: KeptTask) {
    this.#store = store;
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

  get isOver(): boolean {
    return this.#record.status === "forgotten" || systemClock.now() > this.#record.at + this.#kept.ttlMs;
  }

  /** Stores it for the first time. */
  async add(): Promise<void> {
    const first = this.#next({});
    await (this.#saving = this.#store.save(first).then(() => (this.#record = first)));
    this.#hold();
  }

  /** Stores what changed. Resolves to false where another process has changed the task. */
  change(more: Partial<KeptTask>): Promise<boolean> {
    this.#kept = { ...this.#kept, ...more };
    return this.#save(() => this.#next({}));
  }

  /** Stores the end, unless another process has stored one. */
  async end(end: TaskEnd): Promise<void> {
    this.release();
    while (!(await this.change({ end }))) if (!(await this.#read()) || this.#kept.end !== undefined) return;
  }

  /** Keeps nothing but that there was a task. */
  forget(): Promise<boolean> {
    this.release();
    return this.#save(() => this.#next({ status: "forgotten", dueAt: null, body: {} }));
  }

  #save(make: () => WorkRecord): Promise<boolean> {
    const saved = this.#saving.then(async () => {
      const next = make();
      if (!(await this.#store.save(next))) return false;
      this.#record = next;
      return true;
    });
    this.#saving = saved.catch(() => {}); // the caller has it
    return saved;
  }

  #next(more: Partial<WorkRecord>): WorkRecord {
    const kept = this.#kept;
    const status = kept.end !== undefined ? "ended" : kept.ticket === undefined ? "running" : "waiting";
    const dueAt = status === "running" ? systemClock.now() + leaseMs : null;
    const body = { sealed: encryptWithTicket(bounded(kept), this.id) };
    return { ...this.#record, version: this.#record.version + 1, status, dueAt, body, ...more };
  }

  /** Says that this process runs the call, until {@link release}. */
  #hold(): void {
    const timer = systemClock.setTimer(() => {
      this.#hold();
      this.#renew().catch(() => {}); // a store that is away now may be there at the next time
    }, leaseMs / 3);
    timer.keepAlive(false);
    this.#stopRenewing = () => timer.cancel();
  }

  release(): void {
    this.#stopRenewing();
  }

  async #renew(): Promise<void> {
    const { ticket, end } = this.#kept;
    // From here on the host keeps the lease of the call.
    if (ticket !== undefined || end !== undefined) return this.release();
    if (await this.change({})) return;
    if (!(await this.#read()) || this.#kept.end === undefined) return;
    this.release();
    this.onEnd(this.#kept.end);
  }

  /** Reads what another process stored. False where nothing is kept any more. */
  async #read(): Promise<boolean> {
    const found = await this.#store.get(kind, this.#record.id);
    const kept = found === null ? null : open(found, this.id);
    if (found === null || kept === null) return false;
    this.#record = found;
    this.#kept = kept;
    return true;
  }

  /** Waits until no other process runs the call: it has ended, waits for a person, or belongs to this process from now on. */
  async takeOver(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { status, dueAt } = this.#record;
      if (status !== "running") return;
      const leftMs = (dueAt ?? 0) - systemClock.now();
      if (leftMs <= 0 && (await this.change({}))) return this.#hold();
      await delay(Math.min(Math.max(leftMs, 1), lookMs), undefined, { signal });
      await this.#read();
    }
  }
}

/** The tasks of one owner in the store. */
export class TaskRecords {
  readonly #host: Host;
  readonly #owner: string;
  #known: WorkStore | undefined;
  #count = 0;

  /** `owner` names the authorization to which the tasks belong, in any process. */
  constructor(host: Host, owner: string) {
    this.#host = host;
    this.#owner = owner;
  }

  get #store(): WorkStore {
    return (this.#known ??= workStoreOf(this.#host));
  }

  /** A new record, which is not stored yet. Tasks that began before `longestTtlMs` are deleted. */
  make(
    id: string,
    facts: Pick<WorkRecord, "sessionId" | "userId" | "at">,
    kept: KeptTask,
    longestTtlMs: number,
  ): TaskRecord {
    const store = this.#store;
    if (this.#count++ % pruneEvery === 0)
      void store
        .remove(kind, ["running", "waiting", "ended", "forgotten"], facts.at - longestTtlMs)
        .catch(() => {}); // next time
    const fixed = { kind, id: digestOf([kind, id]), version: 0, scope: this.#owner, status: "running" };
    return new TaskRecord(store, id, { ...fixed, ...facts, dueAt: null, body: {} }, kept);
  }

  /** The task with an id, of this owner and user; undefined for one that there is not, or not any more. */
  async find(id: string, userId: string | undefined): Promise<TaskRecord | undefined> {
    const store = this.#store;
    const found = await store.get(kind, digestOf([kind, id]));
    if (found === null || found.scope !== this.#owner || found.userId !== (userId ?? null)) return undefined;
    const kept = open(found, id);
    const record = kept === null ? undefined : new TaskRecord(store, id, found, kept);
    return record?.isOver === true ? undefined : record;
  }
}

function open({ body }: WorkRecord, id: string): KeptTask | null {
  const { sealed } = body as { readonly sealed?: string };
  return sealed === undefined
    ? null
    : ((decryptWithTicket(sealed, id)?.value as KeptTask | undefined) ?? null);
}

/** A result that is too large is not kept, and says so; of a call, its arguments. */
function bounded(kept: KeptTask): KeptTask {
  if (JSON.stringify(kept).length <= maxKept) return kept;
  const text = `the result of ${kept.call.name} is larger than ${maxKept} characters, so it was not kept when its server ended`;
  const result = { content: [{ type: "text" as const, text }], isError: true };
  const call = { name: kept.call.name };
  return { ...kept, call, ...(kept.end?.result !== undefined && { end: { ...kept.end, result } }) };
}
