import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  systemClock,
  type StateStore,
} from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createWorld, serve } from "./support/world.ts";

interface Listed {
  readonly calls: readonly {
    readonly runId: string;
    readonly tool: string;
    readonly status: string;
    readonly callId: string;
  }[];
  readonly next: string | null;
}

const path = "/api/v1/hosts/default/calls";

/** A host with one tool, its own clock, and a store that other hosts may have, too. */
async function hostOn(store: StateStore, begin: number) {
  let now = begin;
  const host = createHost({ store, clock: { ...systemClock, now: () => now, elapsed: () => now } });
  onTestFinished(async () => void (await host.close()));
  const execute = async ({ order, fails }: { order: string; fails: boolean }) => {
    if (fails) throw new Error("the stock is empty");
    return data({ ordered: order, token: "sk-secret" });
  };
  const schema = z.strictObject({ order: z.string(), fails: z.boolean().default(false) });
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "order",
      description: "Orders.",
      schema,
      category: "side_effect",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute,
    }),
  );
  const call = async (id: string, order: string, fails = false, userId = "ana") => {
    now += 1_000;
    return host.call({ id, name: "order", arguments: { order, fails } }, { sessionId: "s", userId });
  };
  return { host, call };
}

test("after a restart the server lists, shows and searches the calls of before", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const before = await hostOn(store, 1_000_000);
  await before.call("c1", "Emma");
  await before.call("c2", "Ivanhoe", true);
  await before.host.close();
  const { host, call } = await hostOn(store, 2_000_000);
  const { ask } = await serve(host);
  await call("c3", "Emma again");
  const ids = async (query = "") =>
    ((await ask("GET", `${path}${query}`)).body as unknown as Listed).calls.map(({ callId }) => callId);

  expect(await ids()).toEqual(["c3", "c2", "c1"]);
  expect(await ids("?status=failed")).toEqual(["c2"]);
  expect(await ids("?code=TOOL_FAILED")).toEqual(["c2"]);
  expect(await ids("?text=emma")).toEqual(["c3", "c1"]);
  expect(await ids("?text=FAILED%20ivan*")).toEqual(["c2"]);
  expect(await ids("?from=1001500&to=1500000")).toEqual(["c2"]);
  expect(await ids("?text=secret")).toEqual([]);
  // A request that would read every word of the audit 250 times is refused.
  const starts = encodeURIComponent(Array.from({ length: 250 }, (_, at) => `w${at % 90}*`).join(" "));
  for (const query of [`?text=${starts}`, `/export?text=${starts}`, "?limit=10001"])
    expect((await ask("GET", `${path}${query}`)).status).toBe(400);

  const [, , oldest] = ((await ask("GET", path)).body as unknown as Listed).calls;
  const shown = await ask("GET", `${path}/${oldest!.runId}`);
  expect(shown.body).toMatchObject({
    callId: "c1",
    status: "ok",
    arguments: { value: { order: "Emma", fails: false } },
    result: { value: { ordered: "Emma", token: "[masked]" } },
    steps: [{ name: "started" }, { name: "ended", note: "ok" }],
  });
});

test("pages have each call once, beside calls that are only known to this process", async () => {
  const store = createMemoryStore({ audit: "changes" });
  const { host, call } = await hostOn(store, 1_000_000);
  const look = defineTool({
    name: "look",
    description: "Looks.",
    schema: z.strictObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: async () => data(1),
  });
  host.coordinator.mount("tools", look);
  const { ask } = await serve(host);
  for (let at = 0; at < 9; at++) {
    await call(`c${at}`, "x");
    await host.call({ id: `r${at}`, name: "look" });
  }
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const query: string = after === null ? "" : `&after=${encodeURIComponent(after)}`;
    const page = (await ask("GET", `${path}?limit=4${query}`)).body as unknown as Listed;
    expect(page.calls.length).toBeLessThanOrEqual(4);
    seen.push(...page.calls.map(({ callId }) => callId));
    after = page.next;
  } while (after !== null);

  expect(seen.toSorted()).toEqual(
    Array.from({ length: 9 }, (_, at) => [`c${at}`, `r${at}`])
      .flat()
      .toSorted(),
  );
  expect((await ask("GET", `${path}?after=nonsense`)).body).toMatchObject({
    status: 400,
    code: "REQUEST_INVALID",
  });
});

test("a token of one user sees only the calls of that user, also those of before and by a search", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const before = await hostOn(store, 1_000_000);
  await before.call("hers", "Emma", false, "ana");
  const { runId } = await before.call("his", "Emma", false, "bob");
  await before.host.close();
  const { host } = await hostOn(store, 2_000_000);
  const { ask } = await serve(host);
  const list = async (query: string) =>
    (await ask("GET", `${path}${query}`, { as: "ana" })).body as unknown as Listed;

  for (const query of ["", "?text=emma", "?user=ana"])
    expect((await list(query)).calls.map(({ callId }) => callId)).toEqual(["hers"]);
  expect((await ask("GET", `${path}?user=bob`, { as: "ana" })).status).toBe(403);
  expect((await ask("GET", `${path}/${runId}`, { as: "ana" })).status).toBe(404);
  expect((await ask("GET", `${path}/${runId}`)).status).toBe(200);
});

test("a host without an audit lists and searches the calls of its process", async () => {
  const { host } = createWorld();
  const { ask } = await serve(host);
  await host.call({ id: "a", name: "echo", arguments: { text: "first word" } });
  await host.call({ id: "b", name: "echo", arguments: { text: "second word" } });
  const ids = async (query: string) =>
    ((await ask("GET", `${path}${query}`)).body as unknown as Listed).calls.map(({ callId }) => callId);

  expect(await ids("?text=word")).toEqual(["b", "a"]);
  expect(await ids("?text=first")).toEqual(["a"]);
  expect((await ask("GET", `${path}/export`)).body).toMatchObject({ code: "NOT_SERVED" });
});

test("an approval's scope counts calls of before the restart, too", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const before = createWorld({ store });
  for (const text of ["a", "a", "b"]) {
    const { ticket } = await before.host.call({ name: "wipe", arguments: { text } }, { userId: "ana" });
    const [question] = await before.host.approvals.list();
    await before.host.approvals.decide(question!.id, "approve", "olga");
    await before.host.resume(ticket!, { userId: "ana" });
  }
  await before.host.close();
  const { host } = createWorld({ store });
  const { ask } = await serve(host);
  await host.call({ name: "wipe", arguments: { text: "a" } }, { userId: "ana" });
  const [question] = await host.approvals.list();
  const { body } = await ask("POST", `/api/v1/hosts/default/approvals/${question!.id}/matches`, {
    body: { remember: { scope: "arguments" } },
  });

  expect(body).toEqual({ compared: 4, matched: 3 });
});
