import { createMemoryStore, silentLogger, systemClock, type Logger, type WorkStore } from "@toolmount/core";
import { expect, test } from "vitest";
import { TurnEvents } from "../src/work/turn-events.ts";

/** Reads the events of a turn at another server, after an id, until there are no more. */
async function readAt(store: WorkStore, after?: string) {
  const events = new TurnEvents({ store, clock: systemClock, logger: silentLogger }, "t1");
  const options = { signal: new AbortController().signal, isOver: async () => true, onIdle: () => {} };
  const seen: [string, unknown][] = [];
  for await (const { id, data } of events.after(after, options)) seen.push([id, data]);
  return seen;
}

test("the events of a turn are the same at every server, in order, after each of their ids", async () => {
  const store = createMemoryStore().work!;
  const [first, second] = [1, 2].map(
    () => new TurnEvents({ store, clock: systemClock, logger: silentLogger }, "t1"),
  ) as [TurnEvents, TurnEvents];
  for (const data of ["a", "b"]) first.add("step", data);
  await first.stored();
  second.add("step", "c");
  await second.stored();
  // It does not know what the second one has stored.
  first.add("turn", "d");
  await first.stored();
  await new TurnEvents({ store, clock: systemClock, logger: silentLogger }, "t2").stored();

  const all = await readAt(store);
  expect(all.map(([, data]) => data)).toEqual(["a", "b", "c", "d"]);
  for (const [at, [id]] of all.entries()) expect(await readAt(store, id)).toEqual(all.slice(at + 1));
});

test("events of a moment are one row", async () => {
  const store = createMemoryStore().work!;
  const events = new TurnEvents({ store, clock: systemClock, logger: silentLogger }, "t1");
  for (let n = 0; n < 50; n++) events.add("step", n);
  await events.stored();
  expect(await store.list({ kind: "turn-events" })).toHaveLength(1);
});

test("what a store refused is stored when it is back, without another event, and each is logged once", async () => {
  const store = createMemoryStore().work!;
  let refused = 0;
  const away: WorkStore = {
    ...store,
    save: (record) =>
      refused < 3 ? Promise.reject(new Error(`away ${(refused += 1)}`)) : store.save(record),
  };
  const lines: unknown[] = [];
  const note = (level: string) => (fields: object, text?: string) => void lines.push([level, fields, text]);
  const logger = { ...silentLogger, error: note("error"), info: note("info") } as Logger;
  const events = new TurnEvents({ store: away, clock: systemClock, logger }, "t1");
  events.add("step", 1);
  events.add("step", 2);
  await expect.poll(async () => (await readAt(store)).map(([, data]) => data)).toEqual([1, 2]);
  expect(lines).toEqual([
    [
      "error",
      { err: new Error("away 1"), turn: "t1" },
      "the events of a turn cannot be stored; they are tried again",
    ],
    ["info", { turn: "t1" }, "the events of a turn are stored again"],
  ]);
});

test("a reader waits for what another server stores", async () => {
  const store = createMemoryStore().work!;
  const events = new TurnEvents({ store, clock: systemClock, logger: silentLogger }, "t1");
  const ending = new AbortController();
  const seen: unknown[] = [];
  const options = { signal: ending.signal, isOver: async () => false, onIdle: () => {} };
  const reading = (async () => {
    for await (const { data } of events.after(undefined, options)) seen.push(data);
  })();
  const other = new TurnEvents({ store, clock: systemClock, logger: silentLogger }, "t1");
  other.add("step", "a");
  await other.stored();
  await expect.poll(() => seen).toEqual(["a"]);
  ending.abort();
  await reading;
});
