import { data, RunnerFailure, systemClock, type FleetLedger, type Json } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { RemoteRun } from "../../src/fleet/remote-run.ts";
import { runTool, type WorkerTool } from "../../src/fleet/run-tool.ts";
import { createSeal } from "../../src/fleet/seal.ts";

const seal = createSeal("a key of sixteen characters");
const info = { tool: "pay", callId: "c", runId: "r", depth: 0, sessionId: "s" };

/** The worker's side of a call; what it writes into the ledger can fail. */
function remote({ timeoutMs = 0, fails = (): boolean => false } = {}) {
  const said: Json[][] = [];
  const ledger = {
    say: async (runId: string, to: string, bodies: readonly Json[]) => {
      if (fails()) throw new Error("the database is away");
      expect([runId, to]).toEqual(["r", "host"]);
      said.push(bodies.map((body) => seal.open(["to host", "r"], body)));
    },
  } as unknown as FleetLedger;
  const call = { runId: "r", tool: "pay" } as never;
  const job = { info, arguments: { a: 1 }, timeoutMs, state: { kept: 1 } } as never;
  const run = new RemoteRun(call, job, { ledger, seal });
  const hear = (number: number, message: object) =>
    run.hear(number, seal.close(["to worker", "r"], message as Json));
  return { run, said, hear };
}
const settle = async () => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test("what a tool asks of the host goes there in order, and together where it comes together", async () => {
  const { run, said } = remote();
  const control = run.control({} as never);
  control.progress({ progress: 1, total: undefined, message: "m" });
  control.session.set("k", 2);
  expect([control.session.get("k"), control.session.get("kept"), control.session.snapshot()]).toEqual([
    2,
    1,
    { kept: 1, k: 2 },
  ]);
  expect([control.session.delete("k"), control.session.delete("k"), control.session.get("k")]).toEqual([
    true,
    false,
    undefined,
  ]);
  await settle();
  expect(said).toEqual([
    [
      { type: "progress", runId: "r", progress: { progress: 1, message: "m" } },
      { type: "set", runId: "r", key: "k", value: 2 },
      { type: "delete", runId: "r", key: "k" },
      { type: "delete", runId: "r", key: "k" },
    ],
  ]);
  expect(await run.rest()).toEqual([]);
});

test("what could not be sent goes with the next message, or with the answer", async () => {
  let fails = true;
  const { run, said } = remote({ fails: () => fails });
  run.say({ type: "aborting", runId: "r" });
  await settle();
  fails = false;
  run.say({ type: "delete", runId: "r", key: "a" });
  await settle();
  expect(said).toEqual([
    [
      { type: "aborting", runId: "r" },
      { type: "delete", runId: "r", key: "a" },
    ],
  ]);
  fails = true;
  run.say({ type: "delete", runId: "r", key: "b" });
  const rest = await run.rest();
  expect(rest.map((body) => seal.open(["to host", "r"], body))).toEqual([
    { type: "delete", runId: "r", key: "b" },
  ]);
});

test("calls of a tool are numbered, and the host's answers end them", async () => {
  const { run, said, hear } = remote();
  const first = run.callHost({ name: "one" });
  const second = run.callHost({ id: "c2", name: "two", arguments: { a: 1 } });
  await settle();
  expect(said.flat()).toEqual([
    { type: "call", runId: "r", id: 0, request: { name: "one" } },
    { type: "call", runId: "r", id: 1, request: { id: "c2", name: "two", arguments: { a: 1 } } },
  ]);
  expect(hear(4, { type: "called", id: 1, outcome: { status: "ok" } })).toBe(true);
  expect(hear(2, { type: "call-failed", id: 0, message: "no such tool" })).toBe(true);
  expect(await second).toEqual({ status: "ok" });
  await expect(first).rejects.toThrow(expect.objectContaining({ message: "no such tool" }));
  expect(run.heard).toBe(4);
});

test("an abort of the host ends the call's signal, and calls that wait", async () => {
  const { run, hear } = remote();
  const waits = run.callHost({ name: "one" });
  hear(1, { type: "abort", runId: "r", name: "AbortError", message: "the user cancelled" });
  expect(run.signal.aborted).toBe(true);
  expect(run.signal.reason).toMatchObject({ name: "AbortError", message: "the user cancelled" });
  await expect(waits).rejects.toMatchObject({ message: "the user cancelled" });
});

