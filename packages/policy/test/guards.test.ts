import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createMemoryStore, data, systemClock, type WorkStore } from "@toolmount/core";
import { z } from "zod";
import { callSignature, config } from "../src/index.ts";
import { tool, world } from "./world.ts";

const turn = { sessionId: "s-1", turnId: "t-1" };

describe("budgets", () => {
  test.each([
    ["what the host counts itself", { depth: 2 }, 0],
    // One more is the first result of the turn.
    ["equal calls", { repeats: 9 }, 11],
    ["calls", { calls: 20 }, 10],
    ["calls that are denied", { calls: 3 }, 10],
    // One more is what the last call leaves behind.
    ["time", { ms: 60_000 }, 11],
    ["calls at the same time", { concurrent: 5 }, 11],
    ["all of them", { calls: 20, ms: 60_000, concurrent: 5, repeats: 9 }, 12],
  ])("of %s cost ten calls so many round trips to the store", async (_, budgets, trips) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const store = createMemoryStore();
    let asked = 0;
    const counting = Object.fromEntries(
      Object.entries(store.work!).map(([name, ask]) => [
        name,
        (...words: never[]) => ((asked += 1), (ask as (...given: never[]) => unknown)(...words)),
      ]),
    );
    const work = counting as unknown as WorkStore;
    let now = 1_000;
    const clock = { now: () => now, setTimer: systemClock.setTimer };
    const look = tool("look", { execute: () => data((now += 1)) });
    const { host } = await world({ budgets }, [look], { store: { ...store, work }, clock });
    for (let n = 0; n < 10; n++) await host.call({ name: "look", arguments: { n } }, { sessionId: "s" });
    await host.close();
    expect(asked).toBe(trips);
  });

  test("what calls cost is not lost while the store cannot be reached", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const store = createMemoryStore();
    let isAway = false;
    const count: WorkStore["count"] = (...given) =>
      isAway ? Promise.reject(new Error("away")) : store.work!.count(...given);
    let now = 1_000;
    const clock = { now: () => now, setTimer: systemClock.setTimer };
    const look = tool("look", { execute: () => data((now += 6)) });
    const work = { ...store.work!, count };
    const { host } = await world({ budgets: { ms: 10 } }, [look], { store: { ...store, work }, clock });
    const statuses: string[] = [];
    for (const away of [false, true, false, false]) {
      isAway = away;
      const call = { name: "look", arguments: { n: statuses.length } };
      statuses.push((await host.call(call, { sessionId: "s" })).status);
    }
    await host.close();
    expect(statuses).toEqual(["ok", "denied", "ok", "denied"]);
  });

  test("calls: counted for each session; what was denied is not", async () => {
    const { host } = await world(
      { budgets: { calls: 2 }, rules: [{ match: { tool: "no" }, answer: "deny" }] },
      [tool("t"), tool("no")],
    );
    const status = async (name: string, sessionId: string) =>
      (await host.call({ name }, { sessionId })).status;
    expect([await status("t", "a"), await status("no", "a"), await status("t", "a")]).toEqual([
      "ok",
      "denied",
      "ok",
    ]);
    const last = await host.call({ name: "t" }, { sessionId: "a" });
    expect(last).toMatchObject({
      status: "denied",
      result: { error: '"t" was not run: the session has used its 2 calls' },
    });
    expect(await status("t", "b")).toBe("ok");
  });

  test("calls of a turn: a call that waited and continues is one", async () => {
    const { host } = await world({ budgets: { per: "turn", calls: 1 } }, [
      tool("t", { requiresConfirmation: true }),
    ]);
    const asked = await host.call({ name: "t" }, turn);
    await host.approvals.decide((await host.approvals.list())[0]!.id, "approve", "bob");
    expect((await host.resume(asked.ticket!, turn)).status).toBe("ok");
    expect((await host.call({ name: "t" }, turn)).status).toBe("denied");
    expect((await host.call({ name: "t" }, { ...turn, turnId: "t-2" })).status).toBe("pending");
  });

  test("at once: as many as the plan says, and again when one has ended", async () => {
    const ends: (() => void)[] = [];
    let isQuick = false;
    const slow = tool("t", {
      execute: () => (isQuick ? data(1) : new Promise((resolve) => ends.push(() => resolve(data(1))))),
    });
    const { host } = await world({ budgets: { concurrent: 2 } }, [slow]);
    const first = [host.call({ name: "t" }, turn), host.call({ name: "t" }, turn)];
    expect((await host.call({ name: "t" }, turn)).status).toBe("denied");
    ends.shift()!();
    await first[0];
    isQuick = true;
    expect((await host.call({ name: "t" }, turn)).status).toBe("ok");
    ends.shift()!();
    expect((await first[1]!).status).toBe("ok");
  });

  test("at once: a call that waits for a person is not one of them", async () => {
    const asks = tool("asks", { requiresConfirmation: true });
    const { host } = await world({ budgets: { concurrent: 1 } }, [asks, tool("t")]);

    expect((await host.call({ name: "asks" }, turn)).status).toBe("pending");
    expect((await host.call({ name: "t" }, turn)).status).toBe("ok");
  });

  test("time and depth", async () => {
    let now = 1_000;
    const clock = { now: () => now, setTimer: () => ({ cancel: () => {}, keepAlive: () => {} }) };
    const slow = tool("t", { execute: () => data((now += 60)) });
    const timed = await world({ budgets: { ms: 100 } }, [slow], { clock });
    const statuses = [];
    for (let at = 0; at < 3; at++) statuses.push((await timed.host.call({ name: "t" }, turn)).status);
    expect(statuses).toEqual(["ok", "ok", "denied"]);

    const nests = tool("n", {
      execute: async (_, context) => data((await context.call({ name: "n" })).result.error ?? "ran"),
    });
    const deep = await world({ budgets: { depth: 0 } }, [nests]);
    expect((await deep.host.call({ name: "n" }, turn)).result).toMatchObject({
      data: '"n" was not run: tools may call tools at most 0 deep',
    });
  });
});

