import type { FleetLedger } from "@toolmount/core";
import type { Pool } from "pg";
import { createPool } from "../postgres.ts";
import type { PostgresOptions } from "../store-shapes.ts";
import { callRows } from "./call-rows.ts";
import { endRows } from "./end-rows.ts";
import { memberRows } from "./member-rows.ts";
import { messageRows } from "./message-rows.ts";
import type { Query } from "./query.ts";
import { createLedgerTables } from "./table.ts";
import { watchLedger } from "./watch.ts";

/** Opens the ledger of a fleet in Postgres, and creates its tables. The clock of the database gives all times. */
export async function openLedger(
  url: string,
  options: Pick<PostgresOptions, "connections"> = {},
): Promise<FleetLedger> {
  const pool = await createPool(url, options);
  try {
    await createLedgerTables(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return createLedger(pool, url);
}

/** Creates the ledger. Each statement has a name, so that a connection parses it only once. */
function createLedger(pool: Pool, url: string): FleetLedger {
  const names = new Map<string, string>();
  const query: Query = async <Row>(text: string, values: readonly unknown[]) => {
    const name = names.get(text) ?? `toolmount_fleet_${names.size}`;
    names.set(text, name);
    return (await pool.query({ name, text, values: [...values] })).rows as Row[];
  };
  return {
    ...callRows(query),
    ...endRows(query),
    ...messageRows(query),
    ...memberRows(query),
    watch: (name, listener) => watchLedger(url, name, listener),
    close: () => pool.end(),
  };
}
