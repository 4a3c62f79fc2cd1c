import { messageOf } from "@toolmount/core/errors";
import { isAbsolute, resolve } from "node:path";
import { ToolmountError, type AuditSink, type StateStore } from "@toolmount/core";
import { Kysely, PostgresDialect, type Dialect } from "kysely";
import { createApprovals } from "./approvals.ts";
import { createAudit } from "./audit.ts";
import { migrate } from "./migrations.ts";
import { createSessions } from "./sessions.ts";
import { NodeSqliteDialect } from "./sqlite.ts";
import type { Tables } from "./tables.ts";

export interface StoreOptions {
  /** Where a relative path of `sqlite:` begins; absolute. */
  readonly folder?: string | undefined;
  /** Keeps an audit too. */
  readonly audit?: AuditSink["mode"] | undefined;
  /** Connections to Postgres. Default 4. */
  readonly connections?: number | undefined;
}

/** A store that is open until it is closed. */
export interface OpenStore extends StateStore {
  close(): Promise<void>;
}

/**
 * Opens a store: `sqlite:./state.db` or `postgres://user:password@host/database`. Tables are made, or brought up to
 * date. Rejects with `STATE_UNAVAILABLE`, in which no password is told.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<OpenStore> {
  const isPostgres = /^postgres(ql)?:\/\//.test(url);
  let db: Kysely<Tables> | undefined;
  try {
    db = new Kysely<Tables>({ dialect: isPostgres ? await postgres(url, options) : sqlite(url, options) });
    await migrate(db, isPostgres);
  } catch (cause) {
    await db?.destroy().catch(() => undefined);
    throw unavailable(url, cause);
  }
  const opened = db;
  return {
    approvals: createApprovals(opened),
    sessions: createSessions(opened),
    ...(options.audit === undefined ? {} : { audit: createAudit(opened, options.audit) }),
    close: () => opened.destroy(),
  };
}

function sqlite(url: string, { folder }: StoreOptions): Dialect {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new Error("it begins with sqlite: or postgres://");
  if (path === ":memory:" || isAbsolute(path)) return new NodeSqliteDialect(path);
  if (folder === undefined) throw new Error("a relative path needs a folder to begin at");
  return new NodeSqliteDialect(resolve(folder, path));
}

/** Postgres' number of its type bigint. */
const bigint = 20;

async function postgres(url: string, { connections = 4 }: StoreOptions): Promise<Dialect> {
  const { Pool, types } = await import("pg");
  const parserOf = types.getTypeParser as (type: number, format?: string) => (text: string) => unknown;
  // Times are bigint, and far below the numbers that a double cannot hold.
  const getTypeParser = (type: number, format?: string) =>
    type === bigint ? Number : parserOf(type, format);
  const pool = new Pool({
    connectionString: url,
    max: connections,
    types: { getTypeParser },
  });
  // A connection that breaks while idle is replaced at the next query, which tells.
  pool.on("error", () => undefined);
  return new PostgresDialect({ pool });
}

function unavailable(url: string, cause: unknown): ToolmountError {
  const problem = messageOf(cause);
  return new ToolmountError("STATE_UNAVAILABLE", { where: withoutPassword(url), problem }, { cause });
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//…@").slice(0, 300);
}
