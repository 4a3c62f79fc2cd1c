import { chmodSync } from "node:fs";
import { channel } from "node:diagnostics_channel";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { makeFolder } from "@toolmount/paths";
import {
  CompiledQuery,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  type SqliteStatement,
} from "kysely";

/** A dialect for Node's own SQLite. Only this user can read the file, and a commit is on disk when it returns. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  private constructor(file: DatabaseSync) {
    const database = adapt(file);
    super({ database });
    this.#database = database;
  }

  /** Opens a file, or creates it. Waits while another process creates it. */
  static async open(file: string): Promise<NodeSqliteDialect> {
    return new NodeSqliteDialect(await whenFree(async () => openFile(file)));
  }

  override createDriver(): Driver {
    return new ImmediateDriver({ database: this.#database });
  }
}

/**
 * Waits for other writers without blocking the thread, because the writer may run in the same thread.
 *
 * Transactions begin as writers: a transaction that reads first would fail if another process writes before it does.
 */
class ImmediateDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    return {
      executeQuery: (query) => whenFree(() => connection.executeQuery(query)),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

/** Maximum number of tries of a write while another writer is active, about 10 ms apart. */
const maxTries = 1_000;

async function whenFree<Value>(act: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      const { errcode = 0 } = error as { readonly errcode?: number };
      if ((errcode & primary) !== busy || tries === maxTries) throw error;
      await setTimeout(5 + (tries % 10));
    }
  }
}

/** SQLITE_BUSY, and the mask for a code without its subkind, such as busy by a recovery. Source: SQLite's result codes. */
const busy = 5;
const primary = 0xff;

function openFile(file: string): DatabaseSync {
  if (file !== ":memory:") makeFolder(dirname(file), 0o700);
  const database = new DatabaseSync(file);
  try {
    if (file !== ":memory:") chmodSync(file, 0o600);
    database.exec("pragma busy_timeout = 1; pragma journal_mode = wal; pragma synchronous = full;");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Maximum number of prepared statements that are kept. A store has some dozens, and lists of values make more. */
const maxStatements = 200;

/** Adapts Node's database. Statements are prepared once and kept, because preparing takes longer than running many of them. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const known = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      const found = known.get(sql) ?? prepare(database, sql);
      known.delete(sql);
      known.set(sql, found);
      const [oldest] = known.keys();
      if (known.size > maxStatements) known.delete(oldest!);
      return found;
    },
  };
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql);
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => onDisk(() => statement.all(...values(parameters))),
    run: (parameters) => onDisk(() => statement.run(...values(parameters))),
    // Rows that are read one by one need their own statement, which nothing else uses meanwhile.
    iterate: (parameters) => database.prepare(sql).iterate(...values(parameters)),
  };
}

/** Publishes `true` when the thread begins to wait for the disk, and `false` afterwards. The command's watchdog listens. */
const disk = channel("toolmount:disk");

/** Runs a statement. It blocks the thread until the disk has answered, which takes long on a stalled disk. */
function onDisk<Value>(act: () => Value): Value {
  disk.publish(true);
  try {
    return act();
  } finally {
    disk.publish(false);
  }
}
