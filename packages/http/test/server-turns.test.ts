import { ToolmountError } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { emptyBody, settle, turnsWorld } from "./support/turns.ts";

const now = 1_000_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now }));
afterEach(() => void vi.useRealTimers());

async function pass(ms: number): Promise<void> {
  await settle();
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

const paused = (...waitsFor: string[]) => ({
  status: "paused",
  waiting: waitsFor.map((one, at) => ({ callId: `c${at + 1}`, tool: "pay", waitsFor: one })),
});
const conflict = (problem: string) => ({ code: "SESSION_CONFLICT", details: { session: "s1", problem } });
const taken = new ToolmountError("SESSION_CONFLICT", { session: "s1", problem: "it runs" });

describe("a turn", () => {
  test("is stored when it begins, and when it ends", async () => {
    const { open, row } = turnsWorld();
    const { start, begun, changes } = open();
    const turn = await start();
    const { abortSignal, onEvent, ...request } = begun[0]!.request;
    expect([begun[0]!.kind, request, abortSignal.aborted]).toEqual([
      "run",
      { prompt: "Go.", sessionId: undefined, userId: "ana" },
      false,
    ]);
    const facts = { kind: "turn", id: "t1", scope: "plan", sessionId: "s1", userId: "ana", at: now };
    expect(await row()).toEqual({
      ...facts,
      version: 1,
      status: "running",
      dueAt: now + 30_000,
      body: { ...emptyBody, owner: expect.any(String) },
    });
    vi.setSystemTime(now + 5);
    onEvent({ type: "text", text: "Hi." });
    const result = { status: "done", text: "Hi." };
    await begun[0]!.ends(result);
    await turn.running;
    expect(await row()).toEqual({
      ...facts,
      version: 2,
      status: "done",
      dueAt: null,
      body: { ...emptyBody, updatedAt: now + 5, endedAt: now + 5, result },
    });
    expect(changes).toEqual(["running", "done"]);
    expect(
      turn.events.after(undefined)!.map(({ event, data }) => [event, (data as { type?: string }).type]),
    ).toEqual([
      ["turn", undefined],
      ["step", "begin"],
      ["step", "text"],
      ["turn", undefined],
    ]);
  });

  test("keeps the first 2,000 characters of its prompt", async () => {
    const { open } = turnsWorld();
    const { start, begun } = open();
    const prompt = `${"a".repeat(1_999)}😀`;
    const turn = await start({ prompt, userId: undefined });
    expect(turn.stored.prompt).toBe(`${"a".repeat(1_999)}\ufffd`);
    expect([turn.stored.userId, begun[0]!.request.prompt]).toEqual([null, prompt]);
  });

  test("that does not begin is not stored", async () => {
    const { open, store } = turnsWorld();
    const { work, begun } = open();
    const starting = work.start({ prompt: "Go.", userId: undefined, by: "token" });
    const problem = starting.catch(({ message }: Error) => message);
    await begun[0]!.fails(new Error("no such model"));
    expect(await problem).toBe("no such model");
    expect(await store.work!.list({ kind: "turn" })).toEqual([]);
  });

  test("that another server has already is not begun", async () => {
    const { open, add } = turnsWorld();
    await add({ status: "done" });
    const { start } = open();
    await expect(start()).rejects.toMatchObject(conflict("another server has its turn"));
  });

  test("that runs is said to run each ten seconds, and is not resumed meanwhile", async () => {
    const { open, row } = turnsWorld();
    const { start, work, changes } = open();
    await start();
    await pass(9_999);
    expect(await row()).toMatchObject({ version: 1 });
    await pass(1);
    expect(await row()).toMatchObject({ version: 2, dueAt: now + 40_000, body: { updatedAt: now } });
    expect(changes).toEqual(["running"]);
    const again = work.resume({ sessionId: "s1", userId: undefined, by: "token" });
    await expect(again).rejects.toMatchObject(conflict("a turn of it is running"));
  });
});

describe("a turn that waits", () => {
  test("for people is resumed when their questions are answered", async () => {
    const { open, row, see, listeners } = turnsWorld();
    const { start, begun, changes } = open();
    await start();
    await begun[0]!.ends(paused("approval", "approval"));
    const waiting = [1, 2].map((at) => ({
      callId: `c${at}`,
      tool: "pay",
      waitsFor: "approval",
      sessionId: "s1",
    }));
    expect(await row()).toMatchObject({
      status: "waiting",
      dueAt: null,
      body: { owner: null, endedAt: null, waiting },
    });
    expect(listeners.size).toBe(1);
    await see("c2", "other");
    expect(begun).toHaveLength(1);
    await see("other");
    expect(begun[1]).toMatchObject({ kind: "resume", request: { sessionId: "s1", userId: "ana" } });
    expect([await row(), listeners.size]).toMatchObject([{ status: "running", dueAt: now + 30_000 }, 0]);
    begun[1]!.begins();
    await begun[1]!.ends({ status: "done" });
    expect(await row()).toMatchObject({ status: "done", body: { endedAt: now, waiting: [] } });
    expect(changes).toEqual(["running", "waiting", "decided", "running", "done"]);
  });

  test("for its client is resumed by a request with results", async () => {
    const { open, see, listeners, row } = turnsWorld();
    const { start, begun, work } = open();
    await start();
    await begun[0]!.ends(paused("client"));
    expect(listeners.size).toBe(0);
    await see();
    expect(begun).toHaveLength(1);
    const clientResults = [{ callId: "c1", result: 1 }];
    const resuming = work.resume({
      sessionId: "s1",
      clientResults,
      message: "only read",
      userId: "ana",
      by: "token",
    });
    await settle();
    begun[1]!.begins();
    const turn = await resuming;
    expect(begun[1]!.request).toMatchObject({
      sessionId: "s1",
      clientResults,
      message: "only read",
      cancel: undefined,
      userId: "ana",
    });
    expect([turn.stored.status, (await row())!.status]).toEqual(["running", "running"]);
  });

  test("in the store is watched by a server that starts", async () => {
    const { open, add, listeners, see } = turnsWorld();
    const waiting = [{ callId: "c1", tool: "pay", waitsFor: "approval", sessionId: "s1" }];
    await add({ status: "waiting" }, { waiting });
    const { begun } = open();
    await settle();
    expect(listeners.size).toBe(1);
    await see();
    expect(begun.map(({ kind }) => kind)).toEqual(["resume"]);
  });
});

describe("a turn that no server runs", () => {
  test.each([
    ["running", now - 1, true],
    ["running", now + 1, false],
    ["interrupted", now, true],
    ["interrupted", null, false],
    ["decided", now, true],
    ["decided", now + 1, false],
    ["waiting", now, false],
    ["done", now, false],
  ] as const)("and is %s until %j is resumed by the next one: %s", async (status, dueAt, isResumed) => {
    const { open, add } = turnsWorld();
    await add({ status, dueAt });
    const { begun } = open();
    await settle();
    expect(begun.length === 1).toBe(isResumed);
  });

  test("and that cannot be resumed is tried again ten seconds later, and says why", async () => {
    const { open, add, row, logged } = turnsWorld();
    await add({ status: "interrupted", dueAt: now });
    const { begun } = open();
    await settle();
    const error = new Error("no such model");
    await begun[0]!.fails(error);
    expect(await row()).toMatchObject({
      status: "interrupted",
      dueAt: now + 10_000,
      body: { owner: null, problem: "no such model" },
    });
    expect(logged).toEqual([["warn", { err: error, turn: "t1" }, "a turn could not continue"]]);
    await pass(10_000);
    expect(begun).toHaveLength(2);
    expect(await row()).toMatchObject({ status: "running", body: { problem: null } });
  });

  test("and whose questions are answered stays decided where it cannot be resumed", async () => {
    const { open, add, row } = turnsWorld();
    const waiting = [{ callId: "c1", tool: "pay", waitsFor: "approval", sessionId: "s1" }];
    await add({ status: "decided", dueAt: now }, { waiting });
    const { begun } = open();
    await settle();
    await begun[0]!.fails(new Error("no"));
    expect(await row()).toMatchObject({ status: "decided", dueAt: now + 10_000 });
  });

  test.each([
    ["that runs it is left to that program", { status: "open" }, "interrupted", null],
    ["that ended it has ended", { status: "done" }, "done", now],
  ])("and that another program has %s", async (_, shown, status, endedAt) => {
    const { open, add, row, logged } = turnsWorld();
    await add({ status: "interrupted", dueAt: now });
    const { begun, turns } = open();
    turns.show = async () => shown;
    await settle();
    await begun[0]!.fails(taken);
    expect(await row()).toMatchObject({ status, dueAt: null, body: { endedAt, waiting: [], owner: null } });
    expect(logged).toEqual([]);
    await pass(20_000);
    expect(begun).toHaveLength(1);
  });

  test.each([
    ["has its result", "t1", { status: "done", text: "It is shipped." }],
    ["keeps what it had where that was another turn", "t0", { status: "waiting", text: "I look first." }],
  ])("and that its server ended before it was killed %s", async (_, turnId, result) => {
    const { open, add, row, logged } = turnsWorld();
    await add(
      { status: "interrupted", dueAt: now },
      { result: { status: "waiting", text: "I look first." } },
    );
    const { begun, turns } = open();
    turns.show = async () => ({ status: "done" });
    turns.lastTurn = async () => ({ turnId, status: "done", text: "It is shipped.", waiting: [] });
    await settle();
    await begun[0]!.fails(taken);
    const ended = { endedAt: now, owner: null, waiting: [], result };
    expect(await row()).toMatchObject({ status: "done", dueAt: null, body: ended });
    expect(logged).toEqual([]);
  });

  test("and of another plan is left alone", async () => {
    const { open, add } = turnsWorld();
    await add({ status: "interrupted", dueAt: now, scope: "other" });
    const { begun, work } = open();
    await settle();
    expect([begun, await work.find("t1")]).toEqual([[], null]);
  });
});
