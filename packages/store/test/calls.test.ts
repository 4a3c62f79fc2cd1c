import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, type AuditRecord, type PastCallFilter } from "@toolmount/core";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../src/index.ts";

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-calls-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "state.db");
}

async function open(file: string) {
  const store = await openStore(`sqlite:${file}`, { audit: "durable" });
  onTestFinished(() => store.close());
  return store.audit!;
}

const record = (sequence: number, entry: AuditRecord["entry"], writer = "w"): AuditRecord => ({
  writer,
  sequence,
  previous: "",
  hash: `${writer}${sequence}`,
  entry,
});

test("a call whose process ended in the middle is listed as unknown, and its end is its end again", async () => {
  const file = await newFile();
  const audit = await open(file);
  await audit.append([record(1, { kind: "start", at: 1, runId: "r", tool: "pay", callId: "c" })]);
  const list = async (filter: Omit<PastCallFilter, "limit"> = {}) =>
    (await audit.calls!({ ...filter, limit: 10 })).calls.map(({ status, code }) => [status, code]);
  expect(await list()).toEqual([["running", null]]);

  // As after a kill: the process does not say any more that the call runs.
  const database = new DatabaseSync(file);
  database.exec("update calls set alive_until = 1");
  database.close();
  expect(await list()).toEqual([["unknown", "OUTCOME_UNKNOWN"]]);
  expect(await list({ status: "unknown" })).toHaveLength(1);
  expect(await list({ status: "running" })).toEqual([]);

  await audit.append([record(2, { kind: "end", at: 9, runId: "r", tool: "pay", status: "ok" })]);
  expect(await list()).toEqual([["ok", null]]);
});

test("the beginning of a word is looked up, so that no search reads every word of the audit", async () => {
  const file = await newFile();
  const audit = await open(file);
  const end = { kind: "end", tool: "pay", status: "ok" } as const;
  const words = Array.from({ length: 300 }, (_, at) => `word${at}`).join(" ");
  await audit.append([record(1, { ...end, at: 1, runId: "r", arguments: { words } })]);
  const database = new DatabaseSync(file, { readOnly: true });
  onTestFinished(() => database.close());
  // The table of the index has one row for each word and each beginning of up to six letters: their blocks are few.
  const { sql } = database.prepare("select sql from sqlite_master where name = 'call_words'").get() as {
    sql: string;
  };

  expect(sql).toContain("prefix='1 2 3 4 5 6'");
  for (const text of ["w*", "word*", "word29*", "word299*"])
    expect((await audit.calls!({ text, limit: 10 })).calls).toHaveLength(1);
  await expect(audit.calls!({ text: "a* b* c*", limit: 10 })).rejects.toMatchObject({
    code: "OPTION_INVALID",
  });
});

test("what was only rehearsed, and what undid a call, is listed as that", async () => {
  const audit = await open(await newFile());
  const start = { kind: "start", at: 1, tool: "pay" } as const;
  await audit.append([
    record(1, { ...start, runId: "a" }),
    record(2, { ...start, runId: "b", rehearsalId: "x" }),
    record(3, { ...start, runId: "c", undoOf: "a" }),
    record(4, { kind: "end", at: 2, runId: "b", tool: "pay", status: "ok", rehearsalId: "x" }),
  ]);

  const { calls } = await audit.calls!({ limit: 9 });
  expect(Object.fromEntries(calls.map(({ runId, kind }) => [runId, kind]))).toEqual({
    a: "call",
    b: "rehearsal",
    c: "undo",
  });
});

test("old records take their calls and words with them", async () => {
  const audit = await open(await newFile());
  const end = { kind: "end", tool: "pay", status: "ok", arguments: { to: "acme" } } as const;
  await audit.append([
    record(1, { ...end, at: 1, runId: "old" }),
    record(2, { ...end, at: 2, runId: "older" }),
  ]);
  await audit.append([record(1, { ...end, at: 100, runId: "new" }, "v")]);
  expect(await audit.prune!(50)).toBe(2);

  for (const text of [undefined, "acme"])
    expect((await audit.calls!({ text, limit: 10 })).calls.map(({ runId }) => runId)).toEqual(["new"]);
  expect(await audit.prune!(500)).toBe(1);
  await audit.append([record(1, { ...end, at: 600, runId: "again" }, "u")]);
  expect((await audit.calls!({ text: "acme", limit: 10 })).calls.map(({ runId }) => runId)).toEqual([
    "again",
  ]);
});

