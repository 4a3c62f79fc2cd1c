import { describe, expect, test } from "vitest";
import type { FarProcess } from "../src/process/far-process.ts";
import { ModulePool } from "../src/process/module-pool.ts";

/** A process as a pool sees it: a test decides when it has mounted its module, and when it ends. */
function fake(report: object) {
  const ended = Promise.withResolvers<string>();
  const far = {
    isAlive: true,
    killed: undefined as string | undefined,
    ended: ended.promise,
    mounted: Promise.resolve(report),
    kill(because: string) {
      far.killed = because;
      far.end();
    },
    end() {
      far.isAlive = false;
      ended.resolve("ended");
    },
  };
  return far;
}
type Fake = ReturnType<typeof fake>;
const settle = async () => {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
};

interface Given {
  readonly processes?: number;
  /** What a process reports of its module. A promise that rejects: it cannot mount it. */
  readonly report?: object | (() => object);
  readonly fails?: () => boolean;
}

/** A pool, and the processes that it has started. */
function pool({ processes = 2, report = { keepsState: false }, fails = (): boolean => false }: Given = {}) {
  const started: Fake[] = [];
  const own = new ModulePool({
    processes,
    start: async () => {
      if (fails()) throw new Error("it cannot start");
      const far = fake(typeof report === "function" ? report() : report);
      started.push(far);
      return far as unknown as FarProcess;
    },
  });
  const take = async (depth = 0) => (await own.take(depth)) as unknown as Fake;
  const give = (far: Fake, depth = 0) => own.give(far as unknown as FarProcess, depth);
  return { own, started, take, give };
}

