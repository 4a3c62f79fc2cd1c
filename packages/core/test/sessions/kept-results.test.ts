import { expect, test } from "vitest";
import { createMemoryStore, ownSession, type SessionStore } from "../../src/index.ts";
import { SessionResults, type NewResult } from "../../src/sessions/results.ts";
import { resultsLogOf } from "../../src/sessions.ts";
import { createRedactor } from "../../src/text/redact.ts";

const idOf = (name: string) => ownSession(null, name);

const limits = { sessionBytes: 100, allBytes: 1_000, sessions: 10 };

/** The results of a host, which has a store or not. Its clock stands at 7. */
function resultsOver(sessions: SessionStore | null, own: Partial<typeof limits> = {}) {
  const host = {
    clock: { now: () => 7 } as never,
    redact: createRedactor(),
    moduleSet: { known: {} as never, registry: undefined as never },
    stores: { sessions: () => sessions, track: <Value>(work: Promise<Value>) => work },
  };
  return new SessionResults(host, { ...limits, ...own });
}

const result = (value: NewResult["value"], more: Partial<NewResult> = {}): NewResult => ({
  tool: "look",
  owner: "o",
  arguments: {},
  value,
  isError: false,
  ...more,
});
/** With its arguments and braces, such a result has 51 bytes. */
const text = (letter: string) => result(letter.repeat(43));
const seen = (results: SessionResults, ...ids: string[]) => {
  const { results: list, isPartial } = results.of(ids.map(idOf));
  return [list.map(({ value }) => JSON.stringify(value).slice(1, 2)).join(""), isPartial];
};

test("without a store, a session has its results in order, numbered from 1, and frozen", () => {
  const results = resultsOver(null);
  expect(results.add(idOf("s"), text("a"))).toBeNull();
  expect(results.add(idOf("s"), result({ deep: 1 }, { isError: true, meta: { m: 1 } }))).toBeNull();
  expect(results.load([idOf("s")])).toBeNull();

  expect(results.of([idOf("s")])).toEqual({
    results: [
      { call: 1, ...text("a") },
      { call: 2, ...result({ deep: 1 }, { isError: true, meta: { m: 1 } }) },
    ],
    isPartial: false,
  });
  expect(Object.isFrozen(results.of([idOf("s")]).results[0])).toBe(true);
  expect(results.of([idOf("other")])).toEqual({ results: [], isPartial: false });
  expect(results.of([])).toEqual({ results: [], isPartial: false });
});

test("a session has as many bytes as it may have, and its oldest results are dropped", () => {
  const exact = resultsOver(null, { sessionBytes: 102 });
  for (const letter of "ab") void exact.add(idOf("s"), text(letter));
  expect(seen(exact, "s")).toEqual(["ab", false]);

  const less = resultsOver(null, { sessionBytes: 101 });
  for (const letter of "ab") void less.add(idOf("s"), text(letter));
  expect(seen(less, "s")).toEqual(["b", true]);

  const larger = resultsOver(null, { sessionBytes: 50 });
  void larger.add(idOf("s"), text("a"));
  expect(seen(larger, "s")).toEqual(["", true]);
  // Members of another protocol count, too.
  const meta = resultsOver(null, { sessionBytes: 51 });
  void meta.add(idOf("s"), text("a"));
  void meta.add(idOf("s"), { ...text("b"), meta: { m: 1 } });
  expect(seen(meta, "s")).toEqual(["a", true]);
});

test("all sessions have as many bytes as they may have, and the one that was used first is dropped", () => {
  const of = (allBytes: number) => {
    const results = resultsOver(null, { allBytes, sessionBytes: 200 });
    void results.add(idOf("a"), text("a"));
    void results.add(idOf("b"), text("b"));
    void results.add(idOf("a"), text("c"));
    void results.add(idOf("c"), text("d"));
    return ["a", "b", "c"].map((id) => seen(results, id));
  };

  expect(of(204)).toEqual([
    ["ac", false],
    ["b", false],
    ["d", false],
  ]);
  expect(of(203)).toEqual([
    ["ac", false],
    ["", true],
    ["d", false],
  ]);
  expect(of(152)).toEqual([
    ["", true],
    ["", true],
    ["d", false],
  ]);
  // The session that is used keeps its own results.
  expect(of(40)).toEqual([
    ["", true],
    ["", true],
    ["d", false],
  ]);
});

