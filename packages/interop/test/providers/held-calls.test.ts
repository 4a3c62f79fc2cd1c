import { getEventListeners } from "node:events";
import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  ToolmountError,
  type CallContext,
  type JsonObject,
} from "@toolmount/core";
import { ticketsLogOf } from "@toolmount/core/sessions";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  AgentCalls,
  type AgentCall,
  type AgentContext,
  type AgentHost,
} from "../../src/providers/agent-calls.ts";

/** A host with a tool that asks, one that does not and one that ends when it is cancelled, and the calls that it got. */
function world(
  context: AgentContext = { sessionId: "s" },
  change: (host: AgentHost) => Partial<AgentHost> = () => ({}),
) {
  const store = createMemoryStore();
  const host = createHost({ store });
  onTestFinished(async () => void (await host.close()));
  const definition = {
    category: "side_effect",
    consequenceLevel: "low",
    schema: z.looseObject({}),
  } as const;
  const mount = (
    name: string,
    requiresConfirmation: boolean,
    execute: (signal: AbortSignal) => Promise<void>,
  ) =>
    host.coordinator.mount(
      "tools",
      defineTool({
        ...definition,
        name,
        description: `Tries to ${name}. Use in tests. Not for others.`,
        requiresConfirmation,
        execute: async (_, { abortSignal }) => {
          await execute(abortSignal);
          return data(`did ${name}`);
        },
      }),
    );
  mount("pay", true, async () => undefined);
  mount("look", false, async () => undefined);
  mount(
    "wait",
    false,
    (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  );
  const made: string[] = [];
  const { coordinator, approvals } = host;
  const resume = host.resume.bind(host);
  const counted: AgentHost = {
    coordinator,
    approvals,
    resume,
    call: (request, given) => (made.push(`${request.name} ${request.id}`), host.call(request, given)),
  };
  const calls = new AgentCalls({ ...counted, ...change(counted) }, context);
  return { store, host, made, calls };
}

const look = { id: "c1", name: "look" };
const pay = { id: "c1", name: "pay" };

test.each<[string, AgentCall["arguments"], AgentCall["arguments"]]>([
  ["no arguments and an empty object", undefined, {}],
  ["a text and its value", '{"a":[1,{"b":2}]}', { a: [1, { b: 2 }] }],
  ["a value and its text", { a: null }, '{"a":null}'],
  ["the same text that is no JSON", "{", "{"],
])("a held call is the one that the library makes with %s", async (_, asked, run) => {
  const { calls, made } = world();
  await calls.waits({ ...look, arguments: asked });
  await calls.run({ ...look, arguments: run });

  expect(made).toEqual(["look c1"]);
});

test.each([
  ["another id", { ...look, id: "c2" }, {}],
  ["another tool", { ...look, name: "wait2" }, {}],
  ["other arguments", { ...look, arguments: { a: 1 } }, {}],
  ["another session", look, { sessionId: "other" }],
])("a call with %s is not the one that is held", async (_, other, given: CallContext) => {
  const { calls, made } = world({});
  await calls.waits(look, { sessionId: "s" });
  await calls.run(other, { sessionId: "s", ...given });

  expect(made).toHaveLength(2);
});

test("a held call runs once: made again it is a new call", async () => {
  const { calls, made } = world();
  await calls.waits(look);
  await calls.waits(look);
  expect(made).toHaveLength(1);
  await calls.run(look);
  await calls.run(look);

  expect(made).toHaveLength(2);
});

test("64 calls are held, and one more cancels the oldest alone", async () => {
  const { calls, made } = world();
  const one = (at: number) => ({ ...look, id: `h${at}` });
  for (let at = 0; at < 64; at++) await calls.waits(one(at));
  await calls.run(one(0));
  await calls.waits(one(64));
  await calls.waits(one(65));
  expect(made).toHaveLength(66);

  await calls.run(one(2));
  await calls.run(one(65));
  expect(made).toHaveLength(66);
  await calls.run(one(1));
  expect(made.slice(66)).toEqual(["look h1"]);
});

test("a signal of the library cancels a held call while its tool runs, and is left without a listener", async () => {
  const { calls } = world();
  const caller = new AbortController();
  await calls.waits({ ...look, name: "wait" });
  const outcome = calls.run({ ...look, name: "wait" }, { abortSignal: caller.signal });
  caller.abort();
  expect(await outcome).toMatchObject({ status: "cancelled" });

  const kept = new AbortController();
  await calls.waits(look);
  await calls.run(look, { abortSignal: kept.signal });
  expect(getEventListeners(kept.signal, "abort")).toEqual([]);
});

test("the context's own signal cancels calls to which the library gives none", async () => {
  const { calls } = world({ sessionId: "s", abortSignal: AbortSignal.abort() });

  expect(await calls.run(look)).toMatchObject({ status: "cancelled" });
  expect(await calls.run(look, { abortSignal: new AbortController().signal })).toMatchObject({
    status: "ok",
  });
});

test("making a call again does not approve it: only a run that the library's people approved does", async () => {
  const { calls } = world({ sessionId: "s", answersAs: "the library" });
  await calls.run(pay);

  expect(await calls.run(pay)).toMatchObject({ status: "pending" });
  expect(await calls.run(pay, {}, true)).toMatchObject({ status: "ok" });
});

test("an answer that is nothing denies, and its reason is recorded; one for a call without a question is let be", async () => {
  const { calls } = world({ sessionId: "s", answersAs: "the library" });
  await calls.waits(pay);
  await calls.waits({ ...pay, id: "c2" });
  await calls.questions.answer("c1", null);
  await calls.questions.answer("c2", { decision: false, reason: "too much" });
  await calls.questions.answer("c3", true);

  expect(await calls.questions.decisionOf("c1")).toEqual(
    expect.objectContaining({ decision: "deny", by: "the library" }),
  );
  expect(await calls.questions.decisionOf("c1")).not.toHaveProperty("reason");
  expect(await calls.questions.decisionOf("c2")).toMatchObject({ decision: "deny", reason: "too much" });
  expect(await calls.questions.decisionOf("c3")).toBeNull();
  expect(await calls.questions.questionOf("c3")).toEqual({
    id: "",
    callId: "c3",
    tool: "",
    prompt: "",
    arguments: {},
  });
});

test("an approver who answers between the question and the library's answer counts", async () => {
  const { calls } = world({ sessionId: "s", answersAs: "the library" }, ({ approvals }) => ({
    approvals: {
      ...approvals,
      list: approvals.list.bind(approvals),
      decide: async (id, decision, by) => {
        await approvals.decide(id, "deny", "ann");
        return approvals.decide(id, decision, by);
      },
    },
  }));
  await calls.waits(pay);
  await calls.questions.answer("c1", true);

  expect(await calls.questions.decisionOf("c1")).toMatchObject({ decision: "deny", by: "ann" });
});

test.each([
  new Error("the disk is full"),
  new ToolmountError("INTERNAL", { message: "the store is closed" }),
])("a store that fails to keep an answer or to resume a call is the caller's error: %s", async (error) => {
  const reject = async () => {
    throw error;
  };
  const { calls } = world({ sessionId: "s", answersAs: "the library" }, ({ approvals }) => ({
    approvals: { ...approvals, list: approvals.list.bind(approvals), decide: reject },
    resume: reject,
  }));
  await calls.waits(pay);

  await expect(calls.questions.answer("c1", true)).rejects.toBe(error);
  await expect(calls.run(pay)).rejects.toBe(error);
});

test("a ticket that the store does not know any more makes a new call, which asks again, and whose ticket is kept", async () => {
  let isLost = true;
  const { calls, made } = world({ sessionId: "s", answersAs: "the library" }, ({ resume }) => ({
    resume: async (ticket, given) => {
      if (isLost) throw new ToolmountError("TICKET_INVALID", { message: "no such ticket" });
      return resume(ticket, given);
    },
  }));
  await calls.waits(pay);
  await calls.questions.answer("c1", false);
  expect(await calls.run(pay)).toMatchObject({ status: "pending" });
  expect(made).toEqual(["pay c1", "pay c1"]);
  isLost = false;
  expect(await calls.run({ ...pay, id: "c2" })).toMatchObject({ status: "pending" });
  expect(await calls.run({ ...pay, id: "c2" }, {}, true)).toMatchObject({ status: "ok" });
});

test.each([{ sessionId: "s" }, {}])(
  "of calls with %j a ticket is kept until the call has ended",
  async (session) => {
    const { calls, made, store } = world({ ...session, answersAs: "the library" });
    await calls.run(pay);
    await calls.run({ ...pay, id: "c2" });
    expect(await calls.run(pay)).toMatchObject({ status: "pending" });
    expect(made).toEqual(["pay c1", "pay c2"]);
    const log = async () => store.sessions.entries(ticketsLogOf("s"));
    expect((await log()).length > 0).toBe("sessionId" in session);

    expect(await calls.run(pay, {}, true)).toMatchObject({ status: "ok" });
    expect(await calls.run({ ...pay, id: "c2" }, {}, true)).toMatchObject({ status: "ok" });
    expect(made).toEqual(["pay c1", "pay c2"]);
    expect((await log()).length).toBeLessThan(2); // of what has ended nothing is kept
    expect(await calls.resumeAll()).toBeNull();
  },
);

test("a call of a step that has ended is answered from the record, and the same call of another step runs", async () => {
  const { calls, made } = world({ sessionId: "s", answersAs: "the library" });
  const inStep = (id: string, call: AgentCall) => ({ ...call, step: { id, canRepeat: false } });
  const first = await calls.run(inStep("1", look));
  expect(await calls.run(inStep("1", look))).toEqual(first);
  expect(await calls.run(inStep("2", look))).toMatchObject({ status: "ok" });
  expect(made).toEqual(["look c1", "look c1"]);

  await calls.run(inStep("1", pay));
  const paid = await calls.run(inStep("1", pay), {}, true);
  expect(await calls.run(inStep("1", pay))).toEqual(paid);
  expect(made).toEqual(["look c1", "look c1", "pay c1"]);
});

test("of ended calls the newest 32 are kept, and all of a step in which one still waits", async () => {
  const { calls, made, store } = world({ sessionId: "s" });
  const at = (step: string, id: string) => ({ ...look, id, step: { id: step, canRepeat: false } });
  const length = async () => (await store.sessions.entries(ticketsLogOf("s"))).length;
  for (let count = 0; count < 50; count++) await calls.run(at("old", `o${count}`));
  expect(await length()).toBeLessThan(70);
  await calls.run({ ...pay, step: { id: "new", canRepeat: false } });
  for (let count = 0; count < 50; count++) await calls.run(at("new", `n${count}`));
  expect(made).toHaveLength(101);
  for (let count = 0; count < 50; count++) await calls.run(at("new", `n${count}`));
  expect(made).toHaveLength(101);
});

test.each([
  [false, "unknown"],
  [true, "ok"],
] as const)(
  "a call whose process died while its tool ran, which may run again: %s, is %s",
  async (canRepeat, status) => {
    const { calls, store } = world({ sessionId: "s" });
    const call = { ...look, step: { id: "1", canRepeat } };
    await calls.run(call);
    const [ended] = await store.sessions.entries(ticketsLogOf("s"));
    const { outcome: _outcome, ...begun } = ended!.entry as JsonObject;
    const other = world({ sessionId: "s" });
    await other.store.sessions.append(ticketsLogOf("s"), 0, [{ ...begun, began: true }]);

    expect(await other.calls.run(call)).toMatchObject({ status });
    expect(other.made).toHaveLength(1);
  },
);
