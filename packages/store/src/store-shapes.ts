// The public types of a store, in a file that imports no library: kysely is bundled into this package's files, and its types
// are not installed with it.
import type { Json } from "@toolmount/core";

/** Options of a store in Postgres. */
export interface PostgresOptions {
  /** Maximum number of connections. Default 4. */
  readonly connections?: number | undefined;
  /** Milliseconds to wait for a connection. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds that one statement may take. Default 10000. */
  readonly statementTimeoutMs?: number | undefined;
}

/** Numbers of deleted records. */
export interface Pruned {
  readonly approvals: number;
  readonly sessions: number;
  readonly auditRecords: number;
  readonly counters: number;
}

/** Stores credentials of servers. A write names the version that it replaces, so that no process overwrites another's. */
export interface Credentials {
  get(key: string): Promise<{ readonly version: number; readonly body: Json } | null>;
  /** Writes version `before + 1`; `before` is 0 for a new key. False if the stored version is not `before`. */
  replace(key: string, before: number, body: Json): Promise<boolean>;
}
