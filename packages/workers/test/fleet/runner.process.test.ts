import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FleetRunner } from "../../src/fleet/fleet-runner.ts";
import { identityOf } from "../../src/fleet/group.ts";
import {
  delivery,
  digest,
  info,
  job,
  returned,
  runnerWorld,
  seal,
  tool,
  unavailable,
} from "./runner-world.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe("a call of a fleet", () => {
  test("is a signed row of the ledger, is delivered, and ends as its worker answers", async () => {
    const { run, finish, followed, delivered, of } = runnerWorld();
    const running = run();
    await pass();
    const [[row, maxWaiting]] = of("add") as [[Record<string, unknown>, number]];
    const { job: sealed, ...facts } = row;
    expect(maxWaiting).toBe(2);
    expect(facts).toEqual({
      runId: "r",
      queue: "main",
      tool: "pay",
      digest,
      idempotent: true,
      identity: identityOf(digest, job),
      host: "h1",
      session: "s",
      nested: false,
    });
    expect(seal.open(["job", "r", "main", "pay", digest, true], sealed as never)).toEqual({
      info,
      arguments: { a: 1 },
      timeoutMs: 60_000,
      state: { kept: 1 },
    });
    expect([delivered, of("report").length]).toEqual([[delivery], 1]);
    finish(0, returned);
    expect(await running).toEqual({ data: "paid" });
    expect(followed.map(({ stopped }) => stopped)).toEqual([true]);
  });

  test.each([
    [{ depth: 1 }, { nested: true, identity: undefined }],
    [{ sessionId: undefined }, { nested: false, identity: undefined, session: undefined }],
  ])("with %j is such a row", async (more, expected) => {
    const { run, of } = runnerWorld();
    void run({ ...job, info: { ...info, ...more } } as never);
    await pass();
    expect(of("add")[0]![0]).toMatchObject(expected);
  });

  test("whose tool is gone, or whose host cannot be reached, does not run", async () => {
    await expect(runnerWorld({}, () => null).run()).rejects.toMatchObject(
      unavailable("its definition is no longer mounted"),
    );
    const { runner } = runnerWorld();
    const away = new FleetRunner({
      ...({ settings: runner.settings, processes: null, toolOf: () => tool } as never as object),
      host: () => Promise.reject(new Error("it is away")),
    } as never);
    await expect(away.run(job, {} as never)).rejects.toMatchObject(
      unavailable("the fleet's ledger cannot be reached: it is away"),
    );
  });

  test("that the engine does not take waits in the ledger", async () => {
    const { run, finish, host, lines } = runnerWorld();
    host.deliver = () => Promise.reject(new Error("Redis is away"));
    const running = run();
    await pass();
    expect(lines).toEqual([
      [
        "warn",
        { err: new Error("Redis is away"), queue: "main" },
        "the engine of the fleet did not take a call",
      ],
    ]);
    finish(0, returned);
    expect(await running).toEqual({ data: "paid" });
  });
});

describe("a queue that takes no more calls", () => {
  const full = '2 calls wait in the queue "main" already; call it again later';

  test("refuses a call, unless a host that ended has made it", async () => {
    const { run, of } = runnerWorld({ add: () => null, adopt: () => null });
    await expect(run()).rejects.toMatchObject(unavailable(full));
    expect(of("adopt")).toEqual([[identityOf(digest, job), "h1"]]);

    const without = runnerWorld({ add: () => null });
    const nested = { ...job, info: { ...info, depth: 1 } } as never;
    await expect(without.run(nested)).rejects.toMatchObject(unavailable(full));
    expect(without.of("adopt")).toEqual([]);
  });

  test("lets the call of a host that ended be followed, not sent again", async () => {
    const { run, followed, finish, delivered } = runnerWorld({
      add: () => null,
      adopt: () => ({ runId: "old", said: 3 }),
    });
    const running = run();
    await pass();
    expect(followed.map(({ call, stopped }) => [call.runId, stopped])).toEqual([
      ["r", true],
      ["old", false],
    ]);
    finish(1, { ...returned, runId: "old" }, "old");
    expect(await running).toEqual({ data: "paid" });
    expect([delivered, followed[1]!.stopped]).toEqual([[], true]);
  });

  test("is asked again each 200 ms while the other host still has the call", async () => {
    const held = ["held", "held", { runId: "old", said: 0 }];
    const { run, of, followed } = runnerWorld({ add: () => null, adopt: () => held.shift() });
    void run();
    await pass(399);
    expect(of("adopt")).toHaveLength(2);
    await pass(1);
    expect(followed.at(-1)!.call.runId).toBe("old");
  });

  test("is not asked again for a caller that has left", async () => {
    const { run, controller, of } = runnerWorld({ add: () => null, adopt: () => "held" });
    const running = run();
    await pass();
    controller.abort(new Error("enough"));
    await pass(200);
    await expect(running).rejects.toThrow(expect.objectContaining({ message: "enough" }));
    expect(of("adopt")).toHaveLength(1);
  });
});

describe("a ledger that fails", () => {
  const failing =
    (...errors: unknown[]) =>
    () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return delivery;
    };
  const refused = (code: string) => Object.assign(new Error(`no ${code}`), { code });

  test.each([
    refused("ECONNREFUSED"),
    refused("ENOTFOUND"),
    refused("EHOSTUNREACH"),
    refused("57P03"),
    new Error("timeout exceeded when trying to connect"),
  ])("before it was reached (%s) refuses the call at once", async (error) => {
    const { run, of } = runnerWorld({ add: failing(error) });
    await expect(run()).rejects.toMatchObject(
      unavailable(`the fleet's ledger cannot be reached: ${error.message}`),
    );
    expect(of("add")).toHaveLength(1);
  });

  test("when it may have the row is asked again with the same row", async () => {
    const { run, of, finish } = runnerWorld({ add: failing(refused("ECONNRESET"), refused("ECONNREFUSED")) });
    const running = run();
    await pass(399);
    expect(of("add")).toHaveLength(2);
    await pass(1);
    finish(0, returned);
    expect(await running).toEqual({ data: "paid" });
    expect(new Set(of("add").map(([row]) => JSON.stringify(row))).size).toBe(1);
  });

  test("for longer than a call waits leaves its outcome unknown", async () => {
    const { run, of } = runnerWorld({
      add: failing(...Array.from({ length: 9 }, () => refused("ECONNRESET"))),
    });
    const running = run();
    await pass(1_000);
    await expect(running).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", status: "unknown" });
    expect(of("add")).toHaveLength(6);
  });

  test("for a caller that has left leaves its outcome unknown at once", async () => {
    const { run, controller, of } = runnerWorld({ add: failing(refused("ECONNRESET")) });
    controller.abort(new Error("enough"));
    await expect(run()).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
    expect(of("add")).toHaveLength(1);
  });
});
