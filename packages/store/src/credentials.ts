import type { Json } from "@toolmount/core";
import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/** Stores credentials of servers. A write names the version that it replaces, so that no process undoes another's. */
export interface Credentials {
  get(key: string): Promise<{ readonly version: number; readonly body: Json } | null>;
  /** Writes version `before + 1`; `before` is 0 for a new key. Returns false when the stored version is another one. */
  replace(key: string, before: number, body: Json): Promise<boolean>;
}

/** Credentials in the table of that name. */
export function createCredentials(db: Kysely<Tables>): Credentials {
  return {
    async get(key) {
      const row = await db
        .selectFrom("credentials")
        .select(["version", "body"])
        .where("key", "=", key)
        .executeTakeFirst();
      return row === undefined ? null : { version: row.version, body: JSON.parse(row.body) as Json };
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
