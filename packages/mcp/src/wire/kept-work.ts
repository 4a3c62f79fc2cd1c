import { systemClock, type Host, type WorkRecord, type WorkStore } from "@toolmount/core";
import { workStoreOf } from "@toolmount/core/internal";

/** Number of new records after which old ones are deleted. */
const pruneEvery = 1_000;

/** How long records with one of these statuses are kept, in milliseconds. Without this, records are kept for ever. */
interface Keeping {
  readonly keptMs: number;
  readonly statuses: readonly string[];
}

/** The records of one kind in a host's store, which all its servers share. Without a store, they are kept in memory. */
export class KeptWork {
  readonly #host: Host;
  readonly #kind: string;
  readonly #keeping: Keeping | undefined;
  #own: WorkStore | undefined;
  #count = 0;

  constructor(host: Host, kind: string, keeping?: Keeping) {
    this.#host = host;
    this.#kind = kind;
    this.#keeping = keeping;
  }

  /** Whether other servers, or this one after a restart, can read the records. */
  get isShared(): boolean {
    return this.#shared !== null;
  }

  get #shared(): WorkStore | null {
    return this.#host.coordinator.get("work-store") as WorkStore | null;
  }

  get #store(): WorkStore {
    return this.#shared ?? (this.#own ??= workStoreOf(this.#host));
  }

  get(id: string): Promise<WorkRecord | null> {
    return this.#store.get(this.#kind, id);
  }

  /** Returns the records of one session, newest first. */
  ofSession(sessionId: string): Promise<readonly WorkRecord[]> {
    return this.#store.list({ kind: this.#kind, sessionId, limit: 1_000 });
  }

  /** Makes a new record, which is not stored yet. At the first of every thousand, old records are deleted. */
  draft(facts: Partial<WorkRecord> & Pick<WorkRecord, "id">): WorkRecord {
    const fixed = { version: 0, scope: "", status: "kept", sessionId: null, userId: null, dueAt: null };
    const record = { ...fixed, kind: this.#kind, at: systemClock.now(), body: {}, ...facts };
    const { statuses = [], keptMs = Infinity } = this.#keeping ?? {};
    if (statuses.length > 0 && this.#count++ % pruneEvery === 0)
      this.#store.remove(this.#kind, statuses, record.at - keptMs).catch(() => {}); // the next time may succeed
    return record;
  }

  /** Stores the next version of a record, and returns it; null if another server was faster. */
  async save(record: WorkRecord, change: Partial<WorkRecord>): Promise<WorkRecord | null> {
    const next = { ...record, ...change, version: record.version + 1 };
    return (await this.#store.save(next)) ? next : null;
  }

  /** Changes a record, and tries again if another server was faster. `edit` gets null if there is no record. */
  async change(
    id: string,
    edit: (
      record: WorkRecord | null,
    ) => Promise<Partial<WorkRecord> | undefined> | Partial<WorkRecord> | undefined,
  ): Promise<void> {
    for (;;) {
      const record = await this.get(id);
      const change = await edit(record);
      if (change === undefined || (await this.save(record ?? this.draft({ id }), change))) return;
    }
  }
}

/** Sets a member of a map as its newest one. If there are more than `most`, the oldest is removed. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most) map.delete(oldest!);
}
