import { createMemoryStore, type WorkStore } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { settle, turnsWorld } from "./support/turns.ts";

const now = 1_000_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now }));
afterEach(() => void vi.useRealTimers());

describe("a turn is cancelled", () => {
  test("where it runs, and the request waits for its end", async () => {
    const { open } = turnsWorld();
    const { start, begun, work } = open();
    const turn = await start();
    const cancelled = work.cancel(turn);
    expect(begun[0]!.request.abortSignal.aborted).toBe(true);
    await begun[0]!.ends({ status: "cancelled" });
    await cancelled;
    expect(turn.stored.status).toBe("cancelled");
  });

  test("where another server runs it, by a word in the store", async () => {
    const { open, row } = turnsWorld();
    const [one, other] = [open(), open()];
    await one.start();
    await other.work.cancel((await other.work.find("t1"))!);
    expect([(await row())!.body["cancels"], one.begun[0]!.request.abortSignal.aborted]).toEqual([
      true,
      false,
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    await settle();
    expect(one.begun[0]!.request.abortSignal.aborted).toBe(true);
  });

  test("where it waits, by its end", async () => {
    const { open, add } = turnsWorld();
    await add(
      { status: "waiting" },
      { waiting: [{ callId: "c", tool: "t", waitsFor: "client", sessionId: "s1" }] },
    );
    const { work, begun } = open();
    const cancelled = work.cancel((await work.find("t1"))!);
    await settle();
    expect(begun[0]!.request).toMatchObject({ sessionId: "s1", cancel: true, userId: undefined });
    begun[0]!.begins();
    await begun[0]!.ends({ status: "cancelled" });
    await cancelled;
    expect((await work.find("t1"))!.stored.status).toBe("cancelled");
  });

  test("where it has ended, without effect", async () => {
    const { open, add } = turnsWorld();
    await add({ status: "done" });
    const { work, begun } = open();
    await work.cancel((await work.find("t1"))!);
    expect(begun).toEqual([]);
  });
});

describe("a message to a turn", () => {
  test("goes to the turn where it runs, and is not kept then", async () => {
    const { open } = turnsWorld();
    const { start, work, messages } = open();
    const turn = await start();
    await work.addMessage(turn, "And more.");
    expect(messages).toEqual([["s1", "And more.", expect.any(String)]]);
    expect(turn.stored.messages).toEqual([]);
  });

  test("waits where another server runs the turn", async () => {
    const { open, row } = turnsWorld();
    const [one, other] = [open(), open()];
    await one.start();
    await other.work.addMessage((await other.work.find("t1"))!, "And more.");
    expect([other.messages, (await row())!.body["messages"]]).toEqual([
      [],
      [{ id: expect.any(String), text: "And more." }],
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    await settle();
    expect(one.messages).toEqual([["s1", "And more.", expect.any(String)]]);
  });

  const late = async (status: string, fails = false) => {
    const { open, logged } = turnsWorld();
    const { start, work, turns, begun } = open();
    const turn = await start();
    const { promise, resolve } = Promise.withResolvers<void>();
    turns.addMessage = () => promise;
    const [one, two] = [work.addMessage(turn, "One."), work.addMessage(turn, "Two.")];
    await settle();
    await begun[0]!.ends({ status });
    if (fails) await begun[1]?.fails(new Error("no such model"));
    else begun[1]?.begins("t2");
    await settle();
    resolve();
    void one;
    void two;
    return { turn, begun, logged, work };
  };

  test("that came when the turn was ending is the next turn", async () => {
    const { begun, turn } = await late("done");
    expect(begun[1]).toMatchObject({
      kind: "run",
      request: { prompt: "One.\n\nTwo.", sessionId: "s1", userId: "ana" },
    });
    expect(turn.stored.messages).toEqual([]);
  });

  test("is lost with a turn that was cancelled", async () => {
    expect((await late("cancelled")).begun).toHaveLength(1);
  });

  test("stays with the turn where no turn begins, and the log says why", async () => {
    const { turn, logged } = await late("done", true);
    expect(turn.stored.messages.map(({ text }) => text)).toEqual(["One.", "Two."]);
    expect(logged).toEqual([["warn", { err: new Error("no such model"), turn: "t1" }, "no turn began"]]);
  });
});

describe("a turn whose call ran in a server that was killed", () => {
  const pausedFor = (...kinds: string[]) => ({
    status: "paused",
    waiting: kinds.map((waitsFor) => ({ callId: waitsFor, tool: "t", waitsFor })),
  });

  test("is tried again until that call has ended", async () => {
    const { open, row } = turnsWorld();
    const { start, begun } = open();
    await start();
    for (let tries = 1; tries <= 3; tries++) {
      begun.at(-1)!.begins();
      await begun.at(-1)!.ends(pausedFor("run"));
      expect(await row()).toMatchObject({ status: "decided", dueAt: Date.now() + 10_000 });
      await vi.advanceTimersByTimeAsync(10_000);
      await settle();
      expect(begun.map(({ kind }) => kind)).toEqual(["run", ...Array<string>(tries).fill("resume")]);
    }
    begun.at(-1)!.begins();
    await begun.at(-1)!.ends({ status: "done" });
    expect(await row()).toMatchObject({ status: "done" });
  });

  test("waits for a person first, where one is asked for another call, and for a client in any case", async () => {
    const { open, row, see } = turnsWorld();
    const { start, begun } = open();
    await start();
    await begun[0]!.ends(pausedFor("run", "approval"));
    expect(await row()).toMatchObject({ status: "waiting", dueAt: null });
    await see();
    expect(begun.at(-1)!.kind).toBe("resume");
    begun.at(-1)!.begins();
    await begun.at(-1)!.ends(pausedFor("run", "client"));
    await see();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([(await row())!.status, begun.length]).toEqual(["waiting", 2]);
  });
});

describe("a server that closes", () => {
  test("waits for its turns", async () => {
    const { open, row } = turnsWorld();
    const { start, work, begun, released } = open();
    await start();
    const closed = work.close(60_000);
    await begun[0]!.ends({ status: "done" });
    await closed;
    expect([released, (await row())!.status]).toEqual([[], "done"]);
  });

  test("leaves a turn that does not end in time to the next server", async () => {
    const { open, row, listeners } = turnsWorld();
    const { start, work, released, begun } = open();
    await start();
    const closed = work.close(500);
    await vi.advanceTimersByTimeAsync(499);
    await settle();
    expect(await row()).toMatchObject({ status: "running" });
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    expect(released).toEqual(["s1"]);
    expect(await row()).toMatchObject({ status: "interrupted", dueAt: now + 500, body: { owner: null } });
    const before = (await row())!.version;
    await vi.advanceTimersByTimeAsync(60_000);
    await begun[0]!.fails(new Error("it was stopped"));
    expect([(await row())!.version, listeners.size]).toEqual([before, 0]);
  });
});

test("turns that ended are deleted 90 days after they began, and their events after a day, at the start and once a day", async () => {
  const day = 86_400_000;
  const store = createMemoryStore();
  const removed: unknown[][] = [];
  const remove: WorkStore["remove"] = async (...words) => (removed.push(words), 0);
  const { open } = turnsWorld({ ...store, work: { ...store.work!, remove } });
  const look = async (at: number) => {
    // The clock is set, since timers of a whole day would fire one by one, those of other files, too.
    vi.setSystemTime(at - 10_000);
    await vi.advanceTimersByTimeAsync(10_000);
    await settle();
  };
  open();
  await settle();
  const of = (at: number) => [
    ["turn", ["done", "incomplete", "cancelled", "failed"], at - 90 * day],
    ["turn-events", ["kept"], at - day],
  ];
  expect(removed).toEqual(of(now));
  await look(now + day - 1);
  expect(removed).toHaveLength(2);
  await look(now + day);
  expect(removed).toEqual([...of(now), ...of(now + day)]);
});

test("turns are listed as they are now, those that began last first", async () => {
  const { open, add } = turnsWorld();
  await add({ id: "a", at: now - 2, status: "done" });
  await add({ id: "b", at: now - 1, status: "running", dueAt: now - 1, sessionId: "s2" });
  const { work } = open();
  const listed = await work.list({ limit: 10 });
  expect(listed.map(({ id, status }) => [id, status])).toEqual([
    ["b", "interrupted"],
    ["a", "done"],
  ]);
  expect((await work.list({ statuses: ["done"], limit: 10 })).map(({ id }) => id)).toEqual(["a"]);
  expect((await work.openTurn("s2"))?.stored.id).toBe("b");
  expect(await work.openTurn("s1")).toBeNull();
});

test("a store that cannot be read is read again at the next look", async () => {
  const store = createMemoryStore();
  let isAway = true;
  const list: WorkStore["list"] = async (filter) => {
    if (isAway) throw new Error("it is away");
    return store.work!.list(filter);
  };
  const { open, logged, add } = turnsWorld({ ...store, work: { ...store.work!, list } });
  await add({ status: "interrupted", dueAt: now });
  const { begun } = open();
  await settle();
  expect(logged).toEqual([["error", { err: new Error("it is away") }, "the turns cannot be read"]]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  await settle();
  expect(begun).toHaveLength(1);
});