/** Whether a promise has resolved by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await settle();
  return done;
}

describe("a module without state", () => {
  test("has a process for each call, and one that is free takes the next", async () => {
    const { own, started, take, give } = pool();
    const first = await take();
    const second = await take();
    expect(first).not.toBe(second);
    expect(own.takeNow(0)).toBeUndefined();
    const waits = take();
    expect([await isDone(waits), started.length]).toEqual([false, 2]);
    give(second);
    expect(await waits).toBe(second);
    give(first);
    expect(own.takeNow(0)).toBe(first);
    expect(started).toHaveLength(2);
  });

  test("gives waiting calls their turn one after the other", async () => {
    const { take, give } = pool({ processes: 1 });
    const first = await take();
    const [second, third] = [take(), take()];
    give(first);
    expect(await second).toBe(first);
    expect(await isDone(third)).toBe(false);
    give(first);
    expect(await third).toBe(first);
  });

  test("starts more processes for calls by tools, at most sixteen of one depth", async () => {
    const { own, started, take, give } = pool({ processes: 1 });
    const outer = await take();
    const nested = await Promise.all(Array.from({ length: 16 }, () => take(1)));
    expect(new Set([outer, ...nested]).size).toBe(17);
    const waits = take(1);
    const deeper = await take(2);
    expect([await isDone(waits), started.length]).toEqual([false, 18]);
    expect(own.takeNow(1)).toBeUndefined();
    give(nested[3]!, 1);
    expect(await waits).toBe(nested[3]);
    give(deeper, 2);
    for (const far of nested.slice(4)) give(far, 1);
    expect(await isDone(Promise.all(Array.from({ length: 12 }, () => take(1))))).toBe(true);
  });

  test("has a new process for one that ended, before a call needs it", async () => {
    const { own, started, take, give } = pool();
    const first = await take();
    first.end();
    await settle();
    expect(started).toHaveLength(2);
    give(first);
    expect(own.takeNow(0)).toBe(started[1]);
    expect(own.takeNow(0)).toBeUndefined();
  });

  test("does not replace one while it has as many as it may have", async () => {
    const { started, take, give } = pool({ processes: 1 });
    await take();
    const nested = await take(1);
    nested.end();
    await settle();
    expect(started).toHaveLength(2);
    give(nested, 1);
  });
});

test("a module that keeps state has one process for all calls, and a new one after its end", async () => {
  const { own, started, take, give } = pool({ report: { keepsState: true } });
  const [first, second] = await Promise.all([take(), take(1)]);
  expect(first).toBe(second);
  expect(own.takeNow(0)).toBeUndefined();
  give(first);
  give(second, 1);
  expect(await take()).toBe(first);
  first.end();
  await settle();
  expect(started).toHaveLength(1);
  expect(await take()).toBe(started[1]);
});

test("calls that arrive before it is known whether the module keeps state wait for the first process", async () => {
  const { started, take } = pool();
  const all = await Promise.all([take(), take()]);
  expect([new Set(all).size, started.length]).toEqual([2, 2]);
});

test("a process that cannot start fails its call, and the next call tries again", async () => {
  let fails = true;
  const { own, take } = pool({ fails: () => fails });
  await expect(take()).rejects.toThrow(expect.objectContaining({ message: "it cannot start" }));
  await expect(own.describe(() => undefined)).rejects.toThrow(
    expect.objectContaining({ message: "it cannot start" }),
  );
  fails = false;
  expect((await take()).isAlive).toBe(true);
});

test("a process that could not mount the module leaves its place to the next call that waits", async () => {
  const broken = Promise.reject(new Error("it is broken"));
  broken.catch(() => {});
  const reports = [{ keepsState: false }, broken, { keepsState: false }];
  const { started, take, give } = pool({ processes: 1, report: () => reports.shift()! });
  const first = await take();
  const [second, third] = [take(), take()];
  second.catch(() => {});
  first.isAlive = false;
  give(first);
  first.end();
  await settle();
  started[1]!.end();

  await expect(second).rejects.toThrow("it is broken");
  expect(await third).toBe(started[2]);
});

describe("a rehearsal", () => {
  test("runs its previews in one process, which other calls use, too", async () => {
    const { own, take } = pool();
    const rehearsal = {};
    const stage = await own.stageOf(rehearsal, 0);
    expect(await take()).toBe(stage);
    expect(await own.stageOf(rehearsal, 0)).toBe(stage);
    expect(await own.stageOf({}, 0)).not.toBe(stage);
  });

  test("is lost with its process", async () => {
    const { own, started } = pool();
    const rehearsal = {};
    await own.stageOf(rehearsal, 0);
    started[0]!.end();
    await expect(own.stageOf(rehearsal, 0)).rejects.toThrow(
      "the process that had what the rehearsal staged has ended; rehearse again",
    );
  });

  test("that could not begin may begin again", async () => {
    let fails = true;
    const { own } = pool({ fails: () => fails });
    const rehearsal = {};
    await expect(own.stageOf(rehearsal, 0)).rejects.toThrow(
      expect.objectContaining({ message: "it cannot start" }),
    );
    await settle();
    fails = false;
    expect((await own.stageOf(rehearsal, 0)).isAlive).toBe(true);
  });
});

describe("a module with newer content", () => {
  test("keeps no process that runs no call", async () => {
    const { own, started, take, give } = pool();
    const [busy, idle] = [await take(), await take()];
    give(idle);
    own.retire();
    expect([idle.killed, busy.killed, own.isRetired]).toEqual([
      "its module has newer content",
      undefined,
      true,
    ]);
    await settle();
    expect(started).toHaveLength(2);
    give(busy);
    expect(busy.killed).toBe("its module has newer content");
  });

  test("starts a process for a call that waited for one", async () => {
    const { own, started, take, give } = pool({ processes: 1 });
    const first = await take();
    // It is killed, and its end is known later.
    first.kill = (because) => void Object.assign(first, { killed: because, isAlive: false });
    const waits = take();
    await settle();
    own.retire();
    give(first);
    await settle();
    expect([first.killed, started.length]).toEqual(["its module has newer content", 1]);
    first.end();
    expect(await waits).toBe(started[1]);
  });

  test("ends the one process of its state after the last call", async () => {
    const { own, take, give } = pool({ report: { keepsState: true } });
    const first = await take();
    await take();
    own.retire();
    give(first);
    expect(first.killed).toBeUndefined();
    give(first);
    expect(first.killed).toBe("its module has newer content");
  });
});

test("a pool that closes ends its processes, and calls that wait for one", async () => {
  const { own, started, take } = pool({ processes: 1 });
  await take();
  const waits = take();
  await settle();
  await own.close();
  await expect(waits).rejects.toThrow(expect.objectContaining({ message: "the host is closed" }));
  expect(started.map(({ killed }) => killed)).toEqual(["the host closed"]);
  await expect(take()).rejects.toThrow(expect.objectContaining({ message: "the host is closed" }));
  await settle();
  expect([started.length, own.takeNow(0)]).toEqual([1, undefined]);
});

test("what its first process reports is known, and its own events are passed on", async () => {
  const events: unknown[] = [];
  const contributions = [{ channel: "observability.events", name: "n", value: ["acme:done"] }];
  const { own, started } = pool({ report: { keepsState: false, tools: [], contributions } });
  const announce = (event: string, data: object) => void events.push([event, data]);
  expect(await own.describe(announce)).toEqual({ tools: [], contributions, hooks: [], capabilities: [] });
  expect(await own.describe(announce)).toMatchObject({ contributions });
  expect(started).toHaveLength(1);
  expect(own.takeNow(0)).toBe(started[0]);
  own.announce("acme:done", { a: 1 });
  own.announce("acme:other", {});
  expect(events).toEqual([["acme:done", { a: 1 }]]);
  const plain = pool();
  expect(await plain.own.describe(announce)).toEqual({
    tools: [],
    contributions: [],
    hooks: [],
    capabilities: [],
  });
  plain.own.announce("acme:done", {});
  expect(events).toHaveLength(1);
});
