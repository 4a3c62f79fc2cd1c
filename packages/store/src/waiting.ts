import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "@toolmount/core";
import { sqliteFile } from "./open-store.ts";

/**
 * Counts the calls that wait for an answer in a SQLite store, and changes nothing: it creates no file, updates no table and ends
 * no call. Returns 0 if the file does not exist, and null for a store of another kind, or a file that is not a store.
 */
export function countWaiting(url: string, folder: string): number | null {
  if (!url.startsWith("sqlite:")) return url === "memory" ? 0 : null;
  const file = sqliteFile(url, { folder });
  if (!existsSync(file)) return 0;
  const address = pathToFileURL(file);
  // If there is no log next to the file, no process writes the file, and a normal read would make SQLite create a log.
  if (!existsSync(`${file}-wal`)) address.searchParams.set("immutable", "1");
  try {
    return readWaiting(address);
  } catch {
    return null;
  }
}

function readWaiting(address: URL): number {
  const database = new DatabaseSync(address, { readOnly: true });
  try {
    const row = database
      .prepare(
        "select count(*) as waiting from approvals where state = 'pending' and (due_at is null or due_at > ?)",
      )
      .get(systemClock.now());
    return Number(row?.["waiting"] ?? 0);
  } finally {
    database.close();
  }
}
