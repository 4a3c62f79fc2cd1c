import { expect, test } from "vitest";
import { createMemoryStore, ownSession, type JsonObject, type SessionStore } from "../../src/index.ts";
import { changesLogOf } from "../../src/pending/session-logs.ts";
import { SessionChanges, type ChangingCall } from "../../src/sessions/changes.ts";
import { createRedactor } from "../../src/text/redact.ts";

const idOf = (name: string) => ownSession(null, name);

const limits = { changeBytes: 100, sessionBytes: 5_000, memoryBytes: 9_000, argumentBytes: 20 };

function changesOver(sessions: SessionStore | null, own: Partial<typeof limits> = {}) {
  let now = 1_000;
  const host = {
    clock: { now: () => now } as never,
    redact: createRedactor(),
    moduleSet: { known: {} as never, registry: undefined as never },
    stores: { sessions: () => sessions, track: <Value>(work: Promise<Value>) => work },
  };
  return { changes: new SessionChanges(host, { ...limits, ...own }), set: (at: number) => (now = at) };
}

const call = (more: Partial<ChangingCall> = {}): ChangingCall => ({
  tool: "write",
  owner: "o",
  callId: "c",
  runId: "r",
  parents: [],
  causes: [],
  arguments: { path: "a" },
  ...more,
});
const stored = (more: JsonObject = {}) => ({
  tool: "write",
  owner: "o",
  callId: "c",
  runId: "r",
  arguments: { path: "a" },
  at: 1_000,
  ...more,
});

test.each([null, createMemoryStore().sessions])(
  "a change is stored with its call, before it is made",
  async (store) => {
    const { changes } = changesOver(store);
    const cause = { sessionId: "p", turnId: "t", callId: "c" };
    expect(await changes.keep(idOf("s"), call(), { was: 1 })).toBeNull();
    const whole = { turnId: "t", parents: ["r0"], causes: [cause] };
    expect(await changes.keep(idOf("s"), call(whole), null)).toBeNull();
    await changes.keepIrreversible(idOf("s"), call({ arguments: { password: "hunter2" } }), "it is sent");

    expect(await changes.entries(idOf("s"), 0)).toEqual([
      { sequence: 1, entry: { kind: "change", ...stored(), data: { was: 1 } } },
      { sequence: 2, entry: { kind: "change", ...stored({ ...whole, at: 1_000.001 }), data: null } },
      {
        sequence: 3,
        entry: {
          kind: "irreversible",
          ...stored({ arguments: { password: "[masked]" }, at: expect.closeTo(1_000.002, 5) as never }),
          reason: "it is sent",
        },
      },
    ]);
    expect((await changes.entries(idOf("s"), 2)).map(({ sequence }) => sequence)).toEqual([3]);
  },
);

test("the time of a change is never before that of the one before it", async () => {
  const { changes, set } = changesOver(null);
  const times: number[] = [];
  for (const now of [1_000, 999, 1_001, 1_001]) {
    set(now);
    await changes.keep(idOf("s"), call(), 1);
    times.push((await changes.entries(idOf("s"), 0)).at(-1)!.entry!["at" as never]);
  }
  expect(times).toEqual([1_000, 1_000.001, 1_001, 1_001.001]);
});

test("what a change replaces has a limit, and above it the change cannot be undone", async () => {
  const { changes } = changesOver(null);
  expect(await changes.keep(idOf("s"), call(), "x".repeat(98))).toBeNull();
  const reason = "what it replaces has 101 bytes, and at most 100 are kept";
  expect(await changes.keep(idOf("s"), call(), "x".repeat(99))).toBe(reason);
  // Bytes, not characters.
  expect(await changes.keep(idOf("s"), call(), "é".repeat(50))).toBe(
    "what it replaces has 102 bytes, and at most 100 are kept",
  );

  expect((await changes.entries(idOf("s"), 0)).map(({ entry }) => (entry as JsonObject)["kind"])).toEqual([
    "change",
    "irreversible",
    "irreversible",
  ]);
  expect((await changes.entries(idOf("s"), 1))[0]!.entry).toMatchObject({ reason });
});

test("of arguments, those that are long are left out", async () => {
  const { changes } = changesOver(null);
  await changes.keep(
    idOf("s"),
    call({ arguments: { exact: "x".repeat(18), long: "x".repeat(19), list: [1] } }),
    1,
  );

  expect((await changes.entries(idOf("s"), 0))[0]!.entry).toMatchObject({
    arguments: { exact: "x".repeat(18), list: [1] },
  });
  expect((await changes.entries(idOf("s"), 0))[0]!.entry).not.toHaveProperty("arguments.long");
});

test("an entry is appended where its number is the next one, with the time", async () => {
  const { changes } = changesOver(createMemoryStore().sessions);
  await changes.keep(idOf("s"), call(), 1);

  expect(await changes.append(idOf("s"), 0, { kind: "undone", of: 1 })).toBe(false);
  expect(await changes.append(idOf("s"), 1, { kind: "undone", of: 1 })).toBe(true);
  expect((await changes.entries(idOf("s"), 1))[0]).toEqual({
    sequence: 2,
    entry: { kind: "undone", of: 1, at: 1_000 },
  });
});

test("another process may append meanwhile: the change gets the number after", async () => {
  const { sessions } = createMemoryStore();
  const [one, other] = [changesOver(sessions).changes, changesOver(sessions).changes];
  await one.keep(idOf("s"), call({ callId: "1" }), 1);
  await other.keep(idOf("s"), call({ callId: "2" }), 1);
  await Promise.all([
    one.keep(idOf("s"), call({ callId: "3" }), 1),
    one.keep(idOf("s"), call({ callId: "4" }), 1),
  ]);

  const entries = await other.entries(idOf("s"), 0);
  expect(entries.map(({ sequence, entry }) => [sequence, (entry as JsonObject)["callId"]])).toEqual([
    [1, "1"],
    [2, "2"],
    [3, "3"],
    [4, "4"],
  ]);
});

