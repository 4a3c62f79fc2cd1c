import type { JsonObject } from "../json/json.ts";

/**
 * A piece of work that a server began for a caller and must still know after a restart, such as a turn of a model, or a call
 * with an idempotency key. Plain JSON; times are milliseconds since the epoch.
 */
export interface WorkRecord {
  /** The kind of the work: `turn` or `key`. */
  readonly kind: string;
  /** The id of the work, unique within its kind. */
  readonly id: string;
  /** Every change adds 1, and replaces exactly the version before it. */
  readonly version: number;
  /** The plan that the work belongs to, because several plans may share a store. */
  readonly scope: string;
  readonly status: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** When the work began. */
  readonly at: number;
  /** When the work needs attention: at the end of a lease, or of the time for which it is kept. Null means never. */
  readonly dueAt: number | null;
  readonly body: JsonObject;
}

/** Selects pieces of work. */
export interface WorkFilter {
  readonly kind: string;
  readonly scope?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  /** Only work that is due at or before this time. */
  readonly dueBy?: number | undefined;
  /** Only work that is listed after this record. */
  readonly after?: Pick<WorkRecord, "at" | "id"> | undefined;
  /** How many at most; default 100. Work that began last comes first; of work of the same moment, the greater id. */
  readonly limit?: number | undefined;
}

/** A change of a counter. All its limits are checked in the same step. */
export interface CounterChange {
  /** The number that is added to the count; negative to undo what was counted before. */
  readonly count: number;
  /** The total cost that is added, for example in milliseconds. */
  readonly amount: number;
  /**
   * Work that runs now, by its id: the time until which it counts as running unless that is renewed, in milliseconds since the
   * epoch. 0 for work that has ended.
   */
  readonly running?: Readonly<Record<string, number>> | undefined;
  /** Largest count: if the change would exceed it, nothing is added. */
  readonly maxCount?: number | undefined;
  /** Limit of the total cost: if the cost with this change reaches it, nothing is added. */
  readonly maxAmount?: number | undefined;
  /** Largest number of running work: if the change would exceed it, nothing is added. */
  readonly maxRunning?: number | undefined;
  /** Another counter to which the same step adds. It has no limit, and is changed even if nothing is added to this counter. */
  readonly also?: { readonly key: string; readonly count: number } | undefined;
  /** The current time, in milliseconds since the epoch. */
  readonly at: number;
}

/** A counter after a change was requested. */
export interface CounterState {
  /** False if a limit was reached, so that nothing was added. */
  readonly isAdded: boolean;
  readonly count: number;
  readonly amount: number;
  /** The count of the other counter, if the change names one. */
  readonly also?: number | undefined;
}

/** Stores the work of servers. A change is on disk when its promise resolves. */
export interface WorkStore {
  get(kind: string, id: string): Promise<WorkRecord | null>;
  /** Saves version 1 of a new record, or the next version of a stored one. False if it is not the next version. */
  save(record: WorkRecord): Promise<boolean>;
  list(filter: WorkFilter): Promise<readonly WorkRecord[]>;
  /** Deletes records of a kind that have one of these statuses and began before a time. Resolves to the number of deleted records. */
  remove(kind: string, statuses: readonly string[], before: number): Promise<number>;
  /**
   * Adds to a counter, which begins at zero, in one step: if several servers want the last unit, one of them gets it. A change
   * that is added costs one round trip.
   */
  count(key: string, change: CounterChange): Promise<CounterState>;
}
