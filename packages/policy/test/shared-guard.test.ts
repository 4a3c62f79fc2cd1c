// The loop guard of two servers with one store.
import { createMemoryStore, data, type WorkStore } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { tool, world } from "./world.ts";

const turn = { sessionId: "s-1", turnId: "t-1" };

/** Two hosts of one plan and one store, and what has run. */
async function servers(budgets: object, fields: Parameters<typeof tool>[1] = {}) {
  const store = createMemoryStore();
  const ran: number[] = [];
  const open = (at: number) => {
    const execute = () => data(ran.push(at));
    return world({ budgets }, [tool("t", { execute, ...fields }), tool("other")], { store });
  };
  return { hosts: [(await open(0)).host, (await open(1)).host] as const, ran, store };
}

describe.each([
  ["alone", {}],
  ["beside budgets", { calls: 100, ms: 60_000, concurrent: 9 }],
  ["beside a budget that costs a resumed call nothing", { calls: 100 }],
])("repeats %s", (_, more) => {
  const budgets = { repeats: 3, ...more };
  const call = { name: "t", arguments: { a: 1 } };

  test("counts the calls of both servers", async () => {
    const { hosts, ran } = await servers(budgets);
    const results = [];
    for (let n = 0; n < 4; n++) results.push((await hosts[n % 2]!.call(call, turn)).result);

    expect(results.map(({ warnings }) => warnings?.length ?? 0)).toEqual([0, 1, 0, 0]);
    expect(results[2]!.data).toMatchObject({ suppressed: true });
    expect(results[3]!.data).toMatchObject({ suppressed: true });
    expect(ran).toEqual([0, 1]);
    expect((await hosts[1].call(call, { ...turn, turnId: "t-2" })).result.data).toBe(3);
  });

  test("acts after a result of the other server, and not before", async () => {
    const { hosts } = await servers(budgets);
    const [one, other] = hosts;
    const together = await Promise.all([one, other, one, other].map((host) => host.call(call, turn)));
    expect(JSON.stringify(together)).not.toContain("suppressed");

    const next = await servers(budgets, { execute: () => new Promise(() => {}) });
    await next.hosts[0].call({ name: "other" }, turn);
    void next.hosts[0].call(call, turn);
    void next.hosts[0].call(call, turn);
    await new Promise(setImmediate);
    expect((await next.hosts[1].call(call, turn)).result.data).toMatchObject({ suppressed: true });
  });

  test("counts a call once that waited, and that the other server resumes", async () => {
    const { hosts } = await servers(budgets, { requiresConfirmation: true });
    const run = async () => {
      const { ticket } = await hosts[0].call(call, turn);
      const [question] = await hosts[0].approvals.list();
      await hosts[0].approvals.decide(question!.id, "approve", "bob");
      return (await hosts[1].resume(ticket!, turn)).result;
    };

    expect((await run()).warnings).toBeUndefined();
    expect((await run()).warnings).toHaveLength(1);
  });
});

test("a result is kept where the store is away after the call", async () => {
  const store = createMemoryStore();
  let isAway = false;
  const count: WorkStore["count"] = (...given) =>
    isAway ? Promise.reject(new Error("away")) : store.work!.count(...given);
  const execute = () => data((isAway = true));
  const work = { ...store.work!, count };
  const { host } = await world({ budgets: { repeats: 3 } }, [tool("t", { execute })], {
    store: { ...store, work },
  });

  expect((await host.call({ name: "t" }, turn)).result.data).toBe(true);
  expect(await host.call({ name: "t" }, turn)).toMatchObject({
    status: "denied",
    result: { error: expect.stringContaining("loop guard") },
  });
});

test("a call that a rule denies gives its part of the budget back", async () => {
  const { host } = await world(
    { budgets: { calls: 1, repeats: 3 }, rules: [{ match: { tool: "no" }, answer: "deny" }] },
    [tool("t"), tool("no")],
  );
  const statuses = [];
  for (const name of ["no", "t", "t"]) statuses.push((await host.call({ name }, turn)).status);

  expect(statuses).toEqual(["denied", "ok", "denied"]);
});