test("a message that no host of this fleet wrote is not taken, and its number counts all the same", () => {
  const { run } = remote();
  const forged = createSeal("another key of the forger").close(["to worker", "r"], { type: "abort" });
  let deep: Json = 1;
  for (let level = 0; level < 80; level++) deep = [deep];
  const other = seal.close(["to worker", "another run"], { type: "abort" });
  expect([run.hear(1, forged), run.hear(2, deep), run.hear(3, other)]).toEqual([false, false, false]);
  expect([run.signal.aborted, run.heard]).toEqual([false, 3]);
});

describe("a worker runs a tool", () => {
  const toolOf = (
    execute: (given: { a: number }, context: never) => unknown,
    runner: object | null = null,
  ): WorkerTool => {
    const definition = { name: "own_pay", execute };
    const tool = {
      definition,
      info: { declaredName: "own_pay" },
      module: { specifier: "m", config: {} },
      provided: ["notes"],
      provide: (context: object) => ({ ...context, notes: "of this worker" }),
    };
    return { tool, runner } as unknown as WorkerTool;
  };

  test("in its own process, with the members that its modules add", async () => {
    const { run } = remote();
    const answer = await runTool(
      toolOf(({ a }, context: { notes: string }) => data([a, context.notes])),
      run,
      systemClock,
    );
    expect(answer).toEqual({ type: "returned", runId: "r", value: { data: [1, "of this worker"] } });
  });

  test("and what the tool throws is its answer", async () => {
    const { run } = remote();
    const answer = await runTool(
      toolOf(() => Promise.reject(new Error("broken"))),
      run,
      systemClock,
    );
    expect(answer).toMatchObject({ type: "threw", runId: "r", thrown: { message: "broken" } });
  });

  test.each([
    [
      "TimeoutError",
      { type: "failed", code: "TIMED_OUT", status: "timed_out", message: expect.stringContaining("pay") },
    ],
    ["AbortError", { type: "failed", code: "CANCELLED", status: "cancelled", message: expect.any(String) }],
  ])("that does not end after %s is abandoned", async (name, expected) => {
    const { run } = remote();
    const answer = runTool(
      toolOf(() => new Promise(() => {})),
      run,
      systemClock,
    );
    run.abort(name, "stop");
    expect(await answer).toEqual(expected);
  });

  test("whose host has ended is stopped a moment after its deadline", async () => {
    const { run } = remote({ timeoutMs: 1 });
    const reasons: unknown[] = [];
    const answer = await runTool(
      toolOf(
        (_, { abortSignal }: { abortSignal: AbortSignal }) =>
          new Promise((resolve) => {
            abortSignal.addEventListener("abort", () => {
              reasons.push(abortSignal.reason);
              resolve(data("half"));
            });
          }),
      ),
      run,
      systemClock,
    );
    expect(answer).toEqual({ type: "returned", runId: "r", value: { data: "half" } });
    expect(reasons).toMatchObject([{ name: "TimeoutError", message: "the deadline of 1 ms passed" }]);
  });

  test("in a process of its own, which gets the job of the call", async () => {
    const { run } = remote({ timeoutMs: 60_000 });
    const given: unknown[] = [];
    const runner = {
      run: async (job: object, control: { provided: unknown; definition: { name: string } }) => {
        given.push(job, control.provided, control.definition.name);
        return data("done");
      },
    };
    const answer = await runTool(
      toolOf(() => data("here"), runner),
      run,
      systemClock,
    );
    expect(answer).toEqual({ type: "returned", runId: "r", value: { data: "done" } });
    expect(given).toEqual([
      {
        runId: "r",
        tool: "own_pay",
        module: { specifier: "m", config: {} },
        info,
        arguments: { a: 1 },
        timeoutMs: 60_000,
      },
      ["notes"],
      "own_pay",
    ]);
    const failing = {
      run: () => Promise.reject(new RunnerFailure("TOOL_FAILED", "its process ended", { status: "unknown" })),
    };
    expect(
      await runTool(
        toolOf(() => data("here"), failing),
        run,
        systemClock,
      ),
    ).toEqual({
      type: "failed",
      code: "TOOL_FAILED",
      message: "its process ended",
      status: "unknown",
    });
  });
});