const words = fc.array(fc.constantFrom("tea", "Tea", "o-104", "東京", "naïve", "x_y", "10%", "'quoted'"), {
  maxLength: 4,
});

const entries = fc.array(
  fc.record({
    run: fc.constantFrom("a", "b", "c", "d"),
    kind: fc.constantFrom("start", "pending", "decision", "end"),
    at: fc.integer({ min: 1, max: 5 }),
    status: fc.constantFrom("ok", "failed"),
    code: fc.option(fc.constantFrom("TOOL_FAILED", "DENIED"), { nil: undefined }),
    given: fc.option(words, { nil: undefined }),
    result: fc.option(words, { nil: undefined }),
  }),
  { maxLength: 12 },
);

const filters = fc.record(
  {
    tool: fc.constantFrom("tool of a", "tool of b"),
    status: fc.constantFrom("ok", "failed", "waiting", "decided"),
    code: fc.constantFrom("TOOL_FAILED", "DENIED"),
    since: fc.integer({ min: 1, max: 5 }),
    until: fc.integer({ min: 1, max: 6 }),
    runIds: fc.constantFrom(["a", "c"], []),
  },
  { requiredKeys: [] },
);

test("the calls of SQLite are those of the records in memory, for every filter and page", async () => {
  const audit = await open(await newFile());
  let world = 0;
  await fc.assert(
    fc.asyncProperty(entries, filters, fc.integer({ min: 1, max: 3 }), async (drawn, filter, limit) => {
      const mark = `${++world}`;
      const memory = createMemoryStore({ audit: "durable" }).audit!;
      const records = drawn.map(({ run, at, given, result, ...same }, index) =>
        record(
          index + 1,
          {
            ...same,
            at: world * 10 + at,
            runId: `${mark} ${run}`,
            tool: `tool of ${run}`,
            sessionId: mark,
            ...(given !== undefined && { arguments: { given } }),
            ...(result !== undefined && { result: result.join(" ") }),
          },
          mark,
        ),
      );
      const half = Math.floor(records.length / 2);
      for (const part of [records.slice(0, half), records.slice(half)]) {
        await memory.append(part);
        await audit.append(part);
      }
      const wanted: PastCallFilter = {
        ...filter,
        ...(filter.since !== undefined && { since: world * 10 + filter.since }),
        ...(filter.until !== undefined && { until: world * 10 + filter.until }),
        ...(filter.runIds !== undefined && { runIds: filter.runIds.map((run) => `${mark} ${run}`) }),
        sessionId: mark,
        limit,
      };
      expect(await audit.calls!(wanted)).toEqual(await memory.calls!(wanted));
      const [first] = (await memory.calls!(wanted)).calls;
      const next = { ...wanted, after: first };
      expect(await audit.calls!(next)).toEqual(await memory.calls!(next));
    }),
  );
});

test("a search in SQLite finds what it finds in memory", async () => {
  const audit = await open(await newFile());
  let world = 0;
  const sought = fc.constantFrom(
    "tea",
    "TEA o",
    "104",
    "東",
    "naïve",
    "nai*",
    "t*",
    "x_y",
    "x*",
    "10",
    "quoted tea",
    "no",
  );
  await fc.assert(
    fc.asyncProperty(entries, sought, async (drawn, text) => {
      const mark = `${++world}`;
      const memory = createMemoryStore({ audit: "durable" }).audit!;
      // A search does not find calls that run.
      const settled = drawn.filter(({ kind }) => kind === "end");
      const records = settled.map(({ run, at, given, result, ...same }, index) =>
        record(
          index + 1,
          {
            ...same,
            at,
            runId: `${mark} ${run} ${index}`,
            tool: "t",
            sessionId: mark,
            arguments: { given: given ?? [] },
            result: (result ?? []).join(" "),
          },
          mark,
        ),
      );
      await memory.append(records);
      await audit.append(records);
      const runs = async (sink: typeof audit) =>
        (await sink.calls!({ text, sessionId: mark, limit: 100 })).calls.map(({ runId }) => runId).toSorted();
      expect(await runs(audit)).toEqual(await runs(memory));
    }),
  );
});