describe("the loop guard", () => {
  const guarded = (ran: unknown[]) =>
    world({ budgets: { repeats: 3 } }, [tool("t", { execute: async (params) => data(ran.push(params)) })]);

  test("APTIX-N15: a call is known by its name and arguments, whatever the order of keys, case, or blanks", () => {
    const same = callSignature("find", { b: [2, 1], A: "X" });
    expect(callSignature("FIND", '{"a":"x", "B":[2,1]}')).toBe(same);
    expect(callSignature("find", { a: "x", b: [1, 2] })).not.toBe(same);
    expect(callSignature("find", "  not json ")).toBe(callSignature("find", "not json"));
  });

  test("calls of activate_tools are not counted, and are no result", async () => {
    const { host } = await world({ budgets: { repeats: 3 } }, [tool("activate_tools"), tool("t")]);
    const call = (name: string) => host.call({ name, arguments: { tool_ids: ["x"] } }, turn);
    const calls = [];
    for (const name of ["activate_tools", "activate_tools", "activate_tools", "activate_tools", "t", "t"])
      calls.push((await call(name)).result);

    expect(calls.map(({ warnings }) => warnings?.length ?? 0)).toEqual([0, 0, 0, 0, 0, 1]);
    expect(JSON.stringify(calls)).not.toContain("suppressed");
  });

  test("APTIX-N16: the second carries a warning, the third is answered without being run", async () => {
    const ran: unknown[] = [];
    const { host, events } = await guarded(ran);
    const call = (args: object) => host.call({ name: "t", arguments: { ...args } }, turn);

    const first = await call({ a: 1, b: 2 });
    const second = await call({ b: 2, a: 1 });
    const third = await call({ a: 1, b: 2 });

    expect(first.result.warnings).toBeUndefined();
    expect(second).toMatchObject({
      status: "ok",
      result: { warnings: [expect.stringContaining("2 times")] },
    });
    expect(third).toMatchObject({
      status: "ok",
      result: {
        data: {
          suppressed: true,
          reason: "repeat_tool_call_detected",
          tool: "t",
          guidance: expect.any(String),
        },
      },
    });
    expect(ran).toHaveLength(2);
    expect((await call({ a: 2 })).result.data).toBe(3);
    expect(
      (await host.call({ name: "t", arguments: { a: 1, b: 2 } }, { ...turn, turnId: "t-2" })).result.data,
    ).toBe(4);
    expect(events.filter(({ event }) => event === "tool:post")).toHaveLength(5);
  });

  test("APTIX-N16: acts only once a tool of the turn has returned, and says when the turn is about to end", async () => {
    const ran: unknown[] = [];
    const { host } = await guarded(ran);
    await host.coordinator.hooks.emit("provider:request", {
      session_id: "s-1",
      turn_id: "t-1",
      iterations_remaining: 1,
    });
    const together = await Promise.all(
      [1, 2, 3, 4].map(() => host.call({ name: "t", arguments: { a: 1 } }, turn)),
    );
    expect(together.some(({ result }) => JSON.stringify(result).includes("suppressed"))).toBe(false);
    const after = await host.call({ name: "t", arguments: { a: 1 } }, turn);
    expect(after.result.data).toMatchObject({
      suppressed: true,
      guidance: expect.stringContaining("last step"),
    });
  });

  test("APTIX-N16: the threshold is checked: a call is suppressed after one that may carry a warning", () => {
    expect(config.safeParse({ budgets: { repeats: 1 } }).success).toBe(false);
    expect(config.safeParse({ budgets: { repeats: 2.5 } }).success).toBe(false);
    expect(config.safeParse({ budgets: { repeats: 2 } }).success).toBe(true);
  });

  test("a suppressed call of a tool that promises data of another form fails with the guidance", async () => {
    const counts = tool("t", {
      outputSchema: z.object({ count: z.number() }),
      execute: () => data({ count: 1 }),
    });
    const { host } = await world({ budgets: { repeats: 3 } }, [counts]);
    for (let at = 0; at < 2; at++) await host.call({ name: "t" }, turn);

    expect(await host.call({ name: "t" }, turn)).toMatchObject({
      status: "failed",
      result: {
        code: "CALL_REPEATED",
        error: expect.stringContaining("its result is above"),
        details: { suppressed: true, reason: "repeat_tool_call_detected" },
      },
    });
  });

  test("a suppressed call asks no one, and a rule still denies it", async () => {
    const { host } = await world({ budgets: { repeats: 3 } }, [tool("t", { requiresConfirmation: true })], {
      approver: () => ({ decision: "approve" }),
    });
    for (let at = 0; at < 2; at++) await host.call({ name: "t" }, turn);
    let asked = 0;
    host.coordinator.hooks.observe("approval:required", () => void asked++);
    expect((await host.call({ name: "t" }, turn)).result.data).toMatchObject({ suppressed: true });
    expect(asked).toBe(0);
  });
});