test("of more sessions than a host may have, the one that was used first is forgotten", () => {
  const results = resultsOver(null, { sessions: 2, sessionBytes: 200 });
  for (const id of ["a", "b", "a", "c"]) void results.add(idOf(id), text(id));

  expect(seen(results, "a")).toEqual(["aa", false]);
  expect(seen(results, "c")).toEqual(["c", false]);
  // It is as one that has never been used.
  expect(seen(results, "b")).toEqual(["", false]);
});

test("results of parents come first, and a parent that was deleted is known to be missing", async () => {
  const { sessions } = createMemoryStore();
  const writer = resultsOver(sessions);
  await writer.add(idOf("parent"), text("p"));
  await writer.add(idOf("child"), text("c"));
  const record = { version: 1, updatedAt: 1, parentId: null, userId: null, facts: {} };
  await sessions.save({ ...record, id: "kept" } as never);

  const reader = resultsOver(sessions);
  await reader.load([idOf("parent"), idOf("child")]);
  expect(seen(reader, "parent", "child")).toEqual(["pc", false]);
  await reader.load([idOf("kept"), idOf("child")]);
  expect(seen(reader, "kept", "child")).toEqual(["c", false]);
  await reader.load([idOf("gone"), idOf("child")]);
  expect(seen(reader, "gone", "child")).toEqual(["c", true]);
  // The session itself may be new.
  await reader.load([idOf("parent"), idOf("new")]);
  expect(seen(reader, "parent", "new")).toEqual(["p", false]);
  await reader.load([idOf("new"), idOf("parent")]);
  await reader.load([idOf("parent"), idOf("gone")]);
  expect(seen(reader, "parent", "gone")).toEqual(["p", false]);
});

test("a stored result has its time and no number, and is read as it was", async () => {
  const { sessions } = createMemoryStore();
  const more = { isError: true, meta: { m: 1 }, confirmed: ["path"] } as unknown as Partial<NewResult>;
  const writer = resultsOver(sessions);
  await writer.add(idOf("s"), result({ password: "hunter2" }, more));
  await writer.add(idOf("s"), result(null));

  expect(await sessions.entries(resultsLogOf("s"))).toEqual([
    { sequence: 1, entry: { ...result({ password: "[masked]" }, more), call: 1, at: 7 } },
    { sequence: 2, entry: { ...result(null), call: 2, at: 7 } },
  ]);
  const reader = resultsOver(sessions);
  await reader.load([idOf("s")]);
  expect(reader.of([idOf("s")])).toEqual({
    results: [
      { call: 1, ...result({ password: "[masked]" }, more) },
      { call: 2, ...result(null) },
    ],
    isPartial: false,
  });
});

const whole = { tool: "look", owner: "o", arguments: {}, value: 1, isError: false };

test.each([
  ["a number", 7],
  ["a list", [1]],
  ["no tool", { ...whole, tool: 7 }],
  ["no owner", { ...whole, owner: null }],
  ["arguments that are no object", { ...whole, arguments: [] }],
  ["only its time", { at: 7 }],
])("an entry that is %s is a result that is missing", async (_, entry) => {
  const { sessions } = createMemoryStore();
  await sessions.append(resultsLogOf("s"), 0, [whole, entry, { ...whole, value: 2 }]);
  const reader = resultsOver(sessions);
  await reader.load([idOf("s")]);

  expect(reader.of([idOf("s")]).results.map(({ call, value }) => [call, value])).toEqual([
    [1, 1],
    [3, 2],
  ]);
  expect(reader.of([idOf("s")]).isPartial).toBe(true);
  await reader.add(idOf("s"), result(3));
  expect(reader.of([idOf("s")]).results.at(-1)).toMatchObject({ call: 4, value: 3 });
});

