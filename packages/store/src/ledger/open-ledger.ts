import type { FleetLedger } from "@toolmount/core";
import type { Pool } from "pg";
import { callRows } from "./call-rows.ts";
import { endRows } from "./end-rows.ts";
import { memberRows } from "./member-rows.ts";
import { messageRows } from "./message-rows.ts";
import type { Query } from "./query.ts";
import { createLedgerTables } from "./table.ts";
import { watchLedger } from "./watch.ts";

/** Opens the ledger of a fleet in Postgres, and creates its tables. Times are those of the database. */
export async function openLedger(
  url: string,
  { connections = 4 }: { readonly connections?: number | undefined } = {},
): Promise<FleetLedger> {
  const { Pool: PostgresPool } = await import("pg");
  const pool = new PostgresPool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  });
  // Without a listener, an error of an idle client ends the process; the next query gets another client.
  pool.on("error", () => undefined);
  try {
    await createLedgerTables(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return createLedger(pool, url);
}

function createLedger(pool: Pool, url: string): FleetLedger {
  const query: Query = async <Row>(sql: string, values: readonly unknown[]) =>
    (await pool.query(sql, [...values])).rows as Row[];
  return {
    ...callRows(query),
    ...endRows(query),
    ...messageRows(query),
    ...memberRows(query),
    watch: (name, listener) => watchLedger(url, name, listener),
    close: () => pool.end(),
  };
}
