// Reads a SQLite file for another thread, with its own connection, so that reading many rows does not block the host.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** A read: a statement with its parameters. */
export interface Read {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The result of a read. */
export type ReadAnswer = { readonly id: number } & (
  | { readonly rows: readonly object[] }
  | { readonly error: { readonly message: string; readonly errcode?: number | undefined } }
);

const database = new DatabaseSync(workerData as string, { timeout: 10_000 });
database.exec("pragma query_only = 1");

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
parentPort!.on("message", (read: Read) => parentPort!.postMessage(answerTo(read)));

function answerTo({ id, sql, parameters }: Read): ReadAnswer {
  try {
    return { id, rows: database.prepare(sql).all(...(parameters as readonly SQLInputValue[])) };
  } catch (error) {
    const { message, errcode } = error as Error & { readonly errcode?: number };
    return { id, error: { message, errcode } };
  }
}
