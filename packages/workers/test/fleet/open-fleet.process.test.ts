import { hostname } from "node:os";
import { createHost, data, defineTool, ToolmountError, type JsonObject } from "@toolmount/core";
import { config, fleetQueues, mount, openWorkers } from "@toolmount/workers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freePort } from "../../../store/test/postgres.ts";
import { digestOfTool, groupOf } from "../../src/fleet/group.ts";
import { notedLedger, notingLogger } from "./ledger.ts";
import { startRedis, type RedisServer } from "./servers.ts";

let redis: RedisServer;
beforeAll(async () => void (redis = await startRedis()));
afterAll(() => redis.stop());

/** A host with a tool for each runner, and a ledger whose answers are the test's; null for a plan without a database. */
async function world(
  runners: Readonly<Record<string, JsonObject>>,
  answers: Parameters<typeof notedLedger>[0] | null = {},
) {
  const noted = notedLedger(answers ?? {});
  const { logger, lines } = notingLogger();
  const opened: unknown[] = [];
  const problems: Error[] = [];
  const host = createHost({ logger });
  onTestFinished(async () => void (await host.close({ graceMs: 0 })));
  const open = async () => {
    opened.push("open");
    const problem = problems.shift();
    if (problem !== undefined) throw problem;
    return noted.ledger;
  };
  if (answers !== null) host.coordinator.registerCapability("fleet.ledger", { url: redis.url, open });
  const draft = host.draft();
  const settings = Object.entries(runners).map(([name, run]) => ({ name, in: "fleet", ...run }));
  await mount(draft.addModule({ id: "@toolmount/workers" }).coordinator, config.parse({ runners: settings }));
  for (const runner of [...Object.keys(runners), undefined]) {
    const shape = runner === undefined ? {} : { runner };
    const { coordinator } = draft.addModule({ id: `of ${runner}`, shapeTool: () => shape });
    const tool = defineTool({
      name: `pay_${runner}`,
      description: "Pays. Use in tests.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: async () => data("paid"),
    });
    coordinator.mount("tools", tool);
  }
  await draft.commit();
  const digests = (...names: string[]) =>
    Object.fromEntries(
      host
        .tools()
        .filter(({ name }) => names.includes(name))
        .map((info) => [info.name, digestOfTool(info)]),
    );
  return { host, logger, lines, opened, problems, digests, ...noted };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ message }: Error) => message,
  );

describe("workers of a plan", () => {
  test("are one for each queue, with the tools whose calls go there", async () => {
    const { host, logger, digests, of, asked } = await world({
      a: { queue: "one" },
      b: { queue: "two", leaseMs: 10_000 },
      c: { queue: "one" },
    });
    const { workers, close } = await openWorkers(host, { logger, facts: { plan: "v1" } });
    const name = expect.stringMatching(/^w[\da-f]{16}$/);
    expect(workers).toEqual([
      { name, queue: "one", tools: ["pay_a", "pay_c"] },
      { name, queue: "two", tools: ["pay_b"] },
    ]);
    const facts = { machine: hostname(), pid: process.pid, node: process.version, plan: "v1" };
    const load = { concurrency: 4, running: 0, done: 0 };
    const member = (at: number, tools: Record<string, string>) => ({
      name: workers[at]!.name,
      role: "worker",
      queue: workers[at]!.queue,
      group: groupOf(tools),
      tools,
      facts: { ...facts, ...load },
    });
    expect(of("report")).toEqual([
      [member(0, digests("pay_a", "pay_c")), 15_000],
      [member(1, digests("pay_b")), 30_000],
    ]);
    expect(Object.fromEntries(fleetQueues(host))).toEqual({
      one: digests("pay_a", "pay_c"),
      two: digests("pay_b"),
    });
    await close({ graceMs: 1 });
    const last = asked.map(([method]) => method).slice(-5);
    expect([last.toSorted(), last.at(-1)]).toEqual([
      ["close", "leave", "leave", "unwatch", "unwatch"],
      "close",
    ]);
  });

  test("are those of the queues that were asked for, with as many calls at a time", async () => {
    const { host, logger, of, opened } = await world({ a: { queue: "one" }, b: { queue: "two" } });
    const { workers, close } = await openWorkers(host, { logger, queues: ["two", "three"], concurrency: 9 });
    expect(workers.map(({ queue }) => queue)).toEqual(["two"]);
    expect((of("report")[0]![0] as { facts: object }).facts).toMatchObject({ concurrency: 9 });
    await close({ graceMs: 1 });
    expect([opened.length, of("close").length]).toEqual([1, 1]);
  });

  test.each([
    [{}, {}, ""],
    [{ a: {} }, { queues: ["other"] }, " with the queue other"],
    [{ a: {} }, { queues: ["x", "y"] }, " with the queue x or y"],
  ])("%j with the options %j have nothing to run", async (runners, options, named) => {
    const { host, logger, opened } = await world(runners);
    const failure = openWorkers(host, { logger, ...options });
    await expect(failure).rejects.toThrow(expect.objectContaining({ code: "USAGE_INVALID" }));
    expect(await failureOf(failure)).toContain(
      `no entry of the plan has "run: { in: fleet }"${named}, so a worker has nothing to run`,
    );
    expect(opened).toEqual([]);
  });

  test("do not start where the ledger cannot be opened or watched, and the problem is that of the ledger", async () => {
    const away = new ToolmountError("STATE_UNAVAILABLE", { where: "w", problem: "p" });
    const { host, logger, problems, of } = await world({ a: {} });
    problems.push(away);
    await expect(openWorkers(host, { logger })).rejects.toBe(away);
    const broken = new Error("it cannot be watched");
    const other = await world(
      { a: {} },
      {
        watch: () => {
          throw broken;
        },
      },
    );
    await expect(openWorkers(other.host, { logger })).rejects.toBe(broken);
    expect([of("close").length, other.of("close").length]).toEqual([0, 1]);
  });

  test.each(["redis", "postgres"])(
    "whose engine on %s is away say where, without its password",
    async (kind) => {
      const port = await freePort();
      const { host, logger, of } = await world({ a: { engine: `${kind}://u:secret@127.0.0.1:${port}/0` } });
      const failure = await openWorkers(host, { logger }).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: "ENGINE_UNAVAILABLE",
        details: {
          where: `${kind}://…@127.0.0.1:${port}/0`,
          problem: expect.stringContaining(`ECONNREFUSED 127.0.0.1:${port}`),
          away: true,
        },
        cause: { code: "ECONNREFUSED" },
      });
      expect(JSON.stringify(failure)).not.toContain("secret");
      expect(of("close")).toHaveLength(1);
    },
  );
});

