import { createHost, createMemoryStore, data, defineTool } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { AgentCalls, type AgentContext } from "../../src/providers/agent-calls.ts";

/** A host with a tool that asks and one that does not, and the calls of one library's agent. */
function world({ answersAs = "the library", ...context }: AgentContext = {}) {
  const store = createMemoryStore();
  const open = () => {
    const host = createHost({ store });
    onTestFinished(async () => void (await host.close()));
    const ran: string[] = [];
    for (const [name, requiresConfirmation] of [
      ["pay", true],
      ["look", false],
    ] as const)
      host.coordinator.mount(
        "tools",
        defineTool({
          name,
          description: `Tries to ${name}. Use in tests. Not for others.`,
          schema: z.strictObject({ to: z.string(), token: z.string().optional() }),
          category: "side_effect",
          consequenceLevel: "low",
          requiresConfirmation,
          execute: async ({ to }) => (ran.push(to), data(`${name} ${to}`)),
        }),
      );
    const calls = new AgentCalls(host, {
      sessionId: "s",
      ...(answersAs !== "" && { answersAs }),
      ...context,
    });
    return { host, ran, calls };
  };
  return { open, ...open() };
}

const pay = (to = "ada") => ({ id: "c1", name: "pay", arguments: { to } });
const look = { id: "c2", name: "look", arguments: { to: "bob" } };

test("a call without a question is held before its tool begins, and runs when the library makes it", async () => {
  const { calls, ran } = world();

  expect(await calls.waits(look)).toBe(false);
  expect(ran).toEqual([]);
  expect(await calls.waits(look)).toBe(false);
  expect(await calls.run({ ...look, arguments: '{"to":"bob"}' })).toMatchObject({ status: "ok" });
  expect(ran).toEqual(["bob"]);
});

test("a call with a question waits, its question hides secrets, and it runs once when the library's people approved", async () => {
  const { calls, ran } = world();
  const call = { ...pay(), arguments: { to: "ada", token: "t-1" } };

  expect(await calls.waits(call)).toBe(true);
  expect(await calls.questions.questionOf("c1")).toMatchObject({
    callId: "c1",
    tool: "pay",
    arguments: { to: "ada" },
  });
  expect(JSON.stringify(await calls.questions.questionOf("c1"))).not.toContain("t-1");
  expect(await calls.questions.decisionOf("c1")).toBeNull();
  expect(await calls.waits(call)).toBe(true);
  await calls.questions.answer("c1", { decision: "approve" });
  expect(await calls.waits(call)).toBe(false);
  expect(await calls.questions.decisionOf("c1")).toMatchObject({ decision: "approve", by: "the library" });
  expect(await calls.run(call)).toMatchObject({ status: "ok", result: { data: "pay ada" } });
  expect(ran).toEqual(["ada"]);
});

test.each<[string, unknown, "approve" | "deny"]>([
  ["true", true, "approve"],
  ["false", false, "deny"],
  ["a decision", { decision: "approve" }, "approve"],
  ["a decision that is true", { decision: true }, "approve"],
  ["a denial with a reason", { decision: "deny", reason: "too much" }, "deny"],
  ["anything else", "yes", "deny"],
])("an answer of %s decides the question", async (_, value, decision) => {
  const { calls } = world();
  await calls.waits(pay());
  await calls.questions.answer("c1", value);

  expect(await calls.questions.decisionOf("c1")).toMatchObject({ decision });
  // The first answer counts.
  await calls.questions.answer("c1", decision !== "approve");
  expect(await calls.questions.decisionOf("c1")).toMatchObject({ decision });
});

test("a run that the library's people approved decides the open question, in another process too", async () => {
  const { calls, open } = world();
  await calls.waits(pay());
  const there = open();

  expect(await there.calls.run(pay(), {}, true)).toMatchObject({ status: "ok" });
  expect(there.ran).toEqual(["ada"]);
});

test("without a name for the library's people only approvers of the host decide", async () => {
  const { calls, host } = world({ answersAs: "" });
  await calls.waits(pay());
  await calls.questions.answer("c1", true);
  expect(await calls.questions.decisionOf("c1")).toBeNull();
  expect(await calls.run(pay(), {}, true)).toMatchObject({ status: "pending" });

  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ann");
  expect(await calls.run(pay())).toMatchObject({ status: "ok" });
});

test("waiting calls are resumed together once none has an open question; a denied one ends as denied", async () => {
  const { calls, ran } = world();
  const other = { ...pay("eve"), id: "c3" };
  await calls.waits(pay());
  await calls.waits(other);
  await calls.questions.answer("c1", true);
  expect(await calls.resumeAll()).toBeNull();

  await calls.questions.answer("c3", { decision: "deny", reason: "no" });
  expect((await calls.resumeAll())?.map(({ status }) => status).toSorted()).toEqual(["denied", "ok"]);
  expect(ran).toEqual(["ada"]);
  expect(await calls.resumeAll()).toBeNull();
});

test("a denied call that the library does not make again is ended", async () => {
  const { calls } = world();
  await calls.waits(pay());
  await calls.questions.answer("c1", false);
  await calls.endDenied("c1");

  expect(await calls.resumeAll()).toBeNull();
});

test("an id that is used again with other arguments is another call, once the first has ended", async () => {
  const { calls, ran } = world();
  await calls.waits(pay("ada"));
  await calls.questions.answer("c1", true);
  expect(await calls.run(pay("mallory"))).toMatchObject({
    status: "failed",
    result: { code: "DUPLICATE_CALL" },
  });

  expect(await calls.run(pay("ada"))).toMatchObject({ status: "ok" });
  expect(await calls.run(pay("mallory"))).toMatchObject({ status: "pending" });
  expect(ran).toEqual(["ada"]);
});

test("a held call that its library aborts is cancelled; of more than 64 held calls the oldest is", async () => {
  const { calls, ran } = world();
  const caller = new AbortController();
  await calls.waits(look);
  caller.abort();
  expect(await calls.run(look, { abortSignal: caller.signal })).toMatchObject({ status: "cancelled" });

  for (let at = 0; at < 65; at++) await calls.waits({ ...look, id: `h${at}`, arguments: { to: `${at}` } });
  // The first is no longer held, so it is a new call.
  expect(await calls.run({ ...look, id: "h64", arguments: { to: "64" } })).toMatchObject({ status: "ok" });
  expect(await calls.run({ ...look, id: "h0", arguments: { to: "0" } })).toMatchObject({ status: "ok" });
  expect(ran).toEqual(["64", "0"]);
});
