import { systemClock, type AuditRecord, type AuditSink, type Timer } from "@toolmount/core";
import type { ExpressionBuilder, Kysely } from "kysely";
import type { CallWords } from "./call-words.ts";
import { aliveMs, plainText, storeCalls } from "./calls.ts";
import { listCalls } from "./list-calls.ts";
import { pruneAudit } from "./prune.ts";
import { readRow } from "./read-row.ts";
import type { Reads } from "./reads/reads.ts";
import type { Tables } from "./tables.ts";

/** Maximum number of rows of one insert. Each has six values, and SQLite accepts 32766 values. */
const rowsPerInsert = 1_000;

/** The audit of a store, with a function that stops its timer. */
interface StoredAudit extends AuditSink {
  stop(): void;
}

/** Stores the audit. One commit has all records of an append, the heads of their chains, and the calls that they are about. */
export function createAudit(
  db: Kysely<Tables>,
  reads: Reads,
  words: CallWords,
  options: Pick<AuditSink, "mode" | "keepsResults">,
): StoredAudit {
  const alive = new RunningCalls(db);
  return {
    ...options,
    stop: () => alive.stop(),
    append: async (records) => {
      await db.transaction().execute(async (transaction) => {
        for (let at = 0; at < records.length; at += rowsPerInsert)
          await transaction
            .insertInto("audit")
            .values(records.slice(at, at + rowsPerInsert).map(rowOf))
            .execute();
        for (const { writer, sequence, hash } of lastOfEach(records))
          await transaction
            .insertInto("audit_heads")
            .values({ writer, sequence, hash })
            .onConflict((conflict) => conflict.column("writer").doUpdateSet({ sequence, hash }))
            .execute();
        await storeCalls(transaction, records, words, systemClock.now());
      });
      alive.note(records);
    },
    calls: async (filter) => listCalls(await reads.db(), filter, words, systemClock.now()),
    async read({ runId, runIds, tool, writer, since, last, page } = {}) {
      const order = last === undefined ? "asc" : "desc";
      const from = await reads.db();
      const rows = await from
        .selectFrom("audit")
        .select("body")
        .$if(runId !== undefined, (query) => query.where("run_id", "=", runId!))
        .$if(runIds !== undefined, (query) => query.where("run_id", "in", [...runIds!]))
        .$if(tool !== undefined, (query) => query.where("tool", "=", tool!))
        .$if(writer !== undefined, (query) => query.where("writer", "=", writer!))
        .$if(since !== undefined, (query) => query.where("at", ">=", since!))
        .$if(page?.after !== undefined, (query) => query.where(isAfter(page!.after!)))
        .orderBy("at", order)
        .orderBy("writer", order)
        .orderBy("sequence", order)
        .$if((last ?? page) !== undefined, (query) => query.limit((last ?? page?.size)!))
        .execute();
      return rows.map(({ body }) => readRow(body) as AuditRecord);
    },
    heads: () => db.selectFrom("audit_heads").select(["writer", "sequence", "hash"]).execute(),
    prune: (before) => db.transaction().execute((transaction) => pruneAudit(transaction, words, before)),
  };
}

function isAfter({ writer, sequence, entry: { at } }: AuditRecord) {
  return (row: ExpressionBuilder<Tables, "audit">) =>
    row.and([
      row("at", ">=", at), // the index is only by time
      row.or([
        row("at", ">", at),
        row("writer", ">", writer),
        row.and([row("writer", "=", writer), row("sequence", ">", sequence)]),
      ]),
    ]);
}

function rowOf(record: AuditRecord): Tables["audit"] {
  const { writer, sequence, entry } = record;
  return {
    writer,
    sequence,
    at: entry.at,
    run_id: plainText(entry.runId),
    tool: plainText(entry.tool),
    body: JSON.stringify(record),
  };
}

function lastOfEach(records: readonly AuditRecord[]): readonly AuditRecord[] {
  return [...new Map(records.map((record) => [record.writer, record])).values()];
}

/** Reports regularly that this process still runs the calls whose start it stored. Without reports, lists show them as lost. */
class RunningCalls {
  readonly #db: Kysely<Tables>;
  readonly #runIds = new Set<string>();
  #timer: Timer | null = null;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  note(records: readonly AuditRecord[]): void {
    for (const { entry } of records) {
      if (entry.kind === "start") this.#runIds.add(plainText(entry.runId));
      else this.#runIds.delete(plainText(entry.runId));
    }
    if (this.#runIds.size === 0) this.stop();
    else if (this.#timer === null) this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #schedule(): void {
    const timer = systemClock.setTimer(() => {
      // If the store cannot be reached, it is tried again later. Until then the calls may be listed as lost.
      void this.#renew()
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer === timer) this.#schedule();
        });
    }, aliveMs / 3);
    timer.keepAlive(false);
    this.#timer = timer;
  }

  async #renew(): Promise<void> {
    const runIds = [...this.#runIds];
    for (let at = 0; at < runIds.length; at += 1_000)
      await this.#db
        .updateTable("calls")
        .set({ alive_until: systemClock.now() + aliveMs })
        .where("run_id", "in", runIds.slice(at, at + 1_000))
        .where("status", "=", "running")
        .execute();
  }
}
