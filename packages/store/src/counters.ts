import type { CounterChange, CounterState } from "@toolmount/core";
import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/** Adds to a counter by one statement: the database lets changes of one row wait for each other, so each sees the last one. */
export async function count(db: Kysely<Tables>, key: string, change: CounterChange): Promise<CounterState> {
  const { maxCount = Number.MAX_SAFE_INTEGER, maxAmount = Number.MAX_VALUE, at } = change;
  const row = { key: JSON.stringify(key), count: change.count, amount: change.amount, at };
  const added = await db
    .insertInto("counters")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet((known) => ({
          count: known("counters.count", "+", row.count),
          amount: known("counters.amount", "+", row.amount),
          at,
        }))
        .where("counters.count", "<", maxCount)
        .where("counters.amount", "<", maxAmount),
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
