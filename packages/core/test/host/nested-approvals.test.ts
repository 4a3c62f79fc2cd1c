import { expect, test } from "vitest";
import {
  createHost,
  createMemoryStore,
  data,
  failure,
  type HostOptions,
  type StateStore,
  type ToolContext,
  type ToolOutcome,
} from "../../src/index.ts";
import { createFakeClock } from "../fake-clock.ts";
import { tool } from "../world.ts";

const alice = { sessionId: "s", userId: "alice" };

/** What a composite makes of the outcomes of its calls. */
function summed(outcomes: readonly ToolOutcome[]) {
  const failed = outcomes.find(({ result }) => result.error !== undefined);
  return failed === undefined
    ? data(outcomes.map(({ result }) => result.data))
    : failure(failed.result.error!, { code: "INNER_FAILED" });
}

/** Hosts of one store, each as another process: tools that count and wipe, and composites that call them. */
function nestedWorld(options: HostOptions = {}) {
  const store = options.store ?? createMemoryStore({ audit: "durable" });
  const ran: string[] = [];
  const asks = { requiresConfirmation: true };
  const one = (name: string) => ({ name, arguments: {} });
  const composites: Readonly<Record<string, (context: ToolContext) => Promise<readonly ToolOutcome[]>>> = {
    in_turn: async ({ call }) => [
      await call(one("count")),
      await call(one("wipe")),
      await call(one("count")),
    ],
    together: ({ call }) => Promise.all([call(one("wipe")), call(one("count")), call(one("burn"))]),
    deep: async ({ call }) => [await call(one("in_turn"))],
  };
  const open = (more: HostOptions = {}) => {
    const host = createHost({ ...options, store, ...more });
    const work = (name: string) => () => data(ran.push(name));
    const tools = [
      tool(work("count"), { name: "count" }),
      tool(work("wipe"), { name: "wipe", ...asks }),
      tool(work("burn"), { name: "burn", ...asks }),
      ...Object.entries(composites).flatMap(([name, calls]) => {
        const run = async (_: unknown, context: ToolContext) => (
          ran.push(name),
          summed(await calls(context))
        );
        return [
          tool(run, { name, idempotent: true }),
          tool(run, { name: `careful_${name}`, idempotent: true, ...asks }),
          tool(run, { name: `once_${name}` }),
        ];
      }),
    ];
    for (const each of tools) host.coordinator.mount("tools", each);
    return host;
  };
  const decide = async (name: string, decision: "approve" | "deny" = "approve") => {
    const host = open();
    const found = (await host.approvals.list()).find(({ tool: asked }) => asked === name)!;
    await host.approvals.decide(found.id, decision, "bob");
  };
  const waiting = async () => (await open().approvals.list()).map(({ tool: asked }) => asked);
  return { open, ran, decide, waiting, store };
}

test("a tool whose call needs a person waits under a ticket of its own, and resumes: nothing runs twice", async () => {
  const { open, ran, decide, waiting, store } = nestedWorld();
  const outcome = await open().call({ id: "c1", name: "in_turn" }, alice);
  expect(outcome).toMatchObject({ status: "pending", result: { code: "PENDING" }, callId: "c1" });
  expect(await waiting()).toEqual(["wipe"]);
  const [question] = await open().approvals.list({ sessionId: "s", callId: "c1" });
  expect(question!.tool).toBe("wipe");
  expect(await open().resume(outcome.ticket!, alice)).toMatchObject({ status: "pending" });
  expect(ran).toEqual(["in_turn", "count"]);

  await decide("wipe");
  const resumed = await open().resume(outcome.ticket!, alice);
  expect(resumed).toMatchObject({ status: "ok", runId: outcome.runId, result: { data: [2, 4, 5] } });
  expect(ran).toEqual(["in_turn", "count", "in_turn", "wipe", "count"]);
  expect(await open().resume(outcome.ticket!, alice)).toEqual(resumed);
  expect(ran).toHaveLength(5);
  expect(await waiting()).toEqual([]);
  const ends = (await store.audit!.read()).filter(({ entry }) => entry.kind === "end");
  expect(ends.map(({ entry }) => entry.tool).toSorted()).toEqual(["count", "count", "in_turn", "wipe"]);
});

test("its tool reads a denial as the outcome of that call", async () => {
  const { open, ran, decide } = nestedWorld();
  const { ticket } = await open().call({ name: "in_turn" }, alice);
  await decide("wipe", "deny");

  const resumed = await open().resume(ticket!, alice);
  expect(resumed).toMatchObject({ status: "failed", result: { code: "INNER_FAILED" } });
  expect(resumed.result.error).toContain("wipe");
  expect(ran).not.toContain("wipe");
});

