// What a user may spend in a day or a month: counted in the store, whichever server and session spends it.
import { createMemoryStore, systemClock } from "@toolmount/core";
import { expect, test } from "vitest";
import type { Agent } from "../../src/index.ts";
import { call, response, say, tool, world } from "../support/world.ts";

/** What `policy.budgets.per` of a plan says. */
async function counted(per: "day" | "month", ...given: Parameters<typeof world>) {
  const made = await world(...given);
  made.host.coordinator.registerCapability("host.budget_period", per);
  return made;
}

const prices = { input: 1, output: 1, currency: "EUR" };
/** An answer that costs 1 euro, of a million tokens. */
const costly = (output: readonly object[]) =>
  response(output, { usage: { input_tokens: 1_000_000, output_tokens: 0 } });

test("the cost of a user's month is counted over servers, sessions and restarts, and is not another user's", async () => {
  const store = createMemoryStore();
  const settings = { budgets: { cost: 3 }, prices };
  const start = () => counted("month", () => costly([say("ok")]), { store, settings });
  const servers = await Promise.all([start(), start()]);
  const run = (at: number, userId: string, sessionId: string) =>
    servers[at]!.run("go", { userId, sessionId });
  for (const [at, session] of [
    [0, "a"],
    [1, "b"],
    [0, "c"],
  ] as const)
    expect(await run(at, "ana", session)).toMatchObject({ status: "done" });

  servers.push(await start());
  const details = { budget: "cost", limit: 3, period: "month" };
  for (const [at, { requests }] of servers.entries()) {
    const before = requests.length;
    const { status, error } = await run(at, "ana", `after ${at}`);
    expect([status, error]).toMatchObject(["failed", { code: "AGENT_BUDGET_EXHAUSTED", details }]);
    expect(requests).toHaveLength(before);
  }
  expect(await run(2, "ben", "d")).toMatchObject({ status: "done" });
});

test("the tokens of a day end a turn between two requests, and the next day has its own", async () => {
  let now = Date.parse("2026-03-31T23:59:00Z");
  const clock = { ...systemClock, now: () => now };
  const { run, requests } = await counted("day", () => costly([call(`c${Math.random()}`, "look")]), {
    tools: [tool("look", () => 1)],
    settings: { budgets: { tokens: 2_000_000 }, maxIterations: 3 },
    host: { clock },
  });
  const details = { budget: "tokens", limit: 2_000_000, period: "day" };
  expect((await run("go")).error).toMatchObject({ code: "AGENT_BUDGET_EXHAUSTED", details });
  expect(requests).toHaveLength(2);
  now += 120_000;
  await run("go", { sessionId: "t" });
  expect(requests).toHaveLength(4);
});

test("sub-agents spend what their user has, also those with budgets of their own", async () => {
  const helper: Agent = { description: "Helps.", tools: ["*"], budgets: { calls: 9 } };
  const codes: unknown[] = [];
  const hand = tool(
    "hand",
    async (_, { sessionId, turnId }) => {
      const ids = { parentSessionId: sessionId!, parentTurnId: turnId! };
      const { turn } = await (await all).reasoner.spawn({ instruction: "help", agent: "helper", ...ids });
      return codes.push(turn.error?.code);
    },
    { timeout: 0, tags: ["agents"] },
  );
  const all: ReturnType<typeof world> = counted("month", () => costly([call("c1", "hand")]), {
    tools: [hand],
    agents: { helper },
    settings: { budgets: { cost: 1 }, prices },
  });
  const { run, requests } = await all;
  await run("go", { userId: "ana" });
  expect(codes).toEqual(["AGENT_BUDGET_EXHAUSTED"]);
  expect(requests).toHaveLength(1);
});

test("a session that is longer than a month may spend in each month", async () => {
  let now = Date.parse("2026-03-31T23:59:00Z");
  const clock = { ...systemClock, now: () => now };
  const settings = { budgets: { cost: 1 }, prices };
  const { run } = await counted("month", () => costly([say("ok")]), { settings, host: { clock } });
  expect(await run("go")).toMatchObject({ status: "done" });
  expect(await run("go")).toMatchObject({ status: "failed", error: { code: "AGENT_BUDGET_EXHAUSTED" } });
  now += 120_000;
  expect(await run("go")).toMatchObject({ status: "done" });
});
