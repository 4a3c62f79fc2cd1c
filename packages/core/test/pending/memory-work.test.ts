import { expect, test } from "vitest";
import type { WorkFilter, WorkRecord } from "../../src/index.ts";
import { createMemoryWork } from "../../src/pending/memory-work.ts";

const record = (id: string, more: Partial<WorkRecord> = {}): WorkRecord => ({
  kind: "turn",
  id,
  version: 1,
  scope: "a",
  status: "working",
  sessionId: null,
  userId: null,
  at: 10,
  dueAt: null,
  body: {},
  ...more,
});

async function filled() {
  const store = createMemoryWork();
  for (const one of [
    record("1"),
    record("2", { at: 20, sessionId: "s", dueAt: 5 }),
    record("3", { at: 20, userId: "u", status: "ended" }),
    record("4", { at: 30, scope: "b", dueAt: 7 }),
    record("5", { kind: "task", at: 40 }),
  ])
    expect(await store.save(one)).toBe(true);
  return store;
}

test.each<[Partial<WorkFilter>, string]>([
  [{}, "4321"],
  [{ kind: "task" }, "5"],
  [{ kind: "none" }, ""],
  [{ scope: "a" }, "321"],
  [{ statuses: ["ended"] }, "3"],
  [{ statuses: ["ended", "working"] }, "4321"],
  [{ statuses: [] }, ""],
  [{ sessionId: "s" }, "2"],
  [{ userId: "u" }, "3"],
  [{ dueBy: 4 }, ""],
  [{ dueBy: 5 }, "2"],
  [{ dueBy: 7 }, "42"],
  [{ limit: 2 }, "43"],
  [{ limit: 0 }, ""],
  [{ after: { at: 30, id: "4" } }, "321"],
  [{ after: { at: 20, id: "3" } }, "21"],
  [{ after: { at: 20, id: "2" } }, "1"],
  [{ after: { at: 10, id: "1" } }, ""],
  [{ after: { at: 25, id: "9" } }, "321"],
])("work that is listed by %j, the newest first", async (filter, ids) => {
  const store = await filled();

  expect((await store.list({ kind: "turn", ...filter })).map(({ id }) => id).join("")).toBe(ids);
});

test("a list has a hundred records where its caller sets no limit", async () => {
  const store = createMemoryWork();
  for (let id = 0; id < 102; id++) await store.save(record(String(id)));

  expect(await store.list({ kind: "turn" })).toHaveLength(100);
});

test("a record is saved as the version after the stored one, and kept as a copy", async () => {
  const store = createMemoryWork();
  const first = record("1", { body: { a: 1 } });

  expect(await store.save(record("1", { version: 2 }))).toBe(false);
  expect(await store.save(first)).toBe(true);
  expect(await store.save(first)).toBe(false);
  expect(await store.save(record("1", { version: 3 }))).toBe(false);
  expect(await store.save(record("1", { version: 2, status: "ended" }))).toBe(true);
  expect(await store.get("turn", "1")).toEqual(record("1", { version: 2, status: "ended" }));
  expect(Object.isFrozen(await store.get("turn", "1"))).toBe(true);
  expect([await store.get("task", "1"), await store.get("turn", "2")]).toEqual([null, null]);
});

test("work of a kind and of some statuses is removed, if it is older than a time", async () => {
  const store = await filled();

  expect(await store.remove("turn", ["working"], 20)).toBe(1);
  expect(await store.remove("turn", ["working"], 21)).toBe(1);
  expect(await store.remove("task", ["ended"], 100)).toBe(0);
  expect((await store.list({ kind: "turn" })).map(({ id }) => id)).toEqual(["4", "3"]);
  expect(await store.get("task", "5")).not.toBeNull();
});
