import { expect, test } from "vitest";
import {
  createMemoryStore,
  ownSession,
  systemClock,
  type KeptResult,
  type StateStore,
} from "../../src/index.ts";
import { SessionResults, type NewResult } from "../../src/sessions/results.ts";
import { resultsLogOf } from "../../src/sessions.ts";
import { createRedactor } from "../../src/text/redact.ts";

const id = (name: string) => ownSession(null, name);

const log = resultsLogOf("s");

/** The results of a host over a store, of which one session may keep a hundred bytes or so. */
function resultsOver({ sessions }: Pick<StateStore, "sessions">) {
  const host = {
    clock: systemClock,
    redact: createRedactor(),
    moduleSet: { known: {} as never, registry: undefined as never },
    stores: { sessions: () => sessions, track: <Value>(work: Promise<Value>) => work },
  };
  return new SessionResults(host, { sessionBytes: 100, allBytes: 1_000, sessions: 10 });
}

const result = (value: KeptResult["value"]): NewResult => ({
  tool: "look",
  owner: "o",
  arguments: {},
  value,
  isError: false,
});
const text = (letter: string) => result(letter.repeat(40));
const callsOf = (results: SessionResults) => results.of([id("s")]).results.map(({ call }) => call);

test("results that a session drops are dropped from the store, and the others keep their numbers", async () => {
  const store = createMemoryStore();
  const results = resultsOver(store);
  for (const letter of "abcd") await results.add(id("s"), text(letter));
  expect(callsOf(results)).toEqual([3, 4]);
  expect((await store.sessions.entries(log)).map(({ sequence }) => sequence)).toEqual([3, 4]);

  const other = resultsOver(store);
  await other.load([id("s")]);
  expect(other.of([id("s")])).toEqual({ ...results.of([id("s")]), isPartial: true });
  await other.add(id("s"), text("e"));
  await results.load([id("s")]);
  expect([callsOf(other), callsOf(results)]).toEqual([
    [4, 5],
    [4, 5],
  ]);
});

test("of a result that is too large only its place is stored, and the session knows that one is missing", async () => {
  const store = createMemoryStore();
  const results = resultsOver(store);
  await results.add(id("s"), result("x".repeat(500)));
  await results.add(id("s"), text("b"));
  expect(callsOf(results)).toEqual([2]);
  expect(JSON.stringify(await store.sessions.entries(log))).not.toContain("xxx");
  const other = resultsOver(store);
  await other.load([id("s")]);
  expect(other.of([id("s")])).toMatchObject({ isPartial: true, results: [{ call: 2 }] });
});

test("when a session is deleted, a host that still has it forgets its results at the next one", async () => {
  const store = createMemoryStore();
  const results = resultsOver(store);
  await results.add(id("s"), text("a"));
  await store.sessions.delete("s");
  expect(await store.sessions.entries(log)).toEqual([]);
  await results.add(id("s"), text("b"));
  expect(results.of([id("s")])).toMatchObject({
    isPartial: true,
    results: [{ call: 1, value: "b".repeat(40) }],
  });
});

test("a store that accepts no entry is reported", async () => {
  const { sessions } = createMemoryStore();
  const results = resultsOver({ sessions: { ...sessions, append: async () => false } });
  await expect(results.add(id("s"), text("a"))).rejects.toMatchObject({ code: "STORE_FAILED" });
});

test("secrets in stored results are masked", async () => {
  const store = createMemoryStore();
  await resultsOver(store).add(id("s"), result({ password: "hunter2" }));
  expect(JSON.stringify(await store.sessions.entries(log))).not.toContain("hunter2");
});
