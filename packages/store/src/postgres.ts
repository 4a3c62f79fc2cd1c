import {
  PostgresDialect,
  PostgresQueryCompiler,
  type Dialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PrimitiveValueListNode,
} from "kysely";
import type { DatabaseError, Pool, PoolClient, PoolConfig } from "pg";
import type { PostgresOptions } from "./store-shapes.ts";

/** The object id of the Postgres type bigint. Source: the catalog pg_type. */
const bigint = 20;

/** Milliseconds without traffic after which TCP checks whether the server is still there. */
const keepAliveMs = 10_000;

/**
 * Creates a pool of connections in which every wait is limited: connecting, a statement (at the server, and here in case the
 * server does not answer), and a transaction that is not continued.
 */
export async function createPool(
  url: string,
  { connections = 4, connectTimeoutMs = 5_000, statementTimeoutMs = 10_000 }: PostgresOptions,
  types?: PoolConfig["types"],
): Promise<Pool> {
  const { Pool: PgPool } = await import("pg");
  const pool = new PgPool({
    connectionString: url,
    max: connections,
    ...(types !== undefined && { types }),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  // Without a listener, an error of a client would end the process. The query that uses the client reports the error; an
  // idle client is replaced.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", () => undefined);
  return pool;
}

/** Creates a dialect that uses a pool of {@link createPool}. */
export async function createPostgresDialect(url: string, options: PostgresOptions): Promise<Dialect> {
  const { DatabaseError, types } = await import("pg");
  const parserOf = types.getTypeParser as (type: number, format?: string) => (text: string) => unknown;
  // Times are of type bigint, and small enough for a double.
  const getTypeParser = (type: number, format?: string) =>
    type === bigint ? Number : parserOf(type, format);
  const pool = await createPool(url, options, { getTypeParser });
  return new OwnDialect({ pool: discardBroken(pool, DatabaseError) });
}

class OwnDialect extends PostgresDialect {
  override createQueryCompiler(): OwnCompiler {
    return new OwnCompiler();
  }
}

/** Writes an empty list after `in` as `(null)`: Postgres, unlike SQLite, allows no empty list, and nothing equals null. */
class OwnCompiler extends PostgresQueryCompiler {
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    if (node.values.length === 0) this.append("(null)");
    else super.visitPrimitiveValueList(node);
  }
}

/** Returns the pool, but closes a client after an error that the server did not report, because its state is then unknown. */
function discardBroken(pool: Pool, ServerError: typeof DatabaseError): PostgresPool {
  return {
    options: pool.options,
    Client: (pool as unknown as PostgresPool).Client,
    connect: async () => guardClient(await pool.connect(), ServerError),
    end: () => pool.end(),
  } as PostgresPool;
}

function guardClient(client: PoolClient, ServerError: typeof DatabaseError): PostgresPoolClient {
  let isBroken = false;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      isBroken ||= !(error instanceof ServerError);
      throw error;
    }
  };
  const release = (discard?: boolean | Error) => client.release(discard || isBroken);
  return { query, release } as unknown as PostgresPoolClient;
}
