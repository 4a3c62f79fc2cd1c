import { createHost, createMemoryStore, silentLogger, systemClock, ToolmountError } from "@toolmount/core";
import { workStoreOf } from "@toolmount/core/internal";
import { describe, expect, onTestFinished, test } from "vitest";
import { KnownTurns } from "../src/work/known-turns.ts";
import { deliverMessages, keepMessage } from "../src/work/turn-messages.ts";
import { shownTurn, turnOf, recordOf, waitingOf, type StoredTurn } from "../src/work/turn-record.ts";
import { allWork } from "../src/work/work-store.ts";

const stored: StoredTurn = {
  id: "t1",
  sessionId: "s1",
  userId: "ana",
  by: "token",
  prompt: "Deploy it.",
  status: "running",
  startedAt: 1,
  updatedAt: 2,
  endedAt: null,
  waiting: [],
  result: null,
  problem: null,
  version: 1,
  owner: "here",
  dueAt: 100,
  cancels: false,
  messages: [],
};

describe("a turn", () => {
  test("is the same after it was stored", () => {
    const turn = {
      ...stored,
      messages: [{ id: "m", text: "more" }],
      waiting: [{ callId: "c", tool: "pay", waitsFor: "approval", sessionId: "s1" }],
    };
    const record = recordOf(turn, "plan");
    expect(record).toMatchObject({
      kind: "turn",
      id: "t1",
      version: 1,
      scope: "plan",
      status: "running",
      sessionId: "s1",
      userId: "ana",
      at: 1,
      dueAt: 100,
    });
    expect(turnOf(record)).toEqual(turn);
    const { messages: _, ...before } = record.body;
    expect(turnOf({ ...record, sessionId: null, body: before })).toMatchObject({
      sessionId: "",
      messages: [],
    });
  });

  test.each([
    ["running", 100, 100, "running"],
    ["running", 100, 101, "interrupted"],
    ["running", null, 101, "running"],
    ["waiting", 100, 101, "waiting"],
  ] as const)("that is %s until %j is shown at %i as %s", (status, dueAt, now, expected) => {
    const shown = shownTurn({ ...stored, status, dueAt }, now);
    expect(shown.status).toBe(expected);
    for (const key of ["version", "owner", "dueAt", "cancels", "messages"])
      expect(shown).not.toHaveProperty(key);
    expect(shown).toMatchObject({ id: "t1", prompt: "Deploy it.", userId: "ana" });
  });

  test("waits for its own calls and those of its sub-agents, and shows the arguments that its client needs", () => {
    expect(
      waitingOf(
        [
          { callId: "a", tool: "pay", waitsFor: "approval", arguments: { secret: 1 } },
          { callId: "b", tool: "ask", waitsFor: "client", arguments: { q: 1 } },
          {
            callId: "c",
            tool: "delegate",
            waitsFor: "agent",
            arguments: { sessionId: "s2", waiting: [{ callId: "d", tool: "pay", waitsFor: "approval" }] },
          },
          { callId: "e", tool: "delegate", waitsFor: "agent", arguments: { sessionId: "s3" } },
          { callId: "f", tool: "delegate", waitsFor: "agent" },
        ],
        "s1",
      ),
    ).toEqual([
      { callId: "a", tool: "pay", waitsFor: "approval", sessionId: "s1" },
      { callId: "b", tool: "ask", waitsFor: "client", sessionId: "s1", arguments: { q: 1 } },
      { callId: "d", tool: "pay", waitsFor: "approval", sessionId: "s2" },
      { callId: "f", tool: "delegate", waitsFor: "agent", sessionId: "s1" },
    ]);
  });
});

/** One of several servers with one store. */
function servers() {
  const host = createHost({ store: createMemoryStore(), logger: silentLogger });
  onTestFinished(async () => void (await host.close()));
  const store = workStoreOf(host);
  let now = 10;
  const server = (owner: string, scope = "plan") => {
    const changes: string[] = [];
    const messages: string[] = [];
    const known = new KnownTurns({
      store,
      scope,
      owner,
      logger: silentLogger,
      plan: () => "",
      clock: { ...systemClock, now: () => now },
      onChange: ({ status }) => changes.push(status),
      onMessage: ({ stored: { id } }) => void messages.push(id),
    });
    return { known, changes, messages };
  };
  const add = (more: Partial<StoredTurn> = {}, scope = "plan") =>
    store.save(recordOf({ ...stored, ...more }, scope));
  return { store, server, add, at: (time: number) => void (now = time) };
}

