import {
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from "kysely";
import type { Tables } from "../tables.ts";
import { Reader } from "./reader.ts";

/** Maximum number of calls that are read in the thread of the host, which takes some ten milliseconds. */
const mostHere = 5_000;

/**
 * Chooses the connection for reads that may look at every call. SQLite blocks the thread that reads, so a large file is read in
 * a separate thread. Postgres and a file in memory are read with the connection that writes.
 */
export class Reads {
  readonly #db: Kysely<Tables>;
  readonly #far: Kysely<Tables> | null;

  constructor(db: Kysely<Tables>, file: string | null) {
    this.#db = db;
    this.#far = file === null ? null : new Kysely<Tables>({ dialect: threadDialect(new Reader(file)) });
  }

  async db(): Promise<Kysely<Tables>> {
    return this.#far !== null && (await this.#isLarge()) ? this.#far : this.#db;
  }

  async close(): Promise<void> {
    await this.#far?.destroy();
  }

  async #isLarge(): Promise<boolean> {
    const last = await this.#db
      .selectFrom("calls")
      .select("sequence")
      .orderBy("sequence", "desc")
      .limit(1)
      .executeTakeFirst();
    return Number(last?.sequence ?? 0) > mostHere;
  }
}

function threadDialect(reader: Reader): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ThreadDriver(reader),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Sends statements to the thread. The thread only reads, so it has no transactions. */
class ThreadDriver implements Driver {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async ({ sql, parameters }) => ({
        rows: (await this.#reader.read({ sql, parameters })) as never,
      }),
      // oxlint-disable-next-line require-yield -- no read of the store is a stream
      async *streamQuery() {
        throw new Error("reads of the store are whole");
      },
    };
  }

  beginTransaction = refuse;
  commitTransaction = refuse;
  rollbackTransaction = refuse;

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#reader.close();
  }
}

async function refuse(): Promise<never> {
  throw new Error("the thread that reads the store writes nothing");
}
