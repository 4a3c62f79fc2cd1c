import { createMemoryStore, defineTool, ToolInterrupt, type ToolOutcome } from "@toolmount/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { throughHost } from "../src/serve/exposed-calls.ts";
import { bareOutcome, requestDigest, ServedSession } from "../src/serve/served-session.ts";
import { WaitingCalls } from "../src/serve/waiting-calls.ts";
import { SuspendableCall } from "../src/tasks/suspended.ts";
import { add, hostOf, remove } from "./support.ts";

const call = (path: string) => ({ name: "remove", arguments: { path } });

test("the same request again, while it waits, resumes its call, and another one is another call", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const served = new ServedSession(host, "s");
  const [one, other] = [await served.call(call("a"), {}), await served.call(call("b"), {})];
  expect([one.status, other.status, one.ticket === other.ticket]).toEqual(["pending", "pending", false]);
  const again = await served.call(call("a"), {});
  expect([again.status, again.callId]).toEqual(["pending", one.callId]);
  expect(await host.approvals.list()).toHaveLength(2);
  const [question] = await host.approvals.list({ callId: one.callId });
  await host.approvals.decide(question!.id, "approve", "ada");
  expect((await served.call(call("a"), {})).result.data).toEqual({ gone: "a" });
  expect((await served.call(call("a"), {})).status).toBe("pending");
  expect(await host.approvals.list()).toHaveLength(2);
});

test("a request whose call was resumed elsewhere has its outcome, and then is a new call", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const served = new ServedSession(host, "s");
  const { ticket, callId } = await served.call(call("a"), {});
  const [question] = await host.approvals.list({ callId });
  await host.approvals.decide(question!.id, "approve", "ada");
  await host.session("s").resume(ticket!, {});
  const next = await served.call(call("a"), {});
  expect([next.status, next.callId]).toEqual(["ok", callId]);
  const another = await served.call(call("a"), {});
  expect([another.status, another.callId === callId]).toEqual(["pending", false]);
});

test("the same request again resumes its call at every server of the store, and is a new call at each when it has ended", async () => {
  const store = createMemoryStore();
  const servers = [1, 2].map(() => new ServedSession(hostOf([remove], { store }), "s"));
  const [one, other] = servers as [ServedSession, ServedSession];
  const { host } = one;
  const asked = await one.call(call("a"), {});
  expect((await other.call(call("a"), {})).callId).toBe(asked.callId);
  expect((await new ServedSession(host, "t").call(call("a"), {})).callId).not.toBe(asked.callId);
  const [question] = await host.approvals.list({ callId: asked.callId });
  await host.approvals.decide(question!.id, "approve", "ada");
  expect((await other.call(call("a"), {})).result.data).toEqual({ gone: "a" });
  const next = await one.call(call("a"), {});
  expect([next.status, next.callId === asked.callId]).toEqual(["pending", false]);
  expect((await other.call(call("a"), {})).callId).toBe(next.callId);
  expect(JSON.stringify(await store.work!.list({ kind: "mcp-waiting" }))).not.toContain(next.ticket);
});

test("a row of a waiting request opens only with the keys of its store", async () => {
  const stores = [createMemoryStore(), createMemoryStore()];
  const note = { status: "pending", ticket: "the ticket" } as ToolOutcome;
  const [one, other] = stores.map((store) => new WaitingCalls(hostOf([], { store }), "s"));
  await one!.note("pay 5", note);
  await other!.note("pay 6", note);
  const [row] = await stores[0]!.work!.list({ kind: "mcp-waiting" });
  await stores[1]!.work!.save(row!);
  expect(await one!.find("pay 5")).toBe("the ticket");
  // Who knows the session and guesses the request still lacks the key.
  expect(await other!.find("pay 5")).toBeUndefined();
});

test("without a store, a thousand requests of a session that wait are remembered", async () => {
  const waiting = new WaitingCalls(hostOf([]), "s");
  const note = (at: number, status = "pending") =>
    waiting.note(`request ${at}`, { status, ticket: `ticket ${at}` } as ToolOutcome);
  expect(waiting.isEmpty).toBe(true);
  for (let at = 0; at <= 1_000; at++) await note(at);
  await note(7, "ok");
  const found = await Promise.all([0, 1, 7, 1_000].map((at) => waiting.find(`request ${at}`)));
  expect(found).toEqual([undefined, "ticket 1", undefined, "ticket 1000"]);
});

test("a call that is resumed by its ticket is remembered as it is then", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const served = new ServedSession(host, "s");
  const { ticket } = await served.call(call("a"), {});
  expect((await served.resume(ticket!, call("a"), {})).status).toBe("pending");
  await expect(served.resume("no ticket", call("a"), {})).rejects.toMatchObject({ code: "TICKET_INVALID" });
  expect((await served.call(call("a"), {})).ticket).toBe(ticket);
});