test("calls side by side: those that need no person end first, and each question is asked once", async () => {
  const { open, ran, decide, waiting } = nestedWorld();
  const { ticket } = await open().call({ name: "together" }, alice);
  expect(ran).toEqual(["together", "count"]);
  expect((await waiting()).toSorted()).toEqual(["burn", "wipe"]);

  await decide("burn");
  expect(await open().resume(ticket!, alice)).toMatchObject({ status: "pending", ticket });
  expect(ran).toEqual(["together", "count", "together", "burn"]);
  expect(await waiting()).toEqual(["wipe"]);
  await decide("wipe");
  expect(await open().resume(ticket!, alice)).toMatchObject({ status: "ok", result: { data: [6, 2, 4] } });
  expect(ran).toEqual(["together", "count", "together", "burn", "together", "wipe"]);
});

test("a tool that calls such a tool waits, too", async () => {
  const { open, ran, decide } = nestedWorld();
  const { ticket, callId } = await open().call({ name: "deep" }, alice);
  expect(await open().approvals.list({ sessionId: "s", callId })).toHaveLength(1);

  await decide("wipe");
  expect(await open().resume(ticket!, alice)).toMatchObject({ status: "ok" });
  expect(ran.filter((name) => name === "wipe" || name === "count")).toEqual(["count", "wipe", "count"]);
});

test("a call that a person approved stays approved while a call of its tool waits", async () => {
  const { open, ran, decide } = nestedWorld();
  const asked: string[] = [];
  const first = open({
    approver: ({ tool: { name } }) => {
      asked.push(name);
      return { decision: name === "wipe" ? "later" : "approve", by: "ana" };
    },
  });
  const { ticket } = await first.call({ name: "careful_in_turn" }, alice);
  await decide("wipe");

  expect(await open().resume(ticket!, alice)).toMatchObject({ status: "ok" });
  expect(asked).toEqual(["careful_in_turn", "wipe"]);
  expect(ran.filter((name) => name === "wipe")).toHaveLength(1);
});

test("with one place for calls, the resumed call uses its tool's place", async () => {
  const { open, decide } = nestedWorld({ limits: { concurrentTotal: 1 } });
  const { ticket } = await open().call({ name: "in_turn" }, alice);
  await decide("wipe");

  expect(await open().resume(ticket!, alice)).toMatchObject({ status: "ok" });
});

test("a tool that may not run twice fails instead, and its question ends with it", async () => {
  const { open, ran, waiting } = nestedWorld();
  const host = open();
  const outcome = await host.call({ name: "once_in_turn" }, alice);
  expect(outcome).toMatchObject({ status: "failed", result: { code: "INNER_FAILED" } });
  expect(outcome.ticket).toBeUndefined();
  await host.close();

  expect(await waiting()).toEqual([]);
  expect(ran).not.toContain("wipe");
});

test("a caller that revokes a call that waits so ends it without a run", async () => {
  const { open, ran } = nestedWorld();
  const host = open();
  const { ticket } = await host.call({ name: "in_turn" }, alice);
  const [own] = await host.approvals.list({ states: ["suspended"] });
  expect(own!.tool).toBe("in_turn");
  expect(await host.approvals.revoke(own!.id)).toBe(true);

  expect(await host.resume(ticket!, alice)).toMatchObject({ status: "denied" });
  expect(ran).toEqual(["in_turn", "count"]);
});

/** The store of a process that is gone after so many uses: none of them is answered any more. */
function dyingStore(store: StateStore, uses: number): StateStore & { readonly isDead: () => boolean } {
  let left = uses;
  const dying = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (_, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== "function") return member;
        return (...given: unknown[]) =>
          left-- > 0 ? (Reflect.apply(member, target, given) as unknown) : new Promise(() => {});
      },
    });
  return { ...store, approvals: dying(store.approvals), isDead: () => left < 0 };
}

test("killed at any use of the store while it resumes: the approved call runs at most once", async () => {
  const ends: string[] = [];
  for (let uses = 0; ; uses++) {
    const clock = createFakeClock();
    const base = createMemoryStore();
    const { open, ran, decide } = nestedWorld({ clock, store: base });
    const { ticket } = await open().call({ name: "in_turn" }, alice);
    await decide("wipe");
    const dying = dyingStore(base, uses);
    void open({ store: dying }).resume(ticket!, alice);
    await clock.advance(1);
    const died = dying.isDead();
    await clock.advance(60_000);

    const { status } = await open().resume(ticket!, alice);
    expect(ran.filter((name) => name === "wipe").length, `${uses} uses, ${status}`).toBeLessThanOrEqual(1);
    expect(["ok", "failed"]).toContain(status);
    if (status === "ok") expect(ran).toContain("wipe");
    ends.push(status);
    if (!died) break;
  }
  expect(ends.length).toBeGreaterThan(6);
  expect(ends).toContain("ok");
});