describe("the runners of fleets", () => {
  test("need a database for their ledger", async () => {
    const problem =
      "a fleet needs a ledger in Postgres; add to the plan: state: postgres://user@host/database";
    expect(await failureOf(world({ a: {} }, null))).toContain(problem);
  });

  test("open one ledger, with the first call, and again after it could not be opened", async () => {
    const { host, opened, problems, of } = await world(
      { a: { waitMs: 1 }, b: { waitMs: 1, queue: "two" } },
      { add: () => null },
    );
    expect(opened).toEqual([]);
    problems.push(new Error("it is away"));
    const first = await host.call({ name: "pay_a" });
    expect(first.result).toMatchObject({
      code: "UNAVAILABLE",
      error: expect.stringContaining("the fleet's ledger cannot be reached: it is away"),
    });
    for (const name of ["pay_a", "pay_b"]) {
      const { result } = await host.call({ name });
      expect(result.error).toContain('calls wait in the queue "');
    }
    expect([opened.length, of("watch").length]).toEqual([2, 1]);
    await host.close();
    expect([of("leave").length, of("close").length]).toEqual([1, 1]);
  });

  test("send calls through the engine of their queue, which is that of the database where the plan names none", async () => {
    const port = await freePort();
    const runs = { a: {}, b: { queue: "two", engine: `redis://127.0.0.1:${port}` } };
    const made = await world(runs, {
      members: (queue: string) => [
        { role: "worker", queue, group: "g", tools: made.digests("pay_a", "pay_b"), name: "w", facts: {} },
      ],
      add: ({ runId, queue, tool, digest }: Record<string, never>) => ({
        runId,
        queue,
        tool,
        digest,
        attempt: 0,
        rank: 0,
        nested: false,
      }),
    });
    const { host, digests, of, lines } = made;
    const stop = new AbortController();
    const call = host.call({ name: "pay_a" }, { abortSignal: stop.signal });
    const { openEngine } = await import("../../src/fleet/open-engine.ts");
    const engine = await openEngine(redis.url, made.logger);
    const taken: string[] = [];
    const receiver = await engine.receive("main", "g", 1, async (runIds) => (taken.push(...runIds), []));
    await expect.poll(() => taken).toEqual([expect.any(String)]);
    expect((of("add")[0]![0] as { runId: string }).runId).toBe(taken[0]);
    expect(Object.keys(digests("pay_a", "pay_b"))).toHaveLength(2);
    stop.abort();
    void call;
    await receiver.close();
    await engine.close();
    expect(lines.filter(([level]) => level === "warn")).toEqual([]);
  });
});
