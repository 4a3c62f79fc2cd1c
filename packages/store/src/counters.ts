import type { CounterChange, CounterState } from "@toolmount/core";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "./tables.ts";

/** How a database reads the JSON of what runs: an object of ids, each with the time until which it counts. */
export interface RunningJson {
  /** The stored object with the members of a change, as rows of `key` and `value`, without those that are over. */
  rows(change: string, at: number): RawBuilder<unknown>;
  /** Such rows as an object. */
  readonly object: RawBuilder<string>;
}

/** What runs, in SQLite. */
export const sqliteRunning: RunningJson = {
  rows: (change, at) => sql`json_each(json_patch(counters.running, ${change})) where value > ${at}`,
  object: sql`json_group_object(key, value)`,
};

/** What runs, in Postgres. */
export const postgresRunning: RunningJson = {
  rows: (change, at) =>
    sql`jsonb_each(counters.running::jsonb || ${change}::jsonb) where value::text::bigint > ${at}::bigint`,
  object: sql`coalesce(jsonb_object_agg(key, value), '{}')::text`,
};

/** Adds to a counter by one statement: the database lets changes of one row wait for each other, so each sees the last one. */
export async function count(
  db: Kysely<Tables>,
  json: RunningJson,
  key: string,
  change: CounterChange,
): Promise<CounterState> {
  const { maxCount = Number.MAX_SAFE_INTEGER, maxAmount = Number.MAX_VALUE, maxRunning, at } = change;
  const running = JSON.stringify(change.running ?? {});
  const row = { key: JSON.stringify(key), count: change.count, amount: change.amount, running, at };
  const rows = json.rows(running, at);
  const isFree =
    maxRunning === undefined
      ? sql<boolean>`1 = 1`
      : sql<boolean>`(select count(*) from ${rows}) <= ${maxRunning}`;
  const added = await db
    .insertInto("counters")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet((known) => ({
          count: known("counters.count", "+", row.count),
          amount: known("counters.amount", "+", row.amount),
          ...(change.running !== undefined && {
            running: sql<string>`(select ${json.object} from ${rows})`,
          }),
          at,
        }))
        .where((known) => known("counters.count", "+", row.count), "<=", maxCount)
        .where((known) => known("counters.amount", "+", row.amount), "<", maxAmount)
        .where(isFree),
    )
    .returning(["count", "amount"])
    .executeTakeFirst();
  if (added !== undefined) return { isAdded: true, ...numbersOf(added) };
  const known = await db
    .selectFrom("counters")
    .select(["count", "amount"])
    .where("key", "=", row.key)
    .executeTakeFirst();
  return { isAdded: false, ...numbersOf(known ?? { count: 0, amount: 0 }) };
}

function numbersOf({ count: counted, amount }: Pick<Tables["counters"], "count" | "amount">) {
  return { count: Number(counted), amount: Number(amount) };
}

/** Deletes counters without a change since a time. Returns how many. */
export async function pruneCounters(db: Kysely<Tables>, before: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom("counters").where("at", "<", before).executeTakeFirst();
  return Number(numDeletedRows);
}
