import { data, failure } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { callSignature } from "../src/index.ts";
import { tool, world } from "./world.ts";

const turn = { sessionId: "s-1", turnId: "t-1" };

describe("a call beyond a budget says which one is used up", () => {
  test.each([
    ["session", { calls: 1 }, "the session has used its 1 calls"],
    ["turn", { calls: 1 }, "the turn has used its 1 calls"],
    ["session", { ms: 60 }, "the session has used its 60 ms of tool time"],
    ["turn", { ms: 60 }, "the turn has used its 60 ms of tool time"],
  ])("of the %s: %j", async (per, budget, reason) => {
    let now = 1_000;
    const clock = { now: () => now, setTimer: () => ({ cancel: () => {}, keepAlive: () => {} }) };
    const slow = tool("t", { execute: () => data((now += 60)) });
    const { host } = await world({ budgets: { per, ...budget } }, [slow], { clock });
    const call = (context: object) => host.call({ name: "t" }, context);

    expect((await call(turn)).status).toBe("ok");
    expect((await call(turn)).result.error).toBe(`"t" was not run: ${reason}`);
    // Another turn has a budget of its own, and so has another session.
    expect((await call({ ...turn, turnId: "t-2" })).status).toBe(per === "turn" ? "ok" : "denied");
    expect((await call({ ...turn, sessionId: "s-2" })).status).toBe("ok");
  });

  test("time that is almost used up is enough for one more call", async () => {
    let now = 1_000;
    const clock = { now: () => now, setTimer: () => ({ cancel: () => {}, keepAlive: () => {} }) };
    const slow = tool("t", { execute: () => data((now += 60)) });
    const { host } = await world({ budgets: { ms: 121 } }, [slow], { clock });
    const statuses = [];
    for (let at = 0; at < 4; at++) statuses.push((await host.call({ name: "t" }, turn)).status);

    expect(statuses).toEqual(["ok", "ok", "ok", "denied"]);
  });

  test("of calls at the same time", async () => {
    const ends: (() => void)[] = [];
    const slow = tool("t", { execute: () => new Promise((resolve) => ends.push(() => resolve(data(1)))) });
    const { host } = await world({ budgets: { concurrent: 1 } }, [slow]);
    const first = host.call({ name: "t" }, turn);

    expect((await host.call({ name: "t" }, turn)).result.error).toBe(
      '"t" was not run: 1 calls of the session run already; wait for one to end',
    );
    ends[0]!();
    expect((await first).status).toBe("ok");
  });

  test("of the depth, where the depth itself is still allowed", async () => {
    const nests = tool("n", {
      execute: async (_, { call, depth }) =>
        depth === 2 ? data("deep") : data((await call({ name: "n" })).result),
    });
    const { host } = await world({ budgets: { depth: 1 } }, [nests]);
    const { result } = await host.call({ name: "n" }, turn);

    expect(result.data).toMatchObject({
      data: { error: '"n" was not run: tools may call tools at most 1 deep' },
    });
  });
});

describe("what counts for a budget of calls", () => {
  const statuses = async (
    tools: Parameters<typeof world>[1],
    names: readonly string[],
    options: Parameters<typeof world>[2] = {},
  ) => {
    const { host } = await world({ budgets: { calls: 1 } }, tools, options);
    const all = [];
    for (const name of names) all.push((await host.call({ name }, turn)).status);
    return all;
  };

  test("a call that fails counts, and one that a person denies does not", async () => {
    const fails = tool("fails", { execute: () => failure("no") });
    const asks = tool("asks", { requiresConfirmation: true });
    const approver = () => ({ decision: "deny" as const });

    expect(await statuses([fails, tool("t")], ["fails", "t"])).toEqual(["failed", "denied"]);
    expect(await statuses([asks, tool("t")], ["asks", "t", "t"], { approver })).toEqual([
      "denied",
      "ok",
      "denied",
    ]);
  });

  test("a call without a session has a budget of its own, with the calls that it makes", async () => {
    const inner = async (_: unknown, { call }: { call: (one: object) => Promise<{ status: string }> }) =>
      data([(await call({ name: "t" })).status, (await call({ name: "t" })).status]);
    const outer = tool("outer", { execute: inner as never });
    const { host } = await world({ budgets: { calls: 2 } }, [outer, tool("t")]);

    for (let at = 0; at < 3; at++) expect((await host.call({ name: "t" })).status).toBe("ok");
    expect((await host.call({ name: "outer" })).result.data).toEqual(["ok", "denied"]);
  });
});

const used =
  "This call was made before in this turn with the same arguments; its result is above. Use it, or call with other arguments.";
