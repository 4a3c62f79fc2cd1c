import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { AuditRecord, PastCallFilter } from "@toolmount/core";
import { Kysely } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { sqliteWords } from "../src/call-words.ts";
import { openStore } from "../src/index.ts";
import { listCalls } from "../src/list-calls.ts";
import { Reader } from "../src/reads/reader.ts";
import { NodeSqliteDialect } from "../src/sqlite.ts";
import type { Tables } from "../src/tables.ts";

/** A file in a folder that is gone after the test. */
async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reads-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "state.db");
}

/** The records of one call, which paid a number. */
function recordsOf(number: number): readonly AuditRecord[] {
  const facts = {
    runId: `r-${number}`,
    callId: `c-${number}`,
    tool: number % 2 === 0 ? "pay" : "tell",
    sessionId: `s-${number % 7}`,
  };
  const entry = (more: object) => ({ ...facts, ...more }) as unknown as AuditRecord["entry"];
  const of = (sequence: number, more: object): AuditRecord => ({
    writer: "w",
    sequence,
    previous: "",
    hash: `${sequence}`,
    entry: entry(more),
  });
  return [
    of(2 * number, { kind: "start", at: number, arguments: { to: `acme ${number}` } }),
    of(2 * number + 1, { kind: "end", at: number, status: "ok", durationMs: 1 }),
  ];
}

/** A store with so many calls that its lists are read in a thread. */
async function largeStore() {
  const file = await newFile();
  const store = await openStore(`sqlite:${file}`, { audit: "durable" });
  onTestFinished(() => store.close());
  for (let at = 0; at < 5_200; at += 400)
    await store.audit!.append(Array.from({ length: 400 }, (_, more) => recordsOf(at + more)).flat());
  const db = new Kysely<Tables>({ dialect: await NodeSqliteDialect.open(file) });
  onTestFinished(() => db.destroy());
  return { file, store, db };
}

const filters: readonly PastCallFilter[] = [
  { limit: 3 },
  { limit: 3, tool: "pay", sessionId: "s-3" },
  { limit: 3, text: "acme 51*" },
  { limit: 3, text: "acme", after: { startedAt: 100, runId: "r-100" } },
  { limit: 3, status: "nothing" },
  { limit: 3, since: 10, until: 12 },
];

test("a list of a large file says what a read of the host's own connection says, and sees what was just written", async () => {
  const { store, db } = await largeStore();
  for (const filter of filters)
    expect(await store.audit!.calls!(filter), JSON.stringify(filter)).toEqual(
      await listCalls(db, filter, sqliteWords, Date.now()),
    );

  await store.audit!.append(recordsOf(9_000));
  const { calls } = await store.audit!.calls!({ limit: 1 });
  expect(calls).toMatchObject([{ runId: "r-9000" }]);
  expect(await store.audit!.read({ runId: "r-9000" })).toHaveLength(2);
});

test("the thread of the host keeps running while a list is read", async () => {
  const { store } = await largeStore();
  const seen: string[] = [];
  const reading = store.audit!.calls!({ limit: 10, status: "nothing" }).then(() => seen.push("list"));
  while (seen.length < 1_000 && !seen.includes("list")) {
    await setImmediate();
    seen.push("turn");
  }
  await reading;
  expect(seen.indexOf("list")).toBeGreaterThan(1);
});

const long =
  "with recursive n(x) as (select 1 union all select x + 1 from n limit 4000000) select max(x) as most from n";

test("a read that takes too long is answered, and the next one too", async () => {
  const { file } = await largeStore();
  const reader = new Reader(file, 1);
  const patient = new Reader(file);

  await expect(reader.read({ sql: long, parameters: [] })).rejects.toMatchObject({ code: "READ_TOO_LONG" });
  expect(await patient.read({ sql: "select 1 as one", parameters: [] })).toEqual([{ one: 1 }]);
  for (const one of [reader, patient]) one.close();
});

test("a read that SQLite refuses rejects with its words, and a thread that ends has the next read in another one", async () => {
  const { file } = await largeStore();
  const reader = new Reader(file);
  await expect(reader.read({ sql: "select no from calls", parameters: [] })).rejects.toThrow(
    "no such column: no",
  );
  await expect(reader.read({ sql: "delete from calls", parameters: [] })).rejects.toThrow("readonly");
  expect(await reader.read({ sql: "select count(*) as calls from calls", parameters: [] })).toEqual([
    { calls: 5_200 },
  ]);
  reader.close();
});
