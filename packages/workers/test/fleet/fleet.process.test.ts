import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host, JsonObject } from "@toolmount/core";
import { openLedger } from "@toolmount/store";
import { describeContract } from "../call-contract.ts";
import { fleetHost, fleetWorld, worker, type FleetPlace } from "./fleet-world.ts";
import { memoryEngine } from "./memory-engine.ts";
import { sharedPostgres, startRedis, type RedisServer } from "./servers.ts";

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
let redis: RedisServer;
let folder: string;
let databases = 0;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([sharedPostgres(), startRedis()]);
  folder = mkdtempSync(join(tmpdir(), "toolmount-fleet-"));
});

afterAll(async () => {
  await redis.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A limit that a loaded machine does not reach. */
const limits = { timeoutMs: 100_000, graceMs: 50_000 };

describeContract(
  "a call on a fleet whose calls the program's own engine delivers",
  async (options) => {
    const database = await postgres.database(`own${++databases}`);
    // No BullMQ listens there.
    const run = { engine: "redis://127.0.0.1:1" };
    return fleetWorld({ database, run, engine: memoryEngine() }, options);
  },
  { stopsBlocked: false },
);

describe.each(["postgres", "redis"])("a fleet over %s", (kind) => {
  const place = async (run: JsonObject = {}): Promise<FleetPlace> => ({
    database: await postgres.database(`fleet${++databases}`),
    run: { ...run, ...(kind === "redis" && { engine: redis.url }) },
    module: "../modules/fleet-tools.ts",
  });
  const effect = (host: Host, given: JsonObject = {}, sessionId?: string) =>
    host.call({ name: "effect", arguments: given }, { sessionId });

  test("a call waits for a worker that starts later", async () => {
    const here = await place();
    await using host = disposable(await fleetHost(here, { limits }));
    const outcome = effect(host);
    await using _ = await worker(here);
    expect(await outcome).toMatchObject({ status: "ok" });
  });

  test("without a worker a call ends as UNAVAILABLE and says how to start one", async () => {
    const here = await place({ waitMs: 50 });
    await using host = disposable(await fleetHost(here, { limits }));
    const { status, result } = await effect(host);
    expect({ status, code: result.code }).toEqual({ status: "failed", code: "UNAVAILABLE" });
    expect(result.error).toContain('no worker of the queue "main" reports');
    expect(result.error).toContain("toolmount fleet work --queue main");
  });

  test("a worker with another definition of the tool is not given the call", async () => {
    const here = await place({ waitMs: 1_500 });
    await using host = disposable(await fleetHost(here, { limits }));
    const shape = { arguments: { ms: { description: "another text" } } };
    await using old = await worker({ ...here, shape });
    const file = join(folder, `${databases}-mismatch`);
    const refused = await effect(host, { file });
    expect(refused.result).toMatchObject({ code: "UNAVAILABLE" });
    expect(refused.result.error).toContain("another version");
    await using _ = await worker(here);
    expect(await effect(host, { file })).toMatchObject({ status: "ok" });
    expect(linesOf(file)).toHaveLength(1);
    expect(old.workers.workers).toHaveLength(1);
  });

  test("beyond maxWaiting a call is refused instead of queued", async () => {
    const here = await place({ maxWaiting: 2, waitMs: 60_000 });
    await using host = disposable(await fleetHost(here, { limits }));
    const stop = new AbortController();
    const call = () => host.call({ name: "effect" }, { abortSignal: stop.signal });
    const calls = [call(), call()];
    await depthIs(here, 2);
    const { result } = await call();
    expect(result).toMatchObject({ code: "UNAVAILABLE" });
    expect(result.error).toContain('2 calls wait in the queue "main"');
    stop.abort();
    const rest = (await Promise.all(calls)).filter(({ status }) => status === "cancelled");
    expect(rest).toHaveLength(2);
    const ledger = await openLedger(here.database);
    expect(await ledger.depth("main")).toEqual({ waiting: 0, running: 0, oldestMs: 0 });
    await ledger.close();
  });

  test("a session with many calls does not keep another session waiting for all of them", async () => {
    const here = await place();
    await using host = disposable(await fleetHost(here, { limits }));
    const order: string[] = [];
    const call = (sessionId: string) => effect(host, {}, sessionId).then(() => void order.push(sessionId));
    const flood = Array.from({ length: 30 }, () => call("flood"));
    await depthIs(here, 30);
    const others = ["a", "b", "c"].map(call);
    await depthIs(here, 33);
    await using _ = await worker(here, { concurrency: 1 });
    await Promise.all([...flood, ...others]);
    for (const session of ["a", "b", "c"]) expect(order.indexOf(session)).toBeLessThan(12);
  });

  test("a large result comes by reference, and the row is deleted", async () => {
    const here = await place();
    await using host = disposable(await fleetHost(here, { limits: { ...limits, outputBytes: 8_000_000 } }));
    await using _ = await worker(here);
    const { result } = await effect(host, { bytes: 4_000_000 });
    expect((result.data as { text: string }).text).toHaveLength(4_000_000);
    await rowsAre(here, 0);
  });

  test("approval is asked before the call leaves", async () => {
    const here = await place();
    let waitingWhenAsked: number | undefined;
    const approver = async () => {
      const ledger = await openLedger(here.database);
      waitingWhenAsked = (await ledger.depth("main")).waiting;
      await ledger.close();
      return { decision: "approve" } as const;
    };
    await using host = disposable(await fleetHost(here, { limits, approver }));
    await using _ = await worker(here);
    expect(await host.call({ name: "asks" })).toMatchObject({ status: "ok" });
    expect(waitingWhenAsked).toBe(0);
  });

  test("several hosts share a fleet, and each gets its own results", async () => {
    const here = await place();
    await using one = disposable(await fleetHost(here, { limits }));
    await using two = disposable(await fleetHost(here, { limits }));
    await using _ = await worker(here);
    await using second = await worker(here);
    const calls = [one, two, one, two, one, two].map((host) => effect(host));
    expect(second.workers.workers[0]!.queue).toBe("main");
    for (const { runId, status, result } of await Promise.all(calls)) {
      expect(status).toBe("ok");
      expect(result.data).toMatchObject({ runId });
    }
  });

  test("a cancelled call stops on its worker", async () => {
    const here = await place();
    await using host = disposable(await fleetHost(here, { limits }));
    await using _ = await worker(here);
    const stop = new AbortController();
    const outcome = await host.call(
      { name: "effect", arguments: { ms: 90_000 } },
      { abortSignal: stop.signal, onProgress: () => stop.abort() },
    );
    expect(outcome.status).toBe("cancelled");
  });
});

function disposable(host: Host): Host & AsyncDisposable {
  return { ...host, [Symbol.asyncDispose]: async () => void (await host.close({ graceMs: 1 })) };
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean);
}

/** Waits until so many calls of the queue wait. */
async function depthIs({ database }: FleetPlace, waiting: number): Promise<void> {
  const ledger = await openLedger(database);
  while ((await ledger.depth("main")).waiting !== waiting);
  await ledger.close();
}

/** Waits until the ledger has so many rows. */
async function rowsAre({ database }: FleetPlace, rows: number): Promise<void> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: database });
  await client.connect();
  for (;;) {
    const answer = await client.query("select count(*)::int as rows from toolmount_fleet_calls");
    if ((answer.rows[0] as { rows: number }).rows === rows) break;
  }
  await client.end();
}