describe("turns that servers know", () => {
  test("are found by their id, in their own plan, and by their session while they are open", async () => {
    const { server, add } = servers();
    await add();
    await add({ id: "t2", sessionId: "s2", status: "done" });
    await add({ id: "t3" }, "other");
    const { known } = server("here");
    const turn = await known.find("t1");
    expect(turn?.shown).toMatchObject({ id: "t1", status: "running" });
    expect(await known.find("t1")).toBe(turn);
    expect([await known.find("t3"), await known.find("none"), await known.openTurn("s2")]).toEqual([
      null,
      null,
      null,
    ]);
    expect(await known.openTurn("s1")).toBe(turn);
    expect((await known.readOpen(10)).map(({ stored: { id } }) => id)).toEqual(["t1"]);
  });

  test("wait for people where each of their calls needs an approval", async () => {
    const { server } = servers();
    const { known } = server("here");
    const call = (waitsFor: string) => ({ callId: "c", tool: "pay", waitsFor, sessionId: "s1" });
    const of = (id: string, status: StoredTurn["status"], ...waits: string[]) =>
      known.know({ ...stored, id, status, waiting: waits.map(call) });
    of("a", "waiting", "approval", "approval");
    of("b", "waiting", "approval", "client");
    of("c", "waiting");
    of("d", "running", "approval");
    expect(known.waiting().map(({ stored: { id } }) => id)).toEqual(["a"]);
  });

  test("are changed by one server after the other, and the time of a change is known", async () => {
    const { server, add, at } = servers();
    await add();
    const [one, two] = [server("here"), server("there")];
    const turn = (await one.known.find("t1"))!;
    at(20);
    expect(await turn.change({ problem: "a" })).toBe(true);
    expect(turn.stored).toMatchObject({ version: 2, updatedAt: 20, problem: "a" });
    at(30);
    expect(await turn.change({ problem: "b" }, true)).toBe(true);
    expect(turn.stored).toMatchObject({ version: 3, updatedAt: 20, problem: "b" });
    expect(one.changes).toEqual(["running"]);

    const other = (await two.known.find("t1"))!;
    await turn.change({ problem: "c" });
    expect(await other.change({ owner: "there" })).toBe(false);
    expect(other.stored.problem).toBe("c");
    expect(await other.change({ status: "done" })).toBe(true);
    expect((await one.known.find("t1"))?.stored.status).toBe("done");
    expect(one.changes.at(-1)).toBe("done");
  });

  test("are kept by the server that runs them, which hears of a cancellation and of messages", async () => {
    const { server, add } = servers();
    await add();
    const [one, two] = [server("here"), server("there")];
    const [turn, other] = [(await one.known.find("t1"))!, (await two.known.find("t1"))!];
    await keepMessage(other, "more");
    await other.change({ cancels: true });
    expect(await turn.change(({ messages }) => ({ problem: String(messages.length) }))).toBe(true);
    expect([turn.controller.signal.aborted, turn.stored.problem, one.messages]).toEqual([true, "1", ["t1"]]);
  });

  test("of those that have ended, a hundred stay known", () => {
    const { server } = servers();
    const { known } = server("here");
    const first = known.know({ ...stored, id: "0", status: "done" });
    for (let at = 1; at < 100; at++) known.know({ ...stored, id: String(at), status: "done" });
    expect(known.know({ ...stored, id: "0", status: "done" })).toBe(first);
    known.know({ ...stored, id: "100", status: "done" });
    expect(known.know({ ...stored, id: "0", status: "done" })).not.toBe(first);
  });
});

test("a turn keeps at least its newest 2,000 events", () => {
  const { known } = servers().server("here");
  const turn = known.know(stored);
  for (let at = 0; at < 4_000; at++) turn.step({ at });
  expect(turn.events.after(undefined)).toHaveLength(4_000);
  turn.step({ at: 4_000 });
  const kept = turn.events.after(undefined)!;
  expect([kept.length, kept[0]]).toEqual([
    2_000,
    expect.objectContaining({ event: "step", data: { at: 2_001 }, userId: "ana" }),
  ]);
});

describe("messages to a turn", () => {
  test("go to its session in order, and one that the session refuses is dropped", async () => {
    const { server, add } = servers();
    await add();
    const turn = (await server("here").known.find("t1"))!;
    for (const text of ["one", "two", "three"]) await keepMessage(turn, text);
    const given: string[] = [];
    const addMessage = async (_: string, text: string) => {
      given.push(text);
      if (text === "two") throw new Error("it is empty");
    };
    await deliverMessages(turn, { addMessage } as never, silentLogger);
    expect([given, turn.stored.messages]).toEqual([["one", "two", "three"], []]);
  });

  test("stay with a turn that takes none now, and a turn that has ended takes none at all", async () => {
    const { server, add } = servers();
    await add();
    const turn = (await server("here").known.find("t1"))!;
    await keepMessage(turn, "one");
    await keepMessage(turn, "two");
    const conflict = new ToolmountError("SESSION_CONFLICT", { session: "s1", problem: "it waits" });
    await deliverMessages(turn, { addMessage: () => Promise.reject(conflict) } as never, silentLogger);
    expect(turn.stored.messages.map(({ text }) => text)).toEqual(["one", "two"]);
    await turn.change({ status: "done" });
    await expect(keepMessage(turn, "late")).rejects.toMatchObject({
      code: "SESSION_CONFLICT",
      details: { session: "s1", problem: "its turn has ended; start a new one" },
    });
  });
});

test("all work of a store is read, in pages of 500", async () => {
  const { store, add } = servers();
  for (let at = 0; at < 501; at++) await add({ id: `t${at}`, startedAt: at });
  const ids: string[] = [];
  for await (const { id } of allWork(store, { kind: "turn", scope: "plan" })) ids.push(id);
  expect([ids.length, new Set(ids).size, ids[0]]).toEqual([501, 501, "t500"]);
});
