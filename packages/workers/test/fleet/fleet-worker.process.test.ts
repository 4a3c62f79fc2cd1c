import type { FleetCall } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { groupOf } from "../../src/fleet/group.ts";
import { digest, forEver, member, pass, stop, untilAborted, workerOf } from "./worker-world.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

test("a worker that starts watches, receives, reports, and takes what waits for its tools", async () => {
  const late = [
    { runId: "a", queue: "main", tool: "pay", digest },
    { runId: "b", queue: "main", tool: "pay", digest: "another" },
    { runId: "c", queue: "main", tool: "other", digest },
    { runId: "d", queue: "second", tool: "pay", digest },
  ];
  const { worker, asked, received, sent } = await workerOf(forEver, { expire: () => late });
  await worker.start();
  expect(worker.name).toMatch(/^w[0-9a-f]{16}$/);
  expect(worker.group).toBe(groupOf({ pay: digest }));
  expect(received).toEqual([["main", worker.group, 4]]);
  expect(asked).toEqual([
    ["watch", worker.name],
    ["report", member(worker.name), 9_000],
    ["expire", ["main"], 0],
  ]);
  expect(sent).toEqual([[worker.group, late[0]]]);
  await stop(worker);
});

describe("a call", () => {
  test("is taken with a lease, run, and answered with a signature", async () => {
    const { worker, of, give, call, answersOf } = await workerOf(() => ({ data: "paid" }));
    await worker.start();
    const { ended } = await give(call("a"), call("b"));
    await pass();
    await ended();
    expect(of("take")).toEqual([[["a", "b"], worker.name, [digest], 3_000]]);
    const answer = { type: "returned", value: { data: "paid" } };
    expect(answersOf()).toEqual([
      { runId: "a", answer: { ...answer, runId: "a" }, last: [] },
      { runId: "b", answer: { ...answer, runId: "b" }, last: [] },
    ]);
    await pass(1_000);
    expect(of("report").at(-1)).toEqual([member(worker.name, { done: 2 }), 9_000]);
    await stop(worker);
  });

  test.each<[string, (call: FleetCall) => FleetCall, string]>([
    ["without a signature", (call) => ({ ...call, job: {} }), "it is not signed with the fleet's key"],
    ["of another tool", (call) => ({ ...call, tool: "other" }), "it is not signed with the fleet's key"],
  ])("whose job is %s is not run", async (_, forge, problem) => {
    const ran: unknown[] = [];
    const { worker, give, call, answersOf, lines } = await workerOf(() => ran.push(1));
    await worker.start();
    const { ended } = await give(forge(call("a")));
    await pass();
    await ended();
    expect(ran).toEqual([]);
    expect(answersOf()).toEqual([
      {
        runId: "a",
        answer: expect.objectContaining({
          type: "failed",
          code: "UNAVAILABLE",
          message: expect.stringContaining(`its job in the fleet's ledger was refused: ${problem}`),
        }),
        last: [],
      },
    ]);
    expect(lines).toEqual([
      [
        "warn",
        { err: expect.objectContaining({ message: problem }), runId: "a" },
        "a job in the ledger of a fleet was refused",
      ],
    ]);
    await stop(worker);
  });

  test("that the worker had lost gets an answer that does not count, which the log has", async () => {
    const { worker, give, call, lines } = await workerOf(() => ({ data: 1 }), { answer: () => [] });
    await worker.start();
    await give(call("a"));
    await pass();
    expect(lines).toEqual([
      ["warn", { runId: "a" }, "an answer does not count: the worker had lost the call"],
    ]);
    await stop(worker);
  });

  test("is answered again each 200 ms while the ledger is away, as long as its lease may hold", async () => {
    let isAway = true;
    const away = () => {
      if (isAway) throw new Error("it is away");
      return ["a", "b"];
    };
    const { worker, give, call, of, lines } = await workerOf(() => ({ data: 1 }), { answer: away }, 1_000);
    await worker.start();
    await give(call("a"));
    await pass(399);
    expect(of("answer")).toHaveLength(2);
    isAway = false;
    await pass(1);
    expect([of("answer").length, lines]).toEqual([3, []]);
    isAway = true;
    await give(call("b"));
    await pass(1_200);
    expect(of("answer")).toHaveLength(10);
    expect(lines.filter(([level]) => level === "warn")).toEqual([
      ["warn", { err: new Error("it is away"), runId: "b" }, "the answer of a call could not be stored"],
    ]);
    await stop(worker);
  });

  test("is stopped by a message of its host, and by a cancellation in the ledger", async () => {
    const { worker, give, call, answers, notify, answersOf, tell, of } = await workerOf(untilAborted);
    await worker.start();
    await give(call("a"), call("b"));
    await pass();
    answers["heard"] = () => [
      tell("a", 1, { type: "abort", runId: "a", name: "AbortError", message: "the user left" }),
      tell("gone", 1, { type: "abort", runId: "gone", name: "AbortError", message: "x" }),
    ];
    notify({ kind: "said", runId: "a" });
    await pass();
    expect(of("heard")).toEqual([["worker", new Map([["a", 0]])]]);
    expect(answersOf().map(({ answer }) => answer)).toMatchObject([{ value: { data: "the user left" } }]);
    answers["heard"] = () => [];
    answers["cancelled"] = () => ["b"];
    notify({ kind: "said", runId: "b" });
    await pass();
    expect(answersOf()[1]!.answer).toMatchObject({ value: { data: "the caller cancelled the call" } });
    expect(of("cancelled")).toEqual([[["a"]], [["b"]]]);
    await stop(worker);
  });

  test("takes each message once, and a message that no host wrote is ignored, which the log has", async () => {
    const { worker, give, call, answers, notify, lines, of } = await workerOf(forEver);
    await worker.start();
    await give(call("a"));
    await pass();
    answers["heard"] = () => [{ runId: "a", number: 4, body: { type: "abort" } }];
    const line = ["warn", { runId: "a" }, "a message that the fleet's host did not write was ignored"];
    notify({ kind: "said", runId: "a" });
    await pass();
    notify({ kind: "said", runId: "a" });
    await pass();
    expect(lines).toEqual([line]);
    expect(of("heard").at(-1)).toEqual(["worker", new Map([["a", 4]])]);
    notify({ kind: "said", runId: "unknown" });
    await pass();
    expect(of("heard")).toHaveLength(2);
    await stop(worker);
  });
});

