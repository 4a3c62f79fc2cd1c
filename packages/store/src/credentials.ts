import type { Json } from "@toolmount/core";
import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";
import { readRow } from "./read-row.ts";
import type { Credentials } from "./store-shapes.ts";

/** Stores credentials in the table `credentials`. */
export function createCredentials(db: Kysely<Tables>): Credentials {
  return {
    async get(key) {
      const row = await db
        .selectFrom("credentials")
        .select(["version", "body"])
        .where("key", "=", key)
        .executeTakeFirst();
      return row === undefined ? null : { version: row.version, body: readRow(row.body) as Json };
    },
    replace: (key, before, body) =>
      before === 0 ? add(db, key, JSON.stringify(body)) : update(db, key, before, JSON.stringify(body)),
  };
}

async function add(db: Kysely<Tables>, key: string, body: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("credentials")
    .values({ key, version: 1, body })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

async function update(db: Kysely<Tables>, key: string, before: number, body: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("credentials")
    .set({ version: before + 1, body })
    .where("key", "=", key)
    .where("version", "=", before)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
