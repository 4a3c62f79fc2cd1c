// The public shapes of a store, in a file that imports no library: kysely is carried in this package's own files, and its
// types are not installed with it.
import type { Json } from "@toolmount/core";

/** Options of a store in Postgres. */
export interface PostgresOptions {
  /** Largest number of connections. Default 4. */
  readonly connections?: number | undefined;
  /** Milliseconds to wait for a connection. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds that one statement may take. Default 10000. */
  readonly statementTimeoutMs?: number | undefined;
}

/** How many records were deleted. */
export interface Pruned {
  readonly approvals: number;
  readonly sessions: number;
  readonly auditRecords: number;
  readonly counters: number;
}

/** Stores credentials of servers. A write names the version that it replaces, so that no process undoes another's. */
export interface Credentials {
  get(key: string): Promise<{ readonly version: number; readonly body: Json } | null>;
  /** Writes version `before + 1`; `before` is 0 for a new key. Returns false when the stored version is another one. */
  replace(key: string, before: number, body: Json): Promise<boolean>;
}
