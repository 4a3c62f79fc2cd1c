import { silentLogger, type FleetDelivery, type FleetEngine } from "@toolmount/core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openEngine } from "../../src/fleet/open-engine.ts";
import { freePort } from "../../../store/test/postgres.ts";
import { sharedPostgres, startRedis, type RedisServer } from "./servers.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
let redis: RedisServer;
let databases = 0;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([sharedPostgres(), startRedis()]);
});
afterAll(async () => {
  await redis.stop();
  await postgres.stop();
});

const delivery = (runId: string, more: Partial<FleetDelivery> = {}): FleetDelivery => {
  return { runId, queue: "q", tool: "pay", digest: "d", attempt: 0, rank: 0, nested: false, ...more };
};

/** The workers of a test end before their engine does. */
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** What a worker of the test takes, and how its calls end. */
async function workerOf(engine: FleetEngine, concurrency = 8, group = "g", queue = "q") {
  const taken: string[][] = [];
  const ends: (readonly [runId: string, end: () => void])[] = [];
  const receiver = await engine.receive(queue, group, concurrency, async (runIds) => {
    taken.push([...runIds]);
    return runIds.map((runId) => new Promise<void>((resolve) => void ends.push([runId, resolve])));
  });
  const end = (runId: string) => ends.find(([one]) => one === runId)![1]();
  closers.push(() => {
    for (const [, resolve] of ends) resolve();
    return receiver.close();
  });
  return { taken, end, receiver };
}

describe.each(["redis", "postgres"])("the engine on %s", (kind) => {
  const open = async () => {
    const url = kind === "redis" ? redis.url : await postgres.database(`engine${++databases}`);
    const engine = await openEngine(url, silentLogger);
    closers.push(() => engine.close());
    return engine;
  };
  /** Each test has a queue of its own: they share one Redis. */
  let number = 0;
  const ownQueue = () => `q${(number += 1)}`;

  test("keeps a call for the workers of its queue and group, and gives it to one of them once", async () => {
    const engine = await open();
    const queue = ownQueue();
    await engine.send("g", delivery("a", { queue }));
    await engine.send("g", delivery("a", { queue }));
    await engine.send("other", delivery("b", { queue }));
    await engine.send("g", delivery("c", { queue: `${queue}x` }));
    await engine.send("g", delivery("a", { queue, attempt: 1 }));
    const { taken } = await workerOf(engine, 8, "g", queue);
    await expect.poll(() => taken.length).toBe(2);
    expect(taken).toEqual([["a"], ["a"]]);
    const others = await workerOf(engine, 8, "other", queue);
    await expect.poll(() => others.taken).toEqual([["b"]]);
    expect(taken).toHaveLength(2);
  });

  test("keeps nothing of a delivery that ended, so the same one can be made again", async () => {
    const engine = await open();
    const queue = ownQueue();
    const { taken, end } = await workerOf(engine, 8, "g", queue);
    await engine.send("g", delivery("a", { queue }));
    await expect.poll(() => taken.length).toBe(1);
    end("a");
    const sendAgain = async () => {
      await engine.send("g", delivery("a", { queue }));
      return taken.length;
    };
    // One that is taken is over at once, so a slow machine can take several before it is looked at.
    await expect.poll(sendAgain).toBeGreaterThan(1);
  });

  test("gives the call with the smallest rank first, and the next one when a place is free", async () => {
    const engine = await open();
    const queue = ownQueue();
    for (const [runId, rank] of [
      ["late", 3_000_000],
      ["third", 9],
      ["second", 1],
      ["first", 0],
    ] as const)
      await engine.send("g", delivery(runId, { queue, rank }));
    const { taken, end } = await workerOf(engine, 1, "g", queue);
    for (const [at, runId] of ["first", "second", "third", "late"].entries()) {
      await expect.poll(() => taken.length).toBe(at + 1);
      expect(taken.at(-1)).toEqual([runId]);
      end(runId);
    }
  });

  test("sends calls of the same moment together, in as many parts as there are workers", async () => {
    const engine = await open();
    const queue = ownQueue();
    const runIds = ["a", "b", "c", "d", "e"];
    await Promise.all(runIds.map((runId) => engine.send("g", delivery(runId, { queue }), 2)));
    const { taken } = await workerOf(engine, 32, "g", queue);
    await expect.poll(() => taken.flat().length).toBe(5);
    expect(new Set(taken.map((runs) => runs.join(" ")))).toEqual(new Set(["a b c", "d e"]));
  });

  test("delivers again those calls of a part for which a worker has no place", async () => {
    const engine = await open();
    const queue = ownQueue();
    await Promise.all(["a", "b", "c"].map((runId) => engine.send("g", delivery(runId, { queue }))));
    const { taken, end } = await workerOf(engine, 2, "g", queue);
    await expect.poll(() => taken).toEqual([["a", "b"]]);
    end("a");
    await expect.poll(() => taken).toEqual([["a", "b"], ["c"]]);
  });

  test("gives calls by tools also to a worker without a free place", async () => {
    const engine = await open();
    const queue = ownQueue();
    const { taken } = await workerOf(engine, 1, "g", queue);
    await engine.send("g", delivery("a", { queue }));
    await expect.poll(() => taken).toEqual([["a"]]);
    await engine.send("g", delivery("inner", { queue, nested: true }));
    await expect.poll(() => taken).toEqual([["a"], ["inner"]]);
  });

  test("forgets what is left for a group, and takes its calls again later", async () => {
    const engine = await open();
    const queue = ownQueue();
    for (const nested of [false, true]) await engine.send("g", delivery(`old ${nested}`, { queue, nested }));
    await engine.send("other", delivery("kept", { queue }));
    await engine.remove(queue, "g");
    await engine.remove(queue, "none");
    await engine.send("g", delivery("new", { queue }));
    const { taken } = await workerOf(engine, 8, "g", queue);
    await expect.poll(() => taken).toEqual([["new"]]);
    const other = await workerOf(engine, 8, "other", queue);
    await expect.poll(() => other.taken).toEqual([["kept"]]);
    expect(taken).toEqual([["new"]]);
  });

  test("ends a worker when its calls have ended", async () => {
    const engine = await open();
    const queue = ownQueue();
    const { taken, end, receiver } = await workerOf(engine, 1, "g", queue);
    await engine.send("g", delivery("a", { queue }));
    await expect.poll(() => taken).toEqual([["a"]]);
    let isClosed = false;
    const closing = receiver.close().then(() => (isClosed = true));
    await engine.send("g", delivery("b", { queue }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([isClosed, taken]).toEqual([false, [["a"]]]);
    end("a");
    await closing;
    expect(taken).toEqual([["a"]]);
    const next = await workerOf(engine, 1, "g", queue);
    await expect.poll(() => next.taken).toEqual([["b"]]);
  });
});

test("a database that cannot be reached is the problem of who opens it", async () => {
  const port = await freePort();
  const refused = expect.objectContaining({ code: "ECONNREFUSED" });
  await expect(openEngine(`postgres://u@127.0.0.1:${port}/d`, silentLogger)).rejects.toThrow(refused);
  // Redis is asked when a worker begins, since a host connects with its first call.
  const logged: unknown[] = [];
  const logger = { ...silentLogger, debug: (...words: unknown[]) => void logged.push(words) };
  const engine = await openEngine(`redis://127.0.0.1:${port}`, logger);
  await expect(engine.receive("q", "g", 1, async () => [])).rejects.toThrow(refused);
  expect(logged[0]).toEqual([{ err: refused }, "the connection of a fleet to Redis failed"]);
  await engine.close();
});