test("a tool that stops the run to ask has an outcome that says so", async () => {
  const asks = defineTool({
    name: "asks",
    description: "Asks. Use in tests.",
    schema: z.strictObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: () => {
      throw new ToolInterrupt({ question: "?" });
    },
  });
  const served = new ServedSession(hostOf([asks]), "s");
  const outcome = await served.call({ name: "asks", arguments: {} }, {});
  expect(outcome).toEqual(bareOutcome("failed", "INTERRUPTED", "asks"));
  expect(outcome).toEqual({
    callId: "",
    runId: "",
    tool: "asks",
    status: "failed",
    durationMs: 0,
    result: { tool: "asks", fetchedAt: "", code: "INTERRUPTED", error: expect.stringContaining("asks") },
  });
});

test("a request is known by its tool, its arguments and what it is for", () => {
  const digest = requestDigest({ name: "a", arguments: { b: 1, c: 2 } });
  expect(requestDigest({ name: "a", arguments: { c: 2, b: 1 } })).toBe(digest);
  const others = [
    { name: "b", arguments: { b: 1, c: 2 } },
    { name: "a", arguments: { b: 1 } },
    { name: "a", arguments: { b: 1, c: 2 }, isInternal: true as const },
  ];
  for (const other of others) expect(requestDigest(other)).not.toBe(digest);
});

test("a session lists its tools, has siblings with the same tasks, and ends", async () => {
  const served = new ServedSession(hostOf([add]), "s");
  expect((await served.tools()).map(({ name }) => name)).toEqual(["add"]);
  expect(served.offerMark()).toEqual(served.offerMark());
  expect(await served.guidance()).toBe("");
  const sibling = served.sibling("t");
  expect([sibling.id, sibling.tasks === served.tasks]).toEqual(["t", true]);
  expect((await served.call({ name: "add", arguments: { a: 1, b: 2 } }, {})).result.data).toEqual({ sum: 3 });
  await served.end();
});

test("a call that its client has to answer is found until it ends", async () => {
  const attached = { client: {}, capabilities: {}, logLevel: undefined, isHere: undefined, log() {} };
  const { promise, resolve } = Promise.withResolvers<object>();
  const running = new SuspendableCall(
    { ...attached, signInPage: undefined },
    () => () => new Promise(() => {}),
    { isFollowed: false },
    () => promise,
  );
  const served = new ServedSession(hostOf([]), "s");
  served.suspend(running);
  expect([served.suspended(running.id) === running, served.suspended("no")]).toEqual([true, undefined]);
  resolve({});
  await new Promise(setImmediate);
  expect(served.suspended(running.id)).toBeUndefined();
});

const published = {
  name: "library",
  exposes: ["resources"] as const,
  toolFor: (request: string) => `library.${request}`,
  items: () => [],
  servedUri: (uri: string) => uri,
  ownUri: (uri: string) => uri,
  unsubscribe: async () => {},
};
const outcome = (result: object, more: object = {}) =>
  ({ runId: "r", status: "failed", result, ...more }) as unknown as ToolOutcome;
const factsKey = "dev.toolmount/outcome";

test.each<[string, ToolOutcome, object]>([
  [
    "of its server as it was",
    outcome({ code: "MCP_ERROR", error: "no such file", details: { code: -32_002, data: { a: 1 } } }),
    { code: -32_002, message: "no such file", data: { a: 1 } },
  ],
  [
    "of its server that says nothing more",
    outcome({ code: "MCP_ERROR", error: "no" }),
    {
      code: -32_600,
      message: "no",
      data: { [factsKey]: { runId: "r", status: "failed", code: "MCP_ERROR" } },
    },
  ],
  [
    "of the host with its code and ticket",
    outcome({ code: "PENDING", error: "it waits" }, { status: "pending", ticket: "t" }),
    {
      code: -32_600,
      message: "it waits",
      data: { [factsKey]: { runId: "r", status: "pending", code: "PENDING", ticket: "t" } },
    },
  ],
  [
    "for a result that was cut",
    outcome({ data: {}, truncated: { ref: "x" } }, { status: "ok" }),
    {
      code: -32_600,
      message: "the result is larger than what the plan's limits let through",
      data: { [factsKey]: { runId: "r", status: "ok" } },
    },
  ],
])("a client reads a refusal %s", async (_, given, expected) => {
  const source = throughHost(hostOf([]), published as never, async () => given);
  await expect(source.readResource("db://a")).rejects.toMatchObject(expected);
});

test("each request of a client is a call of the internal tool for it", async () => {
  const calls: unknown[] = [];
  const source = throughHost(hostOf([]), published as never, async (...words) => {
    calls.push(words);
    return outcome({ data: { contents: [] } }, { status: "ok" });
  });
  await source.readResource("db://a");
  await source.subscribe("db://b");
  await source.listResources();
  await source.listResourceTemplates();
  await source.listPrompts();
  await source.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "b" } });
  await source.getPrompt({ name: "p", arguments: { c: "1" } });
  expect(calls).toEqual([
    ["library.resources.read", { uri: "db://a" }],
    ["library.resources.subscribe", { uri: "db://b" }],
    ["library.resources.list", {}],
    ["library.resources.list", {}],
    ["library.prompts.list", {}],
    ["library.completions", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "b" } }],
    ["", { c: "1" }],
  ]);
});
