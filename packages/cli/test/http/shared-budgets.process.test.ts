// A budget of a session, over servers that share a store: whatever comes when and where, it is never exceeded, and what a
// denied call gave back can be used again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, data, defineTool, type Host, type StateStore } from "@toolmount/core";
import { config, mount } from "@toolmount/policy";
import { openStore } from "@toolmount/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { sharedPostgres } from "../../../store/test/postgres.ts";

let folder: string;
let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolmount-budgets-"));
  postgres = await sharedPostgres();
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const stores = ["SQLite", "Postgres"] as const;
const newUrl = async (kind: (typeof stores)[number]) => {
  const name = `budgets_${++count}`;
  return kind === "SQLite" ? `sqlite:${join(folder, `${name}.db`)}` : postgres.database(name);
};

/** Servers over one store, with a budget; each opens the store for itself. */
async function serversOf(url: string, size: number, budgets: object) {
  const ran: string[] = [];
  const gates: (() => void)[] = [];
  const run = (context: { readonly sessionId?: string | undefined } | undefined) =>
    data(ran.push(String(context?.sessionId)));
  const held = () => new Promise<void>((resolve) => void gates.push(resolve));
  const tool = (name: string, requiresConfirmation: boolean) =>
    defineTool({
      name,
      description: "Counts that it ran. Use in tests.",
      schema: z.strictObject({}),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation,
      execute: async (_, context) => {
        if (name === "held") await held();
        return run(context);
      },
    });
  const start = async (): Promise<{ host: Host; stop: () => Promise<void> }> => {
    const store = await openStore(url);
    const host = createHost({ store: store satisfies StateStore });
    const rules = [{ match: { tool: "refused" }, answer: "deny" }];
    await mount(host.coordinator, config.parse({ budgets, rules }));
    for (const one of [tool("plain", false), tool("held", false), tool("asks", true), tool("refused", false)])
      host.coordinator.mount("tools", one);
    const stop = async () => {
      await host.close();
      await store.close();
    };
    return { host, stop };
  };
  const servers = await Promise.all(Array.from({ length: size }, start));
  onTestFinished(async () => void (await Promise.all(servers.map(({ stop }) => stop()))));
  const restart = async (at: number) => {
    await servers[at]!.stop();
    servers[at] = await start();
  };
  return { servers, ran, gates, restart };
}

interface Step {
  readonly server: number;
  readonly session: string;
  readonly kind: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  server: fc.nat(2),
  session: fc.constantFrom("a", "b"),
  kind: fc.constantFrom("plain", "plain", "refused", "asks", "denied", "restart"),
});

