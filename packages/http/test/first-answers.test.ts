import {
  createHost,
  createMemoryStore,
  silentLogger,
  systemClock,
  type Clock,
  type Json,
  type StateStore,
} from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { HttpError } from "../src/fault/http-error.ts";
import { FirstAnswers, type KeyedWork } from "../src/work/first-answers.ts";

const day = 86_400_000;
const lease = 9_000;

/** Several servers with one store, and the time that a test sets. */
function world(store: StateStore = createMemoryStore()) {
  let now = 1_000_000;
  const repeats = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    setTimer: (act) => {
      repeats.add(act);
      return { cancel: () => void repeats.delete(act), keepAlive: () => {} };
    },
  };
  const server = (scope = "plan") => {
    const host = createHost({ store, logger: silentLogger });
    onTestFinished(async () => void (await host.close()));
    return new FirstAnswers(host, clock, scope, lease);
  };
  return {
    store,
    server,
    wait: (ms: number) => void (now += ms),
    tick: () => [...repeats].forEach((act) => act()),
    ticking: () => repeats.size,
  };
}
const ask = (key = "k", owner = "ana", request: unknown = { a: 1 }) => ({ key, owner, request });

/** Work that is noted as run or recovered, and ends as the test says. */
function workOf(end: () => Promise<Json> | Json, seen: unknown[] = []) {
  const work: KeyedWork<Json> = {
    run: async () => (seen.push("run"), end()),
    recover: async (note) => (seen.push(["recover", note]), end()),
  };
  return { work, seen };
}

test("a key gets its first answer for a day, from every server, and then the work is done again", async () => {
  const { server, wait } = world();
  let count = 0;
  const { work, seen } = workOf(() => ({ count: ++count }));
  expect(await server().once(ask(), work)).toEqual({ answer: { count: 1 }, isFirst: true });
  wait(day);
  expect(await server().once(ask(), work)).toEqual({ answer: { count: 1 }, isFirst: false });
  wait(1);
  expect(await server().once(ask(), work)).toEqual({ answer: { count: 2 }, isFirst: true });
  expect(seen).toEqual(["run", "run"]);
});

test("keys are of one owner and one plan", async () => {
  const { server } = world();
  let count = 0;
  const { work } = workOf(() => ++count);
  const one = server();
  expect((await one.once(ask("k", "ana"), work)).answer).toBe(1);
  expect((await one.once(ask("k", "bob"), work)).answer).toBe(2);
  expect((await one.once(ask("l", "ana"), work)).answer).toBe(3);
  expect((await server("other").once(ask("k", "ana"), work)).answer).toBe(4);
});

test("the same key with another request is refused, and the first answer stays", async () => {
  const { server } = world();
  const { work } = workOf(() => "first");
  await server().once(ask(), work);
  await expect(server().once(ask("k", "ana", { a: 2 }), work)).rejects.toMatchObject({
    code: "IDEMPOTENCY_KEY_REUSED",
  });
  expect(await server().once(ask(), work)).toEqual({ answer: "first", isFirst: false });
});

test("requests at the same time on one server share the work, and another server is busy with it", async () => {
  const { server, wait, tick, ticking } = world();
  const ended = Promise.withResolvers<Json>();
  const { work, seen } = workOf(() => ended.promise);
  const here = server();
  const first = here.once(ask(), work);
  await new Promise((resolve) => setImmediate(resolve));
  const second = here.once(ask(), work);
  wait(1_001);
  await expect(server().once(ask(), work)).rejects.toMatchObject({
    code: "IDEMPOTENCY_KEY_BUSY",
    details: { seconds: 8 },
  });
  // The server that works says so before its lease is over.
  tick();
  await new Promise((resolve) => setImmediate(resolve));
  wait(8_999);
  await expect(server().once(ask(), work)).rejects.toMatchObject({ details: { seconds: 1 } });
  ended.resolve("done");
  expect([await first, await second]).toEqual([
    { answer: "done", isFirst: true },
    { answer: "done", isFirst: false },
  ]);
  expect([seen, ticking()]).toEqual([["run"], 0]);
});

describe("when the server that began is gone", () => {
  /** Work that keeps a note and never ends. */
  const begin = async (server: FirstAnswers, note?: Json) => {
    const kept = Promise.withResolvers<void>();
    void server.once(ask(), {
      run: async (keep) => {
        if (note !== undefined) await keep(note);
        kept.resolve();
        return new Promise<Json>(() => {});
      },
      recover: () => Promise.reject(new Error("it is not gone")),
    });
    await kept.promise;
  };

  test.each([
    [undefined, null],
    ["ticket", "ticket"],
    [{ a: 1 }, { a: 1 }],
  ])("another continues with the note %j after the lease", async (note, known) => {
    const { server, wait } = world();
    await begin(server(), note);
    const { work, seen } = workOf(() => "recovered");
    wait(lease - 1);
    await expect(server().once(ask(), work)).rejects.toMatchObject({ details: { seconds: 1 } });
    wait(1);
    expect(await server().once(ask(), work)).toEqual({ answer: "recovered", isFirst: true });
    expect(seen).toEqual([["recover", known]]);
    expect(await server().once(ask(), work)).toEqual({ answer: "recovered", isFirst: false });
  });

  test("the store has neither the key nor the note nor the answer as text", async () => {
    const { server, store, wait } = world();
    await begin(server(), "secret-note");
    const texts = async () => JSON.stringify(await store.work!.list({ kind: "key" }));
    expect(await texts()).not.toMatch(/secret-note|ana/);
    wait(lease);
    await server().once(ask("k"), workOf(() => "secret-answer").work);
    expect(await texts()).not.toContain("secret-answer");
  });
});

test("a refusal did nothing, so its key may be used again, also for another request", async () => {
  const { server } = world();
  const refuses = workOf(() => Promise.reject(new HttpError("FORBIDDEN", { problem: "no" })));
  await expect(server().once(ask(), refuses.work)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const { work, seen } = workOf(() => "done");
  expect((await server().once(ask("k", "ana", { a: 2 }), work)).isFirst).toBe(true);
  expect(seen).toEqual(["run"]);
});

test("a failure may have done something, so the next request continues, and a refusal then does not free the key", async () => {
  const { server } = world();
  const fails = workOf(() => Promise.reject(new Error("broken")));
  await expect(server().once(ask(), fails.work)).rejects.toThrow(
    expect.objectContaining({ message: "broken" }),
  );
  const refuses = workOf(() => Promise.reject(new HttpError("DRAINING", {})));
  await expect(server().once(ask(), refuses.work)).rejects.toMatchObject({ code: "DRAINING" });
  const { work, seen } = workOf(() => "done");
  expect(await server().once(ask(), work)).toEqual({ answer: "done", isFirst: true });
  expect([...refuses.seen, ...seen]).toEqual([
    ["recover", null],
    ["recover", null],
  ]);
});

test("keys of two days ago are deleted by the first request of a server", async () => {
  const { server, store, wait } = world();
  const { work } = workOf(() => "done");
  await server().once(ask("old"), work);
  const count = async () => (await store.work!.list({ kind: "key" })).length;
  wait(2 * day);
  await server().once(ask("new"), work);
  expect(await count()).toBe(2);
  wait(1);
  await server().once(ask("newer"), work);
  expect(await count()).toBe(2);
});