test("a session that was deleted begins again, and a log that accepts nothing is reported", async () => {
  const { sessions } = createMemoryStore();
  const { changes } = changesOver(sessions);
  await changes.keep(idOf("s"), call(), 1);
  await changes.keep(idOf("s"), call(), 2);
  await sessions.delete("s");
  await changes.keep(idOf("s"), call(), 3);
  expect(await changes.entries(idOf("s"), 0)).toMatchObject([{ sequence: 1, entry: { data: 3 } }]);

  const problem = {
    code: "STORE_FAILED",
    cause: { message: "the log of the session's changes accepts no entry" },
  };
  const refusing = changesOver({ ...sessions, append: async () => false }).changes;
  await expect(refusing.keep(idOf("s"), call(), 1)).rejects.toMatchObject(problem);
  await expect(refusing.keep(idOf("new"), call(), 1)).rejects.toMatchObject(problem);
});

test("failures of the store have its code, and the next change is stored", async () => {
  const { sessions } = createMemoryStore();
  let isAway = true;
  const away = () => Promise.reject(new Error("away"));
  const { changes } = changesOver({
    ...sessions,
    append: (...given) => (isAway ? away() : sessions.append(...given)),
    entries: (...given) => (isAway ? away() : sessions.entries(...given)),
    list: away,
  });
  for (const failing of [
    () => changes.keep(idOf("s"), call(), 1),
    () => changes.entries(idOf("s"), 0),
    () => changes.append(idOf("s"), 0, {}),
    () => changes.below(idOf("s")),
  ])
    await expect(failing()).rejects.toMatchObject({ code: "STORE_FAILED", cause: { message: "away" } });
  isAway = false;
  await changes.keep(idOf("s"), call(), 1);
  expect(await changes.entries(idOf("s"), 0)).toHaveLength(1);
});

test("the oldest changes of a session are dropped, and its last one stays", async () => {
  const trims: [string, number][] = [];
  const { sessions } = createMemoryStore();
  const store = { ...sessions, trim: async (id: string, before: number) => void trims.push([id, before]) };
  const bytes = JSON.stringify({ kind: "change", ...stored(), data: 1 }).length;
  const { changes, set } = changesOver(store, { sessionBytes: 2 * bytes });
  const keep = async (at: number) => {
    set(at);
    await changes.keep(idOf("s"), call(), 1);
  };
  await keep(1_000);
  await keep(2_000);
  expect(trims).toEqual([]);
  await keep(3_000);
  await keep(4_000);
  expect(trims).toEqual([
    [changesLogOf("s"), 2],
    [changesLogOf("s"), 3],
  ]);

  const small = changesOver(store, { sessionBytes: 1 });
  await small.changes.keep(idOf("t"), call(), 1);
  expect(trims.at(-1)).toEqual([changesLogOf("t"), 1]);
  const { trim: _, ...untrimmed } = createMemoryStore().sessions;
  const kept = changesOver(untrimmed, { sessionBytes: 1 }).changes;
  await kept.keep(idOf("t"), call(), 1);
  await kept.keep(idOf("t"), call(), 1);
  expect(await kept.entries(idOf("t"), 0)).toHaveLength(2);
});

test("without a store, the sessions that were used first lose their changes", async () => {
  const bytes = JSON.stringify({ kind: "change", ...stored(), data: 1 }).length;
  const kept = async (memoryBytes: number) => {
    const { changes, set } = changesOver(null, { memoryBytes });
    for (const [at, id] of ["a", "b", "a", "c"].entries()) {
      set(1_000 + at);
      await changes.keep(idOf(id), call(), 1);
    }
    return Promise.all(["a", "b", "c"].map(async (id) => (await changes.entries(idOf(id), 0)).length));
  };

  expect(await kept(4 * bytes)).toEqual([2, 1, 1]);
  expect(await kept(4 * bytes - 1)).toEqual([2, 0, 1]);
  expect(await kept(3 * bytes - 1)).toEqual([0, 0, 1]);
  expect(await kept(1)).toEqual([0, 0, 1]);
});

test("a session that is forgotten has no changes in memory, and begins with the first number", async () => {
  const { changes } = changesOver(null);
  await changes.keep(idOf("s"), call(), 1);
  changes.forget(idOf("s"));
  expect(await changes.entries(idOf("s"), 0)).toEqual([]);
  await changes.keep(idOf("s"), call(), 2);
  expect(await changes.entries(idOf("s"), 0)).toMatchObject([{ sequence: 1, entry: { data: 2 } }]);
});

test("the sessions below one are those that it began, directly or not, at most a thousand", async () => {
  const { sessions } = createMemoryStore();
  const add = (id: string, parentId: string | null) =>
    sessions.save({ id, parentId, version: 1, updatedAt: 1, userId: null, facts: {} } as never);
  await add("top", null);
  for (const [id, parent] of [
    ["a", "top"],
    ["b", "top"],
    ["c", "a"],
    ["d", "c"],
    ["x", "other"],
  ] as const)
    await add(id, parent);
  const { changes } = changesOver(sessions);

  expect([...(await changes.below(idOf("top")))].toSorted()).toEqual(["a", "b", "c", "d"]);
  expect(await changes.below(idOf("d"))).toEqual([]);
  expect(await changesOver(null).changes.below(idOf("top"))).toEqual([]);
  for (let at = 0; at < 999; at++) await add(`e${at}`, "d");
  expect(await changes.below(idOf("top"))).toHaveLength(1_000);
});
