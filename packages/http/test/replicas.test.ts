import { createHost, createMemoryStore, data, defineTool, silentLogger } from "@toolmount/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { Replicas } from "../src/work/replicas.ts";

/** Servers of one store, each with a plan that the test changes; `mounts` is how often each has mounted its plan again. */
function world() {
  const store = createMemoryStore();
  const host = createHost({ store, logger: silentLogger });
  onTestFinished(async () => void (await host.close()));
  let now = 1_000;
  const timers: (() => void)[] = [];
  const clock = {
    now: () => now,
    setTimer: (act: () => void) => {
      timers.push(act);
      return { cancel: () => {}, keepAlive: () => {} };
    },
  };
  const start = async (digest: string, scope = "desk") => {
    const plan = {
      digest: vi.fn<() => string>(() => digest),
      reload: vi.fn<() => Promise<object>>(async () => ({ generation: 2 })),
    };
    const given = { host, plan, clock, logger: silentLogger, scope, version: "1.0.0" };
    const replicas = new Replicas(given as never);
    await replicas.begin(`http://${digest}`);
    return { replicas, plan };
  };
  return { start, store, later: (ms: number) => (now += ms) };
}

const states = async (replicas: Replicas) =>
  (await replicas.list()).map(({ url, state, plan }) => [url, state, plan]);

test("the servers of a plan are listed with their plan and state, and those of another plan are not", async () => {
  const { start, later } = world();
  const one = await start("a");
  later(1);
  const other = await start("b");
  await start("c", "another");
  expect(await states(one.replicas)).toEqual([
    ["http://b", "ready", "b"],
    ["http://a", "ready", "a"],
  ]);
  await other.replicas.drain();
  expect((await states(one.replicas))[0]).toEqual(["http://b", "draining", "b"]);
  await other.replicas.close();
  later(15_001);
  expect(await states(one.replicas)).toEqual([["http://a", "gone", "a"]]);
  await one.replicas.look();
  expect(await states(one.replicas)).toEqual([["http://a", "ready", "a"]]);
});

test("a reload at one server is one at every other, once, and not at those that begin later", async () => {
  const { start } = world();
  const [one, other] = [await start("a"), await start("a")];
  expect(await one.replicas.reload()).toEqual({ generation: 2 });
  const late = await start("a");
  for (const { replicas } of [one, other, late]) for (let n = 0; n < 2; n++) await replicas.look();
  expect([one, other, late].map(({ plan }) => plan.reload.mock.calls.length)).toEqual([1, 1, 0]);
});

test("a plan that a server could not mount is the problem that the list has", async () => {
  const { start } = world();
  const [one, other] = [await start("a"), await start("b")];
  other.plan.reload.mockRejectedValue(new Error("line 3 is wrong"));
  await one.replicas.reload();
  await other.replicas.look();
  const problems = (await one.replicas.list()).map(({ url, problem }) => [url, problem]);
  expect(new Map(problems as [string, string | null][])).toEqual(
    new Map([
      ["http://a", null],
      ["http://b", "line 3 is wrong"],
    ]),
  );
});

test("work of a server with another plan is taken only when no server with that plan lives", async () => {
  const { start, later } = world();
  const old = await start("a");
  const { replicas } = await start("b");
  expect([undefined, "a", "b", "c"].map((plan) => replicas.mayTake(plan))).toEqual([true, false, true, true]);
  await old.replicas.drain();
  await replicas.look();
  expect(replicas.mayTake("a")).toBe(true);

  const killed = await start("c");
  await replicas.look();
  expect(replicas.mayTake("c")).toBe(false);
  later(15_001);
  await replicas.look();
  expect(replicas.mayTake("c")).toBe(true);
  await killed.replicas.close();
});

test("an idle server writes only when a third of its lease is over, or its plan is another", async () => {
  const { start, store, later } = world();
  const { replicas, plan } = await start("a");
  const save = vi.spyOn(store.work!, "save");
  const written = async (ms: number) => {
    later(ms);
    await replicas.look();
    return save.mock.calls.length;
  };

  expect([await written(2_000), await written(2_000), await written(1_000)]).toEqual([0, 0, 1]);
  plan.digest.mockReturnValue("b");
  expect([await written(2_000), await written(2_000)]).toEqual([2, 2]);
  expect(await states(replicas)).toEqual([["http://a", "ready", "b"]]);
});

test("a server whose row was deleted is there again at the next looks", async () => {
  const { start, later } = world();
  const { replicas } = await start("a");
  later(2 * 86_400_000);
  await start("b");
  for (let n = 0; n < 2; n++) await replicas.look();
  const urls = (await states(replicas)).map(([url]) => url);
  expect(new Set(urls)).toEqual(new Set(["http://a", "http://b"]));
});

test("servers of one store start tools as often together as the rate says, however many they are", async () => {
  const store = createMemoryStore();
  let [now, ran] = [0, 0];
  const timers = new Set<{ readonly at: number; readonly act: () => void }>();
  const clock = {
    now: () => now,
    setTimer(act: () => void, ms: number) {
      const timer = { at: now + ms, act };
      timers.add(timer);
      return { cancel: () => timers.delete(timer), keepAlive: () => {} };
    },
  };
  const count = defineTool({
    name: "count",
    description: "Counts that it ran. Use in tests.",
    schema: z.strictObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    timeout: 0,
    execute: () => data((ran += 1)),
  });
  const start = async () => {
    const host = createHost({ store, clock, limits: { rate: "10/s", queued: 10_000 } });
    host.coordinator.mount("tools", count);
    const plan = { digest: () => "a", reload: async () => ({}) };
    const given = { host, plan, clock, logger: silentLogger, scope: "desk", version: "1.0.0" };
    const replicas = new Replicas(given as never);
    await replicas.begin("http://a");
    return { host, replicas };
  };
  const servers = await Promise.all([start(), start(), start(), start()]);
  await Promise.all(servers.map(({ replicas }) => replicas.look()));
  const calls = servers.flatMap(({ host }) =>
    Array.from({ length: 1_000 }, () => host.call({ name: "count" })),
  );
  for (let second = 1; second <= 60; second++) {
    for (const end = now + 1_000; now < end; now += 50) {
      for (const timer of timers)
        if (timer.at <= now) {
          timers.delete(timer);
          timer.act();
        }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(ran).toBeLessThanOrEqual(second * 10);
  }
  expect(ran).toBeGreaterThanOrEqual(570);
  await Promise.all(servers.map(({ host }) => host.close()));
  expect(await Promise.all(calls)).toHaveLength(4_000);
});
