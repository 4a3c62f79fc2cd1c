import type { JsonObject } from "../json/json.ts";

/**
 * A piece of work that a server began for a caller and must still know after a restart, such as a turn of a model, or a call
 * with an idempotency key. Plain JSON; times are milliseconds since the epoch.
 */
export interface WorkRecord {
  /** What kind of work it is: `turn`, `key`. */
  readonly kind: string;
  /** Unique within its kind. */
  readonly id: string;
  /** Every change adds 1, and names the version that it replaces. */
  readonly version: number;
  /** Whose work it is: several plans may share one store. */
  readonly scope: string;
  readonly status: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** When it began. */
  readonly at: number;
  /** When it needs attention: the end of a lease, or of the time for which it is kept. Null for never. */
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
  /** Only what is due at or before this time. */
  readonly dueBy?: number | undefined;
  /** Only what is listed after this record. */
  readonly after?: Pick<WorkRecord, "at" | "id"> | undefined;
  /** Default 100; what began last is first, and of one moment the greater id. */
  readonly limit?: number | undefined;
}

/** What is added to a counter. */
export interface CounterChange {
  /** How many are counted; below zero where some do not count after all. */
  readonly count: number;
  /** What they cost together, such as milliseconds. */
  readonly amount: number;
  /**
   * What runs, by its id: until when it counts as running unless that is said again, in milliseconds since the epoch. 0 for
   * what has ended.
   */
  readonly running?: Readonly<Record<string, number>> | undefined;
  /** Nothing is added where more would be counted than this. */
  readonly maxCount?: number | undefined;
  /** Nothing is added where they have cost so much, with this change. */
  readonly maxAmount?: number | undefined;
  /** Nothing is added where more would run than this. */
  readonly maxRunning?: number | undefined;
  /** Another counter, to which the same step adds: it has no limit, and counts also where nothing is added to this one. */
  readonly also?: { readonly key: string; readonly count: number } | undefined;
  /** Now, in milliseconds since the epoch. */
  readonly at: number;
}

/** A counter after a change that was asked for. */
export interface CounterState {
  /** False where a limit is reached: nothing was added. */
  readonly isAdded: boolean;
  readonly count: number;
  readonly amount: number;
  /** The count of the other counter, where a change names one. */
  readonly also?: number | undefined;
}

/** Stores the work of servers. When a promise resolves, the change is on disk. */
export interface WorkStore {
  get(kind: string, id: string): Promise<WorkRecord | null>;
  /** Saves version 1 of a new record, or the next version of a stored one. False when it is not the next. */
  save(record: WorkRecord): Promise<boolean>;
  list(filter: WorkFilter): Promise<readonly WorkRecord[]>;
  /** Deletes records of a kind that have one of these statuses and began before a time. Resolves to their number. */
  remove(kind: string, statuses: readonly string[], before: number): Promise<number>;
  /**
   * Adds to a counter, which begins at zero, in one step: of several servers that want the last one, one gets it. A change
   * that is added costs one round trip.
   */
  count(key: string, change: CounterChange): Promise<CounterState>;
}
