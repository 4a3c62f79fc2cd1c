import type { CounterChange, CounterState } from "@toolmount/core";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "./tables.ts";

/** How a database reads the JSON of running work: an object of ids, each with the time until which it counts as running. */
export interface RunningJson {
  /** Returns rows of `key` and `value`: the stored object merged with a change, without work whose time is over. */
  rows(change: string, at: number): RawBuilder<unknown>;
  /** Builds an object from such rows. */
  readonly object: RawBuilder<string>;
}

/** Reads running work in SQLite. */
export const sqliteRunning: RunningJson = {
  rows: (change, at) => sql`json_each(json_patch(counters.running, ${change})) where value > ${at}`,
  object: sql`json_group_object(key, value)`,
};

/** Reads running work in Postgres. */
export const postgresRunning: RunningJson = {
  rows: (change, at) =>
    sql`jsonb_each(counters.running::jsonb || ${change}::jsonb) where value::text::bigint > ${at}::bigint`,
  object: sql`coalesce(jsonb_object_agg(key, value), '{}')::text`,
};

/**
 * Adds to a counter, and to the other counter of the change, in one statement. The database makes changes of one row wait for
 * each other, so each sees the one before. The other counter's row always comes first, so that statements do not block each
 * other.
 */
export async function count(
  db: Kysely<Tables>,
  json: RunningJson,
  key: string,
  change: CounterChange,
): Promise<CounterState> {
  const { also, at } = change;
  const own = rowOf(key, change, at);
  const rows = also === undefined ? [own] : [rowOf(also.key, { ...also, amount: 0 }, at), own];
  const isOwn = sql<boolean>`excluded.key = ${own.key}`;
  const changed = await db
    .insertInto("counters")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({
          count: sql`counters.count + excluded.count`,
          amount: sql`counters.amount + excluded.amount`,
          ...(change.running !== undefined && {
            running: sql<string>`case when ${isOwn} then (select ${json.object} from ${json.rows(own.running, at)}) else counters.running end`,
          }),
          at,
        })
        .where(sql<boolean>`(not ${isOwn} or (${isFree(json, own.running, change)}))`),
    )
    .returning(["key", "count", "amount"])
    .execute();
  const added = changed.find((row) => row.key === own.key);
  const other = changed.find((row) => row.key !== own.key);
  return {
    isAdded: added !== undefined,
    ...numbersOf(added ?? (await find(db, own.key))),
    ...(other !== undefined && { also: Number(other.count) }),
  };
}

function rowOf(key: string, change: Pick<CounterChange, "count" | "amount" | "running">, at: number) {
  const { count: more, amount, running = {} } = change;
  return { key: JSON.stringify(key), count: more, amount, running: JSON.stringify(running), at };
}

/** Returns the condition that a change stays within its limits. */
function isFree(json: RunningJson, running: string, change: CounterChange): RawBuilder<boolean> {
  const { maxCount = Number.MAX_SAFE_INTEGER, maxAmount = Number.MAX_VALUE, maxRunning, at } = change;
  const numbers = sql`counters.count + excluded.count <= ${maxCount} and counters.amount + excluded.amount < ${maxAmount}`;
  return maxRunning === undefined
    ? sql<boolean>`${numbers}`
    : sql<boolean>`${numbers} and (select count(*) from ${json.rows(running, at)}) <= ${maxRunning}`;
}

async function find(db: Kysely<Tables>, key: string) {
  const found = await db
    .selectFrom("counters")
    .select(["count", "amount"])
    .where("key", "=", key)
    .executeTakeFirst();
  return found ?? { count: 0, amount: 0 };
}

function numbersOf({ count: counted, amount }: Pick<Tables["counters"], "count" | "amount">) {
  return { count: Number(counted), amount: Number(amount) };
}

/** Deletes counters that were not changed since `before` and whose keys begin with a prefix. Returns the number of deleted counters. */
export async function pruneCounters(db: Kysely<Tables>, before: number, prefix = ""): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("counters")
    .where("at", "<", before)
    // A key is stored as JSON, so it begins after a quote.
    .where(sql<boolean>`substr(key, 2, ${prefix.length}) = ${prefix}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
