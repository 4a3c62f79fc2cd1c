import { createMemoryStore, type StateStore, type WorkStore } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { TaskRecords, type KeptTask } from "../src/tasks/task-record.ts";
import type { TaskEnd } from "../src/tasks/task-state.ts";
import { hostOf } from "./support.ts";

const start = 1_000_000;
const kind = "mcp-task";
const facts = { sessionId: "session", userId: "ana", at: start };
const task: KeptTask = { ttlMs: 60_000, call: { name: "work", arguments: { a: 1 } } };
const end: TaskEnd = { status: "completed", at: start, result: { content: [] } };
const other: TaskEnd = { status: "cancelled", at: start, message: "enough" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: start });
  return () => void vi.useRealTimers();
});

/** What one process knows of the tasks in a store, and what it has stored of a task. */
function processWith(store: StateStore = createMemoryStore(), owner = "ana") {
  const records = new TaskRecords(hostOf([], { store }), owner);
  const made = (kept: KeptTask = task) => records.make("id", facts, kept);
  const stored = () => store.work!.get(kind, digestOf([kind, "id"]));
  const begin = async (kept = task) => {
    const record = made(kept);
    await record.add();
    onTestFinished(() => record.release());
    return record;
  };
  return { store, records, made, begin, stored, find: (user = "ana") => records.find("id", user) };
}

/** A memory store of which a test changes the methods for work. */
function storeWith(change: (work: WorkStore) => Partial<WorkStore>): StateStore {
  const store = createMemoryStore();
  return { ...store, work: { ...store.work!, ...change(store.work!) } };
}

const row = (version: number, status: string, dueAt: number | null) => ({
  kind,
  id: digestOf([kind, "id"]),
  version,
  scope: "ana",
  ...facts,
  status,
  dueAt,
  body: { sealed: expect.any(String) },
});

describe("the row of a task", () => {
  test("says that a process runs it, for 15 seconds at a time", async () => {
    const { begin, made, stored } = processWith();
    expect(made().isOurs).toBe(false);
    const record = await begin();
    expect([record.id, record.isOurs, record.kept]).toEqual(["id", true, task]);
    expect(record.facts).toMatchObject(facts);
    expect(await stored()).toEqual(row(1, "running", start + 15_000));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await stored()).toEqual(row(1, "running", start + 15_000));
    await vi.advanceTimersByTimeAsync(1);
    expect(await stored()).toEqual(row(2, "running", start + 20_000));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stored()).toEqual(row(3, "running", start + 25_000));
    record.release();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await stored()).toEqual(row(3, "running", start + 25_000));
  });

  test("waits without a time when the call has a ticket, and ends with its end", async () => {
    const { begin, stored, find } = processWith();
    const record = await begin();
    expect(await record.change({ ticket: "t", message: "soon" })).toBe(true);
    expect(await stored()).toEqual(row(2, "waiting", null));
    expect((await find())?.kept).toEqual({ ...task, ticket: "t", message: "soon" });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await stored()).toEqual(row(2, "waiting", null));
    expect(await record.end(end)).toBe(end);
    expect(await stored()).toEqual(row(3, "ended", null));
    expect((await find())?.kept).toEqual({
      ...task,
      call: { name: "work" },
      ticket: "t",
      message: "soon",
      end,
    });
  });

  test("holds nothing of a task that is forgotten", async () => {
    const { begin, stored, find } = processWith();
    const record = await begin();
    expect(await record.forget()).toBe(true);
    expect(await stored()).toEqual({ ...row(2, "forgotten", null), body: {} });
    expect(record.isOver).toBe(true);
    expect(await find()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await stored()).toMatchObject({ version: 2 });
  });

  test("is not renewed after the time of the task, and has no end twice", async () => {
    const { begin, stored, find } = processWith();
    const record = await begin({ ...task, ttlMs: 4_999 });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(record.isOver).toBe(false);
    expect(await find()).toBeDefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(record.isOver).toBe(true);
    expect(await find()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await stored()).toMatchObject({ version: 1 });
    await record.end(end);
    expect(await record.end(other)).toBe(end);
    expect(await stored()).toMatchObject({ version: 2 });
  });
});

test.each([
  ["another owner", "ana", "other", "ana"],
  ["another user", "ana", "ana", "bo"],
])("a task is not found by %s", async (_, user, owner, asks) => {
  const { begin, store, records } = processWith();
  await begin();
  expect(await records.find("id", user)).toBeDefined();
  expect(await records.find("no", user)).toBeUndefined();
  expect(await records.find("id", undefined)).toBeUndefined();
  expect(await processWith(store, owner).records.find("id", asks)).toBeUndefined();
});

test("a task without a user is found without one, and by no user", async () => {
  const { records } = processWith();
  await records.make("id", { ...facts, userId: null }, task).add();
  expect(await records.find("id", undefined)).toBeDefined();
  expect(await records.find("id", "ana")).toBeUndefined();
});