describe.each(stores)("budgets of servers that share a store in %s", (kind) => {
  test("no session ever has more calls than its budget, and each has all of them", async () => {
    const url = await newUrl(kind);
    const calls = 4;
    const { servers, ran, restart } = await serversOf(url, 3, { calls });
    let round = 0;
    const runs = (session: string) => ran.filter((id) => id === session).length;
    const act = async ({ server, session: name, kind: what }: Step, id: string) => {
      const sessionId = `${name}-${id}`;
      const { host } = servers[server]!;
      if (what === "plain" || what === "refused") return host.call({ name: what }, { sessionId });
      const asked = await host.call({ name: "asks" }, { sessionId });
      if (asked.status !== "pending") return asked;
      const other = servers[(server + 1) % servers.length]!.host;
      const [question] = await other.approvals.list({ sessionId, callId: asked.callId });
      await other.approvals.decide(question!.id, { decision: what === "asks" ? "approve" : "deny" }, "ann");
      return other.resume(asked.ticket!, { sessionId });
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), async (steps) => {
        const id = String(++round);
        for (const at of new Set(steps.filter((one) => one.kind === "restart").map((one) => one.server)))
          await restart(at);
        const acts = steps.filter((one) => one.kind !== "restart");
        const outcomes = await Promise.all(acts.map((one) => act(one, id)));
        for (const name of ["a", "b"]) {
          const session = `${name}-${id}`;
          expect(runs(session)).toBeLessThanOrEqual(calls);
          const ok = outcomes.filter(
            ({ status }, at) => status === "ok" && acts[at]!.session === name,
          ).length;
          expect(ok).toBe(runs(session));
          // What was denied gives its call back, so the rest of the budget is there, and no more than that.
          const plain = () => servers[0]!.host.call({ name: "plain" }, { sessionId: session });
          await expect.poll(() => plain().then(() => runs(session)), { timeout: 30_000 }).toBe(calls);
          expect((await plain()).status).toBe("denied");
        }
      }),
      { numRuns: 12 },
    );
  });

  test("a call that waits is counted once, wherever and whenever it is resumed", async () => {
    const { servers, ran, restart } = await serversOf(await newUrl(kind), 2, { calls: 2 });
    const context = { sessionId: "s" };
    const asked = await servers[0]!.host.call({ name: "asks" }, context);
    await restart(0);
    await restart(1);
    const { host } = servers[1]!;
    const [question] = await host.approvals.list({ sessionId: "s" });
    await host.approvals.decide(question!.id, "approve", "ann");
    expect((await host.resume(asked.ticket!, context)).status).toBe("ok");
    expect((await servers[0]!.host.call({ name: "plain" }, context)).status).toBe("ok");
    const last = await servers[0]!.host.call({ name: "plain" }, context);
    expect(last.result.error).toBe('"plain" was not run: the session has used its 2 calls');
    expect(ran).toHaveLength(2);
  });

  test("calls at the same time are counted over servers, and one that ends leaves its place to a call at any", async () => {
    const { servers, gates } = await serversOf(await newUrl(kind), 3, { concurrent: 2 });
    const held = (at: number) => servers[at]!.host.call({ name: "held" }, { sessionId: "s" });
    const plain = async (at: number) =>
      (await servers[at]!.host.call({ name: "plain" }, { sessionId: "s" })).status;
    const running = [held(0), held(1)];
    await expect.poll(() => gates.length).toBe(2);
    expect(await Promise.all([0, 1, 2].map(plain))).toEqual(["denied", "denied", "denied"]);
    gates.shift()!();
    await Promise.race(running);
    expect(await plain(2)).toBe("ok");
    gates.shift()!();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(["ok", "ok"]);
    const asked = await servers[2]!.host.call({ name: "asks" }, { sessionId: "s" });
    expect([asked.status, await plain(0), await plain(1)]).toEqual(["pending", "ok", "ok"]);
  });

  test.each([{ repeats: 3 }, { repeats: 3, calls: 100, ms: 60_000, concurrent: 9 }])(
    "equal calls are counted over servers, and across a restart: %j",
    async (budgets) => {
      const { servers, ran, restart } = await serversOf(await newUrl(kind), 3, budgets);
      const call = async (at: number, name = "plain") => {
        const { warnings = [], data: given } = (await servers[at]!.host.call({ name }, { sessionId: "s" }))
          .result;
        return [warnings.length, typeof given];
      };
      expect([await call(0), await call(1, "refused"), await call(1)]).toEqual([
        [0, "number"],
        [0, "undefined"],
        [1, "number"],
      ]);
      await restart(0);
      const suppressed = await Promise.all([0, 1, 2, 0].map((at) => call(at)));
      expect(suppressed.map(String)).toEqual(suppressed.map(() => "0,object"));
      expect(ran).toHaveLength(2);
    },
  );

  test("time is counted over servers, too", async () => {
    const { servers } = await serversOf(await newUrl(kind), 2, { ms: 1 });
    const call = async (at: number) => {
      const { status, result } = await servers[at]!.host.call({ name: "plain" }, { sessionId: "s" });
      return [status, result.error];
    };
    await expect
      .poll(() => call(0), { timeout: 30_000 })
      .toEqual(["denied", '"plain" was not run: the session has used its 1 ms of tool time']);
    expect((await call(1))[0]).toBe("denied");
  });
});
