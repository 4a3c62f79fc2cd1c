import { createMemoryStore, data, defineTool } from "@toolmount/core";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { clockOfLooks } from "./support/clock.ts";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default";

async function world(store = createMemoryStore()) {
  const made = createWorld({ store });
  const served = await serve(made.host);
  const call = (more: object = {}) =>
    served.ask("POST", `${path}/calls`, {
      as: "ana",
      body: { tool: "wipe", arguments: { text: "all" }, sessionId: "s", background: true, ...more },
    });
  const decide = async (decision: "approve" | "deny") => {
    const [question] = await made.host.approvals.list();
    await made.host.approvals.decide(question!.id, decision, "bob");
  };
  const statuses = async () => {
    const { calls } = (await served.ask("GET", `${path}/calls`)).body as unknown as {
      calls: { status: string }[];
    };
    return calls.map(({ status }) => status);
  };
  return { ...made, ...served, call, decide, statuses };
}

const soon = { timeout: 240_000 };

test("a call in the background runs when it is approved, and its client reads the same outcome later", async () => {
  const { started, ask, call, decide } = await world();
  const { body } = await call({ id: "c1" });
  expect(body).toMatchObject({ status: "pending", callId: "c1" });
  expect(started).toEqual([]);

  await decide("approve");
  await vi.waitFor(() => expect(started).toEqual(["wipe"]), soon);
  const again = { as: "ana", body: { ticket: body["ticket"], sessionId: "s" } } as const;
  const outcome = await vi.waitFor(async () => {
    const answer = await ask("POST", `${path}/resume`, again);
    expect(answer.body["status"]).toBe("ok");
    return answer;
  }, soon);
  expect(outcome.body).toMatchObject({ result: { data: "wiped all" } });
  expect(started).toEqual(["wipe"]);
});

test("a call that was approved while no server ran is resumed by the next one; one without background is not", async () => {
  const store = createMemoryStore();
  const first = await world(store);
  await first.call();
  await first.server.close({ graceMs: 0 });
  await first.decide("approve");
  await first.host.call({ name: "wipe", arguments: { text: "other" } }, { sessionId: "s" });
  await first.decide("approve");
  expect(first.started).toEqual([]);

  const second = await world(store);
  const third = await world(store);
  await vi.waitFor(() => expect([...second.started, ...third.started]).toEqual(["wipe"]), soon);
  await second.server.close();
  await third.server.close();
  expect([...second.started, ...third.started]).toEqual(["wipe"]);
});

test("a server that ends lets a call in the background end, and leaves one that is approved then to the next server", async () => {
  const store = createMemoryStore();
  const first = await world(store);
  const asks = {
    name: "hold",
    description: "Asks, and waits until the test releases it or its signal fires. Use in tests.",
    schema: z.strictObject({}),
    category: "side_effect",
    consequenceLevel: "low",
    requiresConfirmation: true,
  } as const;
  const held = Promise.withResolvers<void>();
  const hold = defineTool({
    ...asks,
    async execute(_, { abortSignal }) {
      first.started.push("hold");
      const cut = new Promise<never>((_resolve, reject) =>
        abortSignal.addEventListener("abort", () => reject(abortSignal.reason as Error)),
      );
      await Promise.race([held.promise, cut]);
      return data("held");
    },
  });
  first.host.coordinator.mount("tools", hold);
  await first.call({ tool: "hold", arguments: {} });
  await first.decide("approve");
  await vi.waitFor(() => expect(first.started).toEqual(["hold"]), soon);
  await first.call();

  const closing = first.server.close({ graceMs: 120_000 });
  await vi.waitFor(() => expect(fetch(`${first.server.url}/healthz`)).rejects.toThrow(), soon);
  await first.decide("approve");
  held.resolve();
  await closing;
  expect(first.started).toEqual(["hold"]);
  const [ended] = await store.approvals.list({ states: ["ended"] });
  expect(ended).toMatchObject({ tool: "hold", end: { status: "ok" } });

  const second = await world(store);
  await vi.waitFor(() => expect(second.started).toEqual(["wipe"]), soon);
});

test("a call that is approved before its question was listed runs without another look at the store", async () => {
  const { host, started } = createWorld();
  const { ask } = await serve(host, { clock: clockOfLooks(15_000) });
  await ask("POST", `${path}/calls`, { body: { tool: "wipe", sessionId: "s", background: true } });
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "bob");

  await vi.waitFor(() => expect(started).toEqual(["wipe"]), soon);
});

test("a call in the background that is denied ends, and nothing runs", async () => {
  const { started, call, decide, statuses } = await world();
  await call();
  await decide("deny");
  await vi.waitFor(async () => expect(await statuses()).toEqual(["denied"]), soon);
  expect(started).toEqual([]);
});

test("a call behind more questions than are listed runs when it is approved, and no other does", async () => {
  const { host, started } = createWorld();
  const clock = clockOfLooks(15_000);
  const { ask } = await serve(host, { clock });
  const call = (text: string, background: boolean) =>
    ask("POST", `${path}/calls`, { body: { tool: "wipe", arguments: { text }, sessionId: "s", background } });
  for (let at = 0; at < 1_001; at++)
    await host.call({ name: "wipe", arguments: { text: `${at}` } }, { sessionId: "s" });
  await call("last", true);
  await call("kept", true);
  const [last] = (await host.approvals.list({ limit: 2_000 })).slice(-2);
  await host.approvals.decide(last!.id, "approve", "bob");
  clock.look();
  await vi.waitFor(() => expect(started).toEqual(["wipe"]), soon);
  expect(await host.approvals.list({ limit: 2_000 })).toHaveLength(1_002);
});

test("a call in the background that needs no approval answers at once", async () => {
  const { call } = await world();
  expect((await call({ tool: "echo" })).body).toMatchObject({ status: "ok" });
});
