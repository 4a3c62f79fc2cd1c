import { createMemoryStore, type StateStore, type ToolContext } from "@toolmount/core";
import { expect, test } from "vitest";
import { call, outputs, response, say, tool, world, type Request } from "../support/world.ts";

const agents = { helper: { description: "Helps.", tools: ["write", "pick"] } };
const prices = { input: 1, output: 1, currency: "USD" };

/** A tool that hands its instruction to the agent `helper`. */
function delegate(opened: () => ReturnType<typeof world>) {
  return tool(
    "delegate",
    async ({ instruction }, context: ToolContext) => {
      const { reasoner } = await opened();
      const { sessionId, turn } = await reasoner.spawn({
        agent: "helper",
        instruction: String(instruction),
        parentSessionId: context.sessionId!,
        parentTurnId: context.turnId!,
        parentCallId: context.callId,
        abortSignal: context.abortSignal,
      });
      return { sessionId, status: turn.status, text: turn.text };
    },
    { timeout: 0 },
  );
}

/** The parent delegates; the helper calls `name`, then reports; then the parent does. */
function answers(name: string) {
  return ({ input, tools }: Request) => {
    const answered = input.some(({ type }) => type === "function_call_output");
    if (!tools?.some((one) => one["name"] === "delegate"))
      return response([answered ? say("the helper is done") : call("k1", name)]);
    return response([answered ? say("all done") : call("c1", "delegate", { instruction: "do it" })]);
  };
}

function open(name: string, store: StateStore = createMemoryStore()) {
  let count = 0;
  const made: ReturnType<typeof world> = world(answers(name), {
    agents,
    store,
    settings: { prices },
    tools: [
      tool("write", () => `written ${++count}`, { requiresConfirmation: true }),
      tool("pick", () => null, { execution: "client" }),
      delegate(() => made),
    ],
    host: { approver: () => ({ decision: "later" }) },
  });
  return made;
}

test("when a sub-agent waits, its parent's turn is paused and shows for what", async () => {
  const { run, reasoner, events } = await open("write");
  const turn = await run("delegate it");
  const { children, status, waiting } = await reasoner.show("s");

  expect(turn.status).toBe("paused");
  expect(status).toBe("open");
  expect(waiting).toEqual(turn.waiting);
  expect(turn.waiting).toEqual([
    {
      callId: "c1",
      tool: "delegate",
      waitsFor: "agent",
      arguments: {
        sessionId: children[0],
        waiting: [{ callId: "k1", tool: "write", waitsFor: "approval", arguments: null }],
      },
    },
  ]);
  expect(events.filter(({ type }) => type === "hitl")).toEqual([{ type: "hitl", waiting: turn.waiting }]);
});

test("resuming the parent resumes its sub-agent where it was, in another process, too", async () => {
  const store = createMemoryStore();
  const first = await open("write", store);
  await first.run("delegate it");
  const second = await open("write", store);

  expect((await second.resume()).status).toBe("paused");
  const [question] = await second.host.approvals.list();
  await second.host.approvals.decide(question!.id, "approve", "ada");
  const turn = await second.resume();

  expect(turn).toMatchObject({ status: "done", text: "all done" });
  const { children } = await second.reasoner.show("s");
  expect(children).toHaveLength(1);
  expect(JSON.parse(outputs(second.requests.at(-1))["c1"] as string)).toEqual({
    sessionId: children[0],
    status: "done",
    text: "the helper is done",
  });
  const child = await second.reasoner.show(children[0]!);
  expect(child).toMatchObject({ status: "done", turns: 1, waits: 0 });
  expect(outputs({ input: child.items })).toEqual({ k1: "written 1" });
});

test("a sub-agent that was resumed by its own id is not run again by its parent", async () => {
  const { run, resume, reasoner, host, requests } = await open("pick");
  const paused = await run("delegate it");
  const { sessionId } = paused.waiting[0]!.arguments as { sessionId: string };
  const child = await reasoner.resume(host, {
    sessionId,
    clientResults: [{ callId: "k1", result: "picked" }],
  });
  expect(child.status).toBe("done");
  const before = requests.length;
  const turn = await resume();

  expect(turn).toMatchObject({ status: "done", text: "all done" });
  expect(requests).toHaveLength(before + 1);
});

test("cancelling the parent cancels its sub-agent, and voids the sub-agent's question", async () => {
  const { run, resume, reasoner, host } = await open("write");
  await run("delegate it");
  const turn = await resume({ cancel: true });

  const { children } = await reasoner.show("s");
  expect(turn.status).toBe("cancelled");
  expect(await reasoner.show(children[0]!)).toMatchObject({ status: "cancelled", waits: 0 });
  expect(await host.approvals.list({ states: ["pending", "approved"] })).toEqual([]);
});

test("usage and cost of a turn include its sub-agents, when it pauses and when it ends", async () => {
  const { run, resume, host, reasoner } = await open("write");
  const paused = await run("delegate it");
  expect(paused).toMatchObject({ usage: { requests: 2, inputTokens: 20, outputTokens: 10 }, iterations: 1 });

  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ada");
  const turn = await resume();

  expect(turn).toMatchObject({
    usage: { requests: 4, inputTokens: 40, outputTokens: 20 },
    calls: 2,
    iterations: 2,
    cost: { amount: 60 / 1_000_000, currency: "USD" },
  });
  expect((await reasoner.show("s")).usage).toEqual(turn.usage);
});