const last = "This is the last step of the turn: answer now with what you have.";
const repeated = (count: number) =>
  `the same call was made ${count} times in this turn; its result will not change`;

describe("the loop guard", () => {
  const remain = (
    host: Awaited<ReturnType<typeof world>>["host"],
    iterations_remaining: unknown,
    context: { sessionId?: string; turnId?: string } = turn,
  ) =>
    host.coordinator.hooks.emit("provider:request", {
      session_id: context.sessionId,
      turn_id: context.turnId,
      iterations_remaining,
    });

  test.each([
    [2, []],
    [1, [last]],
    [0, [last]],
    ["1", []],
    [undefined, []],
  ])("with %j steps left adds %j to a warning and to the answer of a call", async (left, more) => {
    const own = tool("t", { execute: () => ({ data: 1, warnings: ["mine"] }) });
    const { host } = await world({ budgets: { repeats: 3 } }, [own]);
    await remain(host, left);
    const results = [];
    for (let at = 0; at < 3; at++) results.push((await host.call({ name: "t" }, turn)).result);

    expect(results[0]!.warnings).toEqual(["mine"]);
    expect(results[1]!.warnings).toEqual(["mine", repeated(2), ...more]);
    expect(results[2]!.data).toEqual({
      suppressed: true,
      reason: "repeat_tool_call_detected",
      tool: "t",
      guidance: [used, ...more].join(" "),
    });
  });

  test.each([
    [2, ["plain", "suppressed", "suppressed", "suppressed", "suppressed", "suppressed"]],
    [5, ["plain", "plain", "plain", [repeated(4)], "suppressed", "suppressed"]],
  ])("answers itself from call %i on, and warns at the one before", async (repeats, expected) => {
    const { host } = await world({ budgets: { repeats } }, [tool("t")]);
    const seen = [];
    for (let at = 0; at < 6; at++) {
      const { warnings, data: given } = (await host.call({ name: "t" }, turn)).result;
      seen.push(warnings ?? (JSON.stringify(given).includes("suppressed") ? "suppressed" : "plain"));
    }

    expect(seen).toEqual(expected);
  });

  test("takes a failure for a result, too", async () => {
    let runs = 0;
    const fails = tool("t", { execute: () => failure(`no ${++runs}`) });
    const { host } = await world({ budgets: { repeats: 3 } }, [fails]);
    for (let at = 0; at < 4; at++) await host.call({ name: "t" }, turn);

    expect(runs).toBe(2);
  });

  test.each([
    ["a session", { sessionId: "s-1" }, 2],
    ["a turn", { turnId: "t-1" }, 2],
    ["neither", {}, 4],
  ])("knows calls that %s ties together", async (_title, context, expected) => {
    let runs = 0;
    const { host } = await world({ budgets: { repeats: 3 } }, [tool("t", { execute: () => data(++runs) })]);
    for (let at = 0; at < 4; at++) await host.call({ name: "t" }, context);

    expect(runs).toBe(expected);
  });

  test("counts a call that waited for a person and continues once", async () => {
    const { host } = await world({ budgets: { repeats: 3 } }, [tool("t", { requiresConfirmation: true })]);
    const run = async () => {
      const { ticket } = await host.call({ name: "t" }, turn);
      const [question] = await host.approvals.list();
      await host.approvals.decide(question!.id, "approve", "bob");
      return (await host.resume(ticket!, turn)).result;
    };

    expect((await run()).warnings).toBeUndefined();
    expect((await run()).warnings).toEqual([repeated(2)]);
  });
});

describe("the signature of a call", () => {
  test.each<[string, unknown, unknown, boolean]>([
    ["keys in another order", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
    ["keys in another case", { B: 1, a: 2 }, { A: 2, b: 1 }, true],
    ["records in a list", { a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] }, true],
    ["a list in another order", { a: [1, 2] }, { a: [2, 1] }, false],
    ["JSON in a text", { a: null }, ' { "a" : null } ', true],
    ["no arguments", undefined, undefined, true],
    ["no arguments, and an empty record", undefined, {}, false],
    ["null, and an empty record", null, {}, false],
    ["another text", "one", "two", false],
    ["blanks around a text", " one ", "one", true],
  ])("%s", (_title, one, other, isEqual) => {
    expect(callSignature("t", one) === callSignature("t", other)).toBe(isEqual);
  });

  test("has the name on a line of its own", () => {
    expect(callSignature("Find", { a: "X" })).toBe('find\n{"a":"x"}');
    expect(callSignature("Find", undefined)).toBe("find\n");
  });
});
