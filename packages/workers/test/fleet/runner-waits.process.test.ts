import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FleetRunner } from "../../src/fleet/fleet-runner.ts";
import { digest, returned, runnerWorld, seal, tool, unavailable } from "./runner-world.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

describe("a call that no worker takes", () => {
  const versions = [
    [[], 'no worker of the queue "main" reports; start one with: toolmount fleet work --queue main'],
    [[{ tools: { pay: digest } }, { tools: {} }], 'no worker of the queue "main" was free for 1000 ms'],
    [
      [{ tools: { pay: "another" } }],
      'the workers of the queue "main" have another version of it; start workers with this host\'s plan',
    ],
  ] as const;

  test.each(versions)("after its time is withdrawn: %j, %s", async (workers, reason) => {
    const { run, of, setWorkers } = runnerWorld({ withdraw: () => true });
    setWorkers(...workers);
    const running = run();
    await pass(999);
    expect(of("withdraw")).toEqual([]);
    await pass(1);
    await expect(running).rejects.toMatchObject(unavailable(reason));
    expect(of("withdraw")).toEqual([["r"]]);
  });

  test("and whose tool is gone is of another version", async () => {
    let isGone = false;
    const { run, setWorkers } = runnerWorld({ withdraw: () => true }, () => (isGone ? null : tool));
    setWorkers({ tools: { pay: digest } });
    const running = run();
    await pass();
    isGone = true;
    await pass(1_000);
    await expect(running).rejects.toMatchObject(unavailable("have another version of it"));
  });

  test("that a worker took just then runs on, and its withdrawal reads as the reason", async () => {
    const { run, finish, followed } = runnerWorld();
    const running = run();
    await pass(1_000);
    finish(0, returned);
    expect(await running).toEqual({ data: "paid" });
    const other = runnerWorld();
    const withdrawn = other.run();
    await pass(1_000);
    other.followed[0]!.call.finish({ kind: "withdrawn" });
    await expect(withdrawn).rejects.toMatchObject(unavailable("no worker of the queue"));
    expect(followed[0]!.stopped).toBe(true);
  });

  test("and that cannot be withdrawn waits, which the log has", async () => {
    const err = new Error("it is away");
    const { run, lines } = runnerWorld({
      withdraw: () => {
        throw err;
      },
    });
    void run();
    await pass(1_000);
    expect(lines).toEqual([["warn", { err, runId: "r" }, "a call of the fleet could not be withdrawn"]]);
  });
});

describe("a caller that leaves", () => {
  const reason = new DOMException("enough", "AbortError");

  test("withdraws a call that no worker has", async () => {
    const { run, controller, asked } = runnerWorld({ withdraw: () => true });
    const running = run();
    await pass();
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(asked.map(([method]) => method)).toEqual(["report", "add", "withdraw"]);
  });

  test("asks the worker of a call to stop, and waits for its answer", async () => {
    const { run, controller, of, finish } = runnerWorld();
    const running = run();
    await pass();
    controller.abort(reason);
    await pass();
    const [[runId, to, messages]] = of("say") as [[string, string, never[]]];
    expect([runId, to]).toEqual(["r", "worker"]);
    expect(messages.map((one) => seal.open(["to worker", "r"], one))).toEqual([
      { type: "abort", runId: "r", name: "AbortError", message: "enough" },
    ]);
    expect(of("cancel")).toEqual([["r"]]);
    finish(0, returned);
    expect(await running).toEqual({ data: "paid" });
  });

  test("before the call is sent withdraws it, too", async () => {
    const { run, controller, of } = runnerWorld({ withdraw: () => true });
    controller.abort(reason);
    await expect(run()).rejects.toBe(reason);
    expect(of("withdraw")).toEqual([["r"]]);
  });

  test("while the ledger is away reads in the log why its call was not cancelled", async () => {
    const err = new Error("it is away");
    const { run, controller, lines } = runnerWorld({
      withdraw: () => {
        throw err;
      },
    });
    void run();
    await pass();
    controller.abort(reason);
    await pass();
    expect(lines).toEqual([["warn", { err, runId: "r" }, "a call of the fleet could not be cancelled"]]);
  });
});

test("a module of a fleet without a border is not described by a process", async () => {
  const { runner } = runnerWorld();
  expect([await runner.processes(), runner.adopts]).toEqual([null, true]);
  await expect(runner.describe({} as never, {} as never)).rejects.toThrow(
    "workers run the calls of this entry without a border",
  );
  const described = { tools: [] };
  const processes = { describe: async () => described };
  const options = { settings: runner.settings, processes: async () => processes } as never;
  expect(await new FleetRunner(options).describe({} as never, {} as never)).toBe(described);
});