describe("a beat", () => {
  test("comes each second, or three times in a lease, and renews the leases", async () => {
    const { worker, give, call, of } = await workerOf(forEver);
    await worker.start();
    await give(call("a"), call("b"));
    await pass(999);
    expect(of("renew")).toEqual([]);
    await pass(1);
    expect(of("renew")).toEqual([[["a", "b"], worker.name, 3_000]]);
    expect(of("expire")).toEqual([
      [["main"], 0],
      [["main"], 5_000],
    ]);
    expect(of("report").at(-1)).toEqual([member(worker.name, { running: 2 }), 9_000]);
    await stop(worker);

    const quick = await workerOf(forEver, {}, 600);
    await quick.worker.start();
    await pass(400);
    expect(quick.of("report").map(([, keptMs]) => keptMs)).toEqual([3_000, 3_000, 3_000]);
    expect(quick.of("renew")).toEqual([]);
    await stop(quick.worker);
  });

  test("stops the calls that the worker has lost", async () => {
    const { worker, give, call, answersOf } = await workerOf(untilAborted, { renew: () => ["b"] });
    await worker.start();
    await give(call("a"), call("b"));
    await pass(1_000);
    expect(answersOf()).toMatchObject([
      { runId: "a", answer: { value: { data: "the worker has lost the call" } } },
    ]);
    await stop(worker);
  });

  test("deletes old ends and the queues of groups without workers, once a minute", async () => {
    const { worker, of, removed } = await workerOf(forEver, { orphanedGroups: () => ["g1", "g2"] });
    await worker.start();
    await pass(60_000);
    expect([of("forget"), of("orphanedGroups")]).toEqual([[[90_000]], [["main", 60_000]]]);
    expect(removed).toEqual([
      ["main", "g1"],
      ["main", "g2"],
    ]);
    await pass(1_000);
    expect(of("forget")).toHaveLength(2);
    await stop(worker);
  });

  test("that fails is made again, which only a debug log has", async () => {
    const err = new Error("it is away");
    let isAway = false;
    const { worker, of, lines } = await workerOf(forEver, {
      report: () => {
        if (isAway) throw err;
      },
    });
    await worker.start();
    isAway = true;
    await pass(2_000);
    const line = ["debug", { err }, "the ledger of a fleet could not be reached"];
    expect([of("report").length, lines]).toEqual([3, [line, line]]);
    await stop(worker);
  });
});

test("a worker that closes stops its calls after their grace, leaves, and beats no more", async () => {
  const { worker, give, call, asked, answersOf, received } = await workerOf(untilAborted, {
    leave: () => {
      throw new Error("it is away");
    },
  });
  await worker.start();
  await give(call("a"));
  await pass();
  received.length = 0;
  const closing = worker.close(500);
  await pass(499);
  expect([received, answersOf()]).toEqual([[["closed"]], []]);
  await pass(1);
  await closing;
  expect(answersOf()).toMatchObject([{ runId: "a", answer: { value: { data: "the worker ends" } } }]);
  expect(asked.slice(-2)).toEqual([["leave", worker.name], ["unwatch"]]);
  const before = asked.length;
  await pass(10_000);
  expect(asked).toHaveLength(before);
});
