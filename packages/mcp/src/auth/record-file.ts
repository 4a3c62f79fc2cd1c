import { chmodSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Json } from "@toolmount/core";
import { makeFolder } from "@toolmount/paths";
import type { CredentialStore } from "./credentials.ts";

/** Longest wait for another process that writes to the file, in milliseconds. */
const busyMs = 10_000;

/** Stores records in a file that only this user can read. The first write creates it; each access opens it again. */
export function createRecordFile(file: string): CredentialStore {
  return {
    async get(key) {
      if (!existsSync(file)) return null;
      return withDatabase(file, (database) => {
        const row = database.prepare("select version, body from records where key = ?").get(key);
        if (row === undefined) return null;
        return { version: Number(row["version"]), body: JSON.parse(String(row["body"])) as Json };
      });
    },
    replace: (key, before, body) =>
      withDatabase(file, (database) => {
        const text = JSON.stringify(body);
        const { changes } =
          before === 0
            ? database.prepare("insert or ignore into records values (?, 1, ?)").run(key, text)
            : database
                .prepare("update records set version = version + 1, body = ? where key = ? and version = ?")
                .run(text, key, before);
        return Number(changes) === 1;
      }),
  };
}

async function withDatabase<Value>(file: string, work: (database: DatabaseSync) => Value): Promise<Value> {
  const sqlite = await import("node:sqlite");
  makeFolder(dirname(file), 0o700);
  const database = new sqlite.DatabaseSync(file, { timeout: busyMs });
  try {
    chmodSync(file, 0o600);
    database.exec(
      "create table if not exists records (key text primary key, version integer not null, body text not null)",
    );
    return work(database);
  } finally {
    database.close();
  }
}
