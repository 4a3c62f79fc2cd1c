import { createHost, createMemoryStore, data, defineTool, silentLogger } from "@toolmount/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { askReload } from "../src/work/replica-rows.ts";
import { Replicas } from "../src/work/replicas.ts";
import { settle } from "./support/turns.ts";

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
  await lookAll([one, other, late]);
  expect([one, other, late].map(({ plan }) => plan.reload.mock.calls.length)).toEqual([1, 1, 0]);
});

/** Lets every server look so often that a reload has gone through all of them. */
async function lookAll(servers: readonly { readonly replicas: Replicas }[]): Promise<void> {
  for (let n = 0; n < 2 * servers.length + 1; n++)
    for (const { replicas } of servers) {
      await replicas.look();
      await settle();
    }
}

const problems = async (replicas: Replicas) =>
  new Map((await replicas.list()).map(({ url, problem }) => [url, problem]));

const untried = "another server could not mount it, so it was not tried here";

test("a plan that a server could not mount is the problem that the list has, until it can", async () => {
  const { start } = world();
  const servers = [await start("a"), await start("b")] as const;
  const [one, other] = servers;
  other.plan.reload.mockRejectedValueOnce(new Error("line 3 is wrong"));
  await one.replicas.reload();
  await lookAll(servers);
  expect(await problems(one.replicas)).toEqual(
    new Map([
      ["http://a", null],
      ["http://b", "line 3 is wrong"],
    ]),
  );
  await other.replicas.reload();
  await lookAll(servers);
  expect([...(await problems(one.replicas)).values()]).toEqual([null, null]);
});

test("servers mount a plan again one after the other, and look at the store meanwhile", async () => {
  const { start, store, later } = world();
  const servers = await Promise.all(["a", "b", "c", "d"].map((digest) => start(digest)));
  const mounting: ((report: object) => void)[] = [];
  for (const { plan } of servers)
    plan.reload.mockImplementation(() => new Promise((resolve) => mounting.push(resolve)));
  await askReload(store.work!, "desk", 1_000);
  for (let done = 1; done <= servers.length; done++) {
    await lookAll(servers);
    later(10_000);
    await lookAll(servers);
    expect(mounting).toHaveLength(done);
    expect(new Set((await states(servers[0]!.replicas)).map(([, state]) => state))).toEqual(
      new Set(["ready"]),
    );
    mounting.at(-1)!({ generation: 2 });
    await settle();
  }
  await lookAll(servers);
  expect((await servers[0]!.replicas.list()).map(({ reload }) => reload)).toEqual([1, 1, 1, 1]);
});

test("a plan that no server can mount is tried at one, and the others keep theirs", async () => {
  const { start, store } = world();
  const servers = await Promise.all(["a", "b", "c"].map((digest) => start(digest)));
  for (const { plan } of servers) plan.reload.mockRejectedValue(new Error("line 3 is wrong"));
  await askReload(store.work!, "desk", 1_000);
  await lookAll(servers);
  expect(servers.flatMap(({ plan }) => plan.reload.mock.calls)).toHaveLength(1);
  const said = [...(await problems(servers[0]!.replicas)).values()];
  expect(said.filter((problem) => problem === untried)).toHaveLength(2);
  expect(said).toContain("line 3 is wrong");
});

test("a server that is killed before its turn holds up the others no longer than its lease", async () => {
  const { start, store, later } = world();
  const servers = await Promise.all(["a", "b", "c"].map((digest) => start(digest)));
  await askReload(store.work!, "desk", 1_000);
  const [first, ...rest] = servers.toSorted((one, other) => (one.replicas.id < other.replicas.id ? -1 : 1));
  await lookAll(rest);
  expect(rest.flatMap(({ plan }) => plan.reload.mock.calls)).toHaveLength(0);
  later(15_001);
  await lookAll(rest);
  expect(rest.flatMap(({ plan }) => plan.reload.mock.calls)).toHaveLength(2);
  expect(first!.plan.reload).not.toHaveBeenCalled();
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
