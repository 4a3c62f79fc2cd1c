import { createMemoryStore, ToolInterrupt, type ToolContext } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { call, dyingStore, outputs, response, say, tool, world } from "../support/world.ts";

const later = { approver: () => ({ decision: "later" as const }) };
const write = (ran: () => unknown) => tool("write", ran, { requiresConfirmation: true });

test("when a waiting turn is cancelled, its question can no longer be decided", async () => {
  const { run, resume, host, requests } = await world(
    [response([call("c1", "write")]), response([say("next")])],
    { tools: [write(() => "written")], host: later },
  );
  await run("write");
  const [question] = await host.approvals.list();
  const turn = await resume({ cancel: true });

  expect(turn.status).toBe("cancelled");
  expect(await host.approvals.list()).toEqual([]);
  await expect(host.approvals.decide(question!.id, "approve", "ada")).rejects.toMatchObject({
    code: "APPROVAL_DECIDED",
  });
  expect(await run("go on")).toMatchObject({ status: "done", text: "next" });
  expect(outputs(requests[1])).toMatchObject({ c1: expect.stringContaining("cancelled") });
});

test("when a waiting turn is cancelled, an approval that it did not use is revoked", async () => {
  let count = 0;
  const { run, resume, host } = await world([response([call("c1", "write")])], {
    tools: [write(() => ++count)],
    host: later,
  });
  await run("write");
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ada");
  const cancelled = await resume({ cancel: true });

  expect(cancelled.status).toBe("cancelled");
  expect(count).toBe(0);
  expect(await host.approvals.list({ states: ["pending", "approved"] })).toEqual([]);
});

test.each([
  { decision: "approve" as const, output: "written", ran: 1 },
  { decision: "deny" as const, output: expect.stringContaining("not approved") as string, ran: 0 },
])(
  "a question that was open when its process was killed and is decided with $decision meanwhile is not asked again",
  async ({ decision, output, ran }) => {
    const store = createMemoryStore();
    let count = 0;
    let asked!: () => void;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const tools = [
      write(() => {
        count++;
        return "written";
      }),
    ];
    const first = await world([response([call("c1", "write")])], {
      tools,
      store: dyingStore(store, 4).store,
      host: {
        approver: () => {
          asked();
          return new Promise<never>(() => {});
        },
      },
      graceMs: 10,
    });
    void first.run("write").catch(() => null);
    await isAsked;

    let questions = 0;
    const second = await world([response([say("ok")])], {
      tools,
      store,
      host: {
        approver: () => {
          questions++;
          return { decision: "deny" };
        },
      },
    });
    expect(await second.reasoner.show("s")).toMatchObject({ status: "open", waits: 1 });
    const [question] = await second.host.approvals.list();
    await second.host.approvals.decide(question!.id, decision, "ada");
    const turn = await second.resume();

    expect(turn.status).toBe("done");
    expect(outputs(second.requests[0])).toEqual({ c1: output });
    expect([count, questions]).toEqual([ran, 0]);
    expect(await second.host.approvals.list({ states: ["pending", "approved"] })).toEqual([]);
  },
);

test("a call sees its session's id as its conversation, or the one that the caller gives", async () => {
  const seen: (string | undefined)[] = [];
  const look = tool("look", (_, { conversationId }: ToolContext) => void seen.push(conversationId));
  const { run } = await world(
    [
      response([call("c1", "look")]),
      response([say("a")]),
      response([call("c2", "look")]),
      response([say("b")]),
    ],
    { tools: [look] },
  );
  await run("look");
  await run("look", { conversationId: "ticket-7" });

  expect(seen).toEqual(["s", "ticket-7"]);
});

test("a turn that reaches maxIterations ends with a text that says so and how to continue", async () => {
  const { run } = await world((_, at) => response([call(`c${at}`, "act")]), {
    tools: [tool("act", () => "did")],
    settings: { maxIterations: 3 },
  });
  const turn = await run("never stop");

  expect(turn).toMatchObject({
    status: "failed",
    iterations: 3,
    error: { code: "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED" },
  });
  expect(turn.text).toMatch(/stopped after 3 requests and 3 calls.*maxIterations/s);
});

describe("a call whose tool makes a call that needs a person", () => {
  const ran: string[] = [];
  const wipe = tool("wipe", () => ran.push("wipe"), { requiresConfirmation: true });
  const count = tool("count", () => ran.push("count"));
  const combo = tool(
    "combo",
    async (_, context) => {
      const counted = await context.call({ name: "count" });
      const wiped = await context.call({ name: "wipe" });
      return [counted.result.data ?? null, wiped.result.data ?? wiped.result.error];
    },
    { idempotent: true },
  );
  const answers = [response([call("c1", "combo")]), response([say("done")])];

  test("pauses the turn; after the answer the turn resumes, and nothing runs twice", async () => {
    ran.length = 0;
    const { run, resume, host, requests } = await world(answers, {
      tools: [combo, count, wipe],
      store: createMemoryStore(),
    });
    expect(await run("go")).toMatchObject({ status: "paused", waiting: [{ callId: "c1", tool: "combo" }] });
    const [question] = await host.approvals.list();
    expect(question).toMatchObject({ tool: "wipe", info: { callId: "c1" } });
    expect(await resume()).toMatchObject({ status: "paused" });

    await host.approvals.decide(question!.id, "approve", "bob");
    expect(await resume()).toMatchObject({ status: "done", text: "done" });
    expect(ran).toEqual(["count", "wipe"]);
    expect(outputs(requests[1])["c1"]).toBe("[1,2]");
  });

  test("is cancelled with the turn: the question ends, and its tool does not run again", async () => {
    ran.length = 0;
    const { run, resume, host } = await world(answers, {
      tools: [combo, count, wipe],
      store: createMemoryStore(),
    });
    await run("go");

    expect(await resume({ cancel: true })).toMatchObject({ status: "cancelled" });
    expect(await host.approvals.list()).toEqual([]);
    expect(await host.approvals.list({ states: ["suspended", "approved"] })).toEqual([]);
    expect(ran).toEqual(["count"]);
  });
});

test.each([
  ["of a child that there is not", { waitsFor: "agent", sessionId: "other", waiting: [] }],
  ["without its calls", { waitsFor: "agent" }],
  ["of its own", { ask: "sure?" }],
])("an interrupt of a tool %s does not pause the turn: the model gets a failure", async (_, value) => {
  const stop = () => {
    throw new ToolInterrupt(value);
  };
  const { run, requests } = await world([response([call("c1", "stop")]), response([say("done")])], {
    tools: [tool("stop", stop)],
  });

  expect(await run("stop")).toMatchObject({ status: "done", text: "done" });
  expect(outputs(requests[1])).toMatchObject({ c1: expect.stringContaining("interrupt") as string });
});