test("a row that this process cannot read is no task", async () => {
  const { begin, store, stored, find } = processWith();
  await begin();
  const found = (await stored())!;
  await store.work!.save({ ...found, version: 2, body: { sealed: "x" } });
  expect(await find()).toBeUndefined();
  await store.work!.save({ ...found, version: 3, body: {} });
  expect(await find()).toBeUndefined();
});

test("old tasks are deleted with the first of each thousand new ones", async () => {
  const removed: unknown[][] = [];
  const store = storeWith(() => ({
    remove: async (...words) => {
      removed.push(words);
      throw new Error("the store is away");
    },
  }));
  const { made } = processWith(store);
  const words = [kind, ["running", "waiting", "ended", "forgotten"], start - 86_400_000];
  for (let count = 0; count < 1_000; count++) made();
  expect(removed).toEqual([words]);
  made();
  expect(removed).toEqual([words, words]);
});

describe("two processes with one task", () => {
  const both = async () => {
    const one = processWith();
    const record = await one.begin();
    const follower = (await processWith(one.store).find())!;
    onTestFinished(() => follower.release());
    return { ...one, record, follower };
  };

  test("change it one after the other: the later learns what the earlier stored", async () => {
    const { record, follower, stored } = await both();
    expect(await follower.change({ message: "soon" })).toBe(true);
    expect(await record.change({ message: "late" })).toBe(false);
    expect(record.kept.message).toBe("soon");
    expect(await record.change({ message: "late" })).toBe(true);
    expect(await stored()).toMatchObject({ version: 3 });
  });

  test("agree on the end that was stored first", async () => {
    const { record, follower, stored } = await both();
    expect(await follower.end(other)).toBe(other);
    expect(await record.end(end)).toEqual(other);
    expect(record.kept.end).toEqual(other);
    expect(await stored()).toMatchObject({ version: 2 });
  });

  test("store the end also after a change of the other one", async () => {
    const { record, follower, stored } = await both();
    await follower.change({ message: "soon" });
    expect(await record.end(end)).toBe(end);
    expect(await stored()).toMatchObject({ version: 3, status: "ended" });
    expect(record.kept).toMatchObject({ message: "soon", end });
  });

  test("learn an end within five seconds, once", async () => {
    const { record, follower } = await both();
    const ends: TaskEnd[] = [];
    record.onEnd = (found) => void ends.push(found);
    await follower.end(other);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ends).toEqual([other]);
  });

  test("keep the task after a change of the other one, and after a time without a store", async () => {
    let isAway = false;
    const store = storeWith((work) => ({
      save: async (record) => {
        if (isAway) throw new Error("the store is away");
        return work.save(record);
      },
    }));
    const one = processWith(store);
    const record = await one.begin();
    const ends: TaskEnd[] = [];
    record.onEnd = (found) => void ends.push(found);
    await (await processWith(store).find())!.change({ message: "soon" });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await one.stored()).toMatchObject({ version: 2 });
    isAway = true;
    await vi.advanceTimersByTimeAsync(5_000);
    isAway = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await one.stored()).toMatchObject({ version: 3, dueAt: start + 30_000 });
    expect(ends).toEqual([]);
  });

  test("end it for themselves where it was deleted", async () => {
    const { record, follower, store } = await both();
    await store.work!.remove(kind, ["running"], start + 1);
    expect(await record.end(end)).toBe(end);
    expect(await follower.change({})).toBe(false);
    expect(follower.isOver).toBe(true);
    await expect(follower.takeOver(new AbortController().signal)).rejects.toThrow(
      "the task is not kept any more",
    );
  });
});

describe("a process that asks for the task of another one", () => {
  const abandoned = async (kept = task) => {
    const one = processWith();
    (await one.begin(kept)).release();
    const follower = (await processWith(one.store).find())!;
    onTestFinished(() => follower.release());
    return { ...one, follower };
  };
  const { signal } = new AbortController();

  test("does not take over what waits for a person", async () => {
    const { follower, stored } = await abandoned({ ...task, ticket: "t" });
    await follower.takeOver(signal);
    expect(follower.isOurs).toBe(false);
    expect(await stored()).toMatchObject({ version: 1 });
  });

  test("runs it when the other one has said nothing for 15 seconds, and says so itself", async () => {
    const { follower, stored } = await abandoned();
    vi.setSystemTime(start + 14_999);
    const taken = follower.takeOver(signal);
    await vi.advanceTimersByTimeAsync(0);
    expect([follower.isOurs, (await stored())?.version]).toEqual([false, 1]);
    // It looks again after a real millisecond, at a time that only this test moves.
    vi.setSystemTime(start + 15_000);
    await taken;
    expect(follower.isOurs).toBe(true);
    expect(await stored()).toEqual(row(2, "running", start + 30_000));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stored()).toEqual(row(3, "running", start + 35_000));
  });

  test("does not run it when its client has left", async () => {
    const { follower } = await abandoned();
    vi.setSystemTime(start + 15_000);
    await expect(follower.takeOver(AbortSignal.abort(new Error("it has left")))).rejects.toThrow(
      "it has left",
    );
    expect(follower.isOurs).toBe(false);
  });
});
