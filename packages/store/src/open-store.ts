import { messageOf } from "@toolmount/core/errors";
import { isAbsolute, resolve } from "node:path";
import { isUnreachable } from "@toolmount/core/internal";
import { ToolmountError, type AuditSink, type StateStore, type WorkStore } from "@toolmount/core";
import { Kysely } from "kysely";
import { createApprovals } from "./approvals.ts";
import { createAudit } from "./audit.ts";
import { postgresWords, sqliteWords } from "./call-words.ts";
import { postgresRunning, pruneCounters, sqliteRunning } from "./counters.ts";
import { createCredentials } from "./credentials.ts";
import { migrate } from "./migrations.ts";
import { createPostgresDialect } from "./postgres.ts";
import { prune, pruneApprovals } from "./prune.ts";
import { Reads } from "./reads/reads.ts";
import { createSessions } from "./sessions.ts";
import { NodeSqliteDialect } from "./sqlite.ts";
import { createWork } from "./work.ts";
import type { Credentials, PostgresOptions, Pruned } from "./store-shapes.ts";
import type { Tables } from "./tables.ts";

/** Options of {@link openStore}. The inherited ones are for Postgres. */
export interface StoreOptions extends PostgresOptions {
  /** The absolute folder from which a relative path of `sqlite:` starts. */
  readonly folder?: string | undefined;
  /** The mode of the audit. If absent, no audit is stored. */
  readonly audit?: AuditSink["mode"] | undefined;
  /** Whether the audit contains the results of calls; default true. */
  readonly auditResults?: boolean | undefined;
}

/** An open store. */
export interface OpenStore extends StateStore {
  /**
   * Deletes what ended before a time, in milliseconds since the epoch: ended approvals, sessions and counters without a
   * change since then, and the audit of hosts that wrote nothing since then. A chain of the audit is only deleted as a whole, so
   * that the rest can still be checked. Resolves to the numbers of deleted records.
   */
  prune(before: number): Promise<Pruned>;
  /** Deletes only ended approvals that were asked before a time. Resolves to the number of deleted approvals. */
  pruneApprovals(before: number): Promise<number>;
  /**
   * Deletes only counters, such as those of budgets, that were not changed since a time; with `prefix`, only those whose keys
   * begin with it. Resolves to the number of deleted counters.
   */
  pruneCounters(before: number, prefix?: string): Promise<number>;
  readonly work: WorkStore;
  /** Credentials of MCP servers that a person has signed in to. */
  readonly credentials: Credentials;
  close(): Promise<void>;
}

/**
 * Opens a store: `sqlite:./state.db` or `postgres://user:password@host/database`. Creates or updates its tables. Rejects
 * with `STATE_UNAVAILABLE`; the error hides the password.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<OpenStore> {
  const isPostgres = /^postgres(ql)?:\/\//.test(url);
  let db: Kysely<Tables> | undefined;
  let file: string | null = null;
  try {
    if (!isPostgres) file = sqliteFile(url, options);
    const dialect =
      file === null ? await createPostgresDialect(url, options) : await NodeSqliteDialect.open(file);
    db = new Kysely<Tables>({ dialect });
    await migrate(db, isPostgres);
  } catch (cause) {
    await db?.destroy().catch(() => undefined);
    throw unavailable(url, cause);
  }
  const opened = db;
  const reads = new Reads(opened, file === ":memory:" ? null : file);
  const words = isPostgres ? postgresWords : sqliteWords;
  const audit =
    options.audit === undefined
      ? undefined
      : createAudit(opened, reads, words, { mode: options.audit, keepsResults: options.auditResults });
  return {
    approvals: createApprovals(opened),
    sessions: createSessions(opened),
    work: createWork(opened, isPostgres ? postgresRunning : sqliteRunning),
    ...(audit !== undefined && { audit }),
    credentials: createCredentials(opened),
    prune: (before) => prune(opened, words, before),
    pruneApprovals: (before) => pruneApprovals(opened, before),
    pruneCounters: (before, prefix) => pruneCounters(opened, before, prefix),
    close: async () => {
      audit?.stop();
      await reads.close();
      await opened.destroy();
    },
  };
}

/** Returns the file of an address. A relative path starts at `folder` of the options. */
export function sqliteFile(url: string, { folder }: StoreOptions): string {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new Error("it begins with sqlite: or postgres://");
  if (path === ":memory:" || isAbsolute(path)) return path;
  if (folder === undefined)
    throw new Error("a relative path needs a folder to begin at: pass the option folder");
  return resolve(folder, path);
}

/** Makes the error for a store that cannot be opened. */
export function unavailable(url: string, cause: unknown): ToolmountError {
  const details = { where: withoutPassword(url), problem: messageOf(cause), away: isUnreachable(cause) };
  return new ToolmountError("STATE_UNAVAILABLE", details, { cause });
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//…@").slice(0, 300);
}