test("members that another version stored otherwise are left out", async () => {
  const { sessions } = createMemoryStore();
  const { value: _, ...bare } = whole;
  const odd = { ...bare, isError: "yes", meta: [], confirmed: "all", more: 1 };
  await sessions.append(resultsLogOf("s"), 0, [odd]);
  const reader = resultsOver(sessions);
  await reader.load([idOf("s")]);

  expect(reader.of([idOf("s")])).toEqual({ results: [{ call: 1, ...whole, value: null }], isPartial: false });
});

test("a log whose beginning was trimmed is partial, and one that continues is not", async () => {
  const { sessions } = createMemoryStore();
  await sessions.append(resultsLogOf("s"), 0, [whole, whole, whole]);
  const early = resultsOver(sessions);
  await early.load([idOf("s")]);
  await sessions.append(resultsLogOf("s"), 3, [whole]);
  await sessions.trim!(resultsLogOf("s"), 3);
  await early.load([idOf("s")]);
  expect(early.of([idOf("s")])).toMatchObject({
    isPartial: false,
    results: [1, 2, 3, 4].map((call) => ({ call })),
  });

  const late = resultsOver(sessions);
  await late.load([idOf("s")]);
  expect(late.of([idOf("s")])).toMatchObject({ isPartial: true, results: [3, 4].map((call) => ({ call })) });
});

test("two hosts add to one log, and each reads what the other added", async () => {
  const { sessions } = createMemoryStore();
  const [one, other] = [resultsOver(sessions), resultsOver(sessions)];
  await one.add(idOf("s"), result(1));
  await Promise.all([
    other.add(idOf("s"), result(2)),
    one.add(idOf("s"), result(3)),
    other.add(idOf("s"), result(4)),
  ]);
  await one.load([idOf("s")]);
  await other.load([idOf("s")]);

  expect(one.of([idOf("s")]).results.map(({ call }) => call)).toEqual([1, 2, 3, 4]);
  expect(other.of([idOf("s")])).toEqual(one.of([idOf("s")]));
});

test("the store is trimmed once for each result that is dropped, and not while all are kept", async () => {
  const trims: [string, number][] = [];
  const { sessions } = createMemoryStore();
  const results = resultsOver({ ...sessions, trim: async (id, before) => void trims.push([id, before]) });
  for (const letter of "ab") await results.add(idOf("s"), text(letter));
  expect(trims).toEqual([[resultsLogOf("s"), 2]]);
  await results.add(idOf("s"), result(1));
  expect(trims).toHaveLength(1);
  await results.add(idOf("s"), result("x".repeat(200)));
  expect(trims).toHaveLength(1);
  await results.add(idOf("s"), text("c"));
  expect(trims).toEqual([
    [resultsLogOf("s"), 2],
    [resultsLogOf("s"), 3],
  ]);

  const { trim: _, ...untrimmed } = createMemoryStore().sessions;
  const kept = resultsOver(untrimmed);
  for (const letter of "abc") await kept.add(idOf("s"), text(letter));
  expect(seen(kept, "s")).toEqual(["c", true]);
});

test("a failure of the store is reported with its code, and later results are stored", async () => {
  const { sessions } = createMemoryStore();
  let isAway = true;
  const results = resultsOver({
    ...sessions,
    append: (...given) => (isAway ? Promise.reject(new Error("away")) : sessions.append(...given)),
    entries: (...given) => (isAway ? Promise.reject(new Error("away")) : sessions.entries(...given)),
  });
  const cause = expect.objectContaining({ message: "away" }) as Error;
  await expect(results.add(idOf("s"), text("a"))).rejects.toMatchObject({ code: "STORE_FAILED", cause });
  await expect(results.load([idOf("s")])).rejects.toMatchObject({ code: "STORE_FAILED", cause });
  isAway = false;
  await results.add(idOf("s"), text("b"));
  expect(seen(results, "s")).toEqual(["b", false]);

  const stuck = resultsOver({ ...sessions, append: async () => false, entries: async () => [] });
  await expect(stuck.add(idOf("s"), text("a"))).rejects.toMatchObject({
    cause: { message: "the log of the session's results accepts no entry" },
  });
});
