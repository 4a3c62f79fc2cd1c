import { createMemoryStore, type Runner } from "@toolmount/core";
import { expect, test } from "vitest";
import {
  call,
  dyingStore,
  outputs,
  response,
  say,
  tool,
  world,
  type WorldOptions,
} from "../support/world.ts";

const later = () => ({ decision: "later" as const });

test("APTIX-22: a turn that waits for a person continues in another host, and what had run does not run again", async () => {
  const store = createMemoryStore();
  const ran: string[] = [];
  const tools = [
    tool("read", () => ran.push("read")),
    tool("write", () => ran.push("write"), { requiresConfirmation: true }),
  ];
  const first = await world([response([call("c1", "read"), call("c2", "write")])], {
    tools,
    store,
    host: { approver: later },
  });
  const paused = await first.run("write", { userId: "ada" });

  expect(paused).toMatchObject({
    status: "paused",
    waiting: [{ callId: "c2", tool: "write", waitsFor: "approval" }],
  });
  expect(ran).toEqual(["read"]);
  expect((await first.resume({ userId: "ada" })).status).toBe("paused");
  await expect(first.run("something else", { userId: "ada" })).rejects.toMatchObject({
    code: "SESSION_CONFLICT",
  });
  await first.host.close();

  const second = await world([response([say("written")])], { tools, store });
  const [question] = await second.host.approvals.list();
  await second.host.approvals.decide(question!.id, "approve", "bob");
  const done = await second.resume({ sessionId: "ada:s" });

  expect(done).toMatchObject({ status: "done", text: "written", turnId: paused.turnId, calls: 2 });
  expect(await second.reasoner.lastTurn("ada:s")).toEqual(done);
  expect(ran).toEqual(["read", "write"]);
  expect(Object.keys(outputs(second.requests[0]))).toEqual(["c1", "c2"]);
  await expect(second.resume({ userId: "ada" })).rejects.toMatchObject({ code: "SESSION_CONFLICT" });
});

test("a refusal that comes later is read by the model like any other", async () => {
  const { run, resume, host, requests } = await world(
    [response([call("c1", "write")]), response([say("a pity")])],
    {
      tools: [tool("write", () => 1, { requiresConfirmation: true })],
      host: { approver: later },
    },
  );
  await run("write");
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, { decision: "deny", reason: "too risky" }, "bob");

  expect((await resume()).status).toBe("done");
  expect(outputs(requests[1])["c1"]).toBe("Error: the call was not approved: too risky [DENIED]");
});

async function withClientTool(more: Partial<WorldOptions> = {}) {
  let ran = 0;
  const pick = tool("pick_file", () => ++ran, { execution: "client" });
  const size = tool("size", () => 7);
  const shown = await world(
    [
      response([call("c1", "size"), call("c2", "pick_file", { kind: "image" }), call("c3", "pick_file")]),
      response([say("thanks")]),
    ],
    { tools: [pick, size], ...more },
  );
  return { ...shown, ranOnServer: () => ran };
}

test("APTIX-N1, APTIX-N2, APTIX-N6: a call for the client keeps the results of the server and hands control back", async () => {
  const { run, resume, requests, ranOnServer } = await withClientTool();
  const paused = await run("pick");

  expect(paused).toMatchObject({
    status: "paused",
    waiting: [
      { callId: "c2", tool: "pick_file", waitsFor: "client", arguments: { kind: "image" } },
      { callId: "c3", tool: "pick_file", waitsFor: "client" },
    ],
  });
  expect(
    await resume({ clientResults: [{ callId: "c3", error: "the user closed the dialog" }] }),
  ).toMatchObject({
    status: "paused",
    waiting: [{ callId: "c2" }],
  });
  const done = await resume({ clientResults: [{ callId: "c2", result: { path: "a.png" } }] });

  expect(done).toMatchObject({ status: "done", text: "thanks" });
  expect(outputs(requests[1])).toEqual({
    c1: "7",
    c2: '{"path":"a.png"}',
    c3: "Error: the user closed the dialog",
  });
  expect(ranOnServer()).toBe(0);
});

test("APTIX-N7: what a client brings is compared with what waits, and a result is taken once", async () => {
  const { run, resume } = await withClientTool();
  await run("pick");
  const refused = [
    [
      { callId: "c2", result: 1 },
      { callId: "c2", result: 2 },
    ],
    [{ callId: "c9", result: 1 }],
    [{ callId: "c1", result: 1 }],
    [{ callId: "c2" }],
    [{ callId: "c2", result: 1, error: "both" }],
  ];
  for (const clientResults of refused)
    await expect(resume({ clientResults }), JSON.stringify(clientResults)).rejects.toMatchObject({
      code: "CLIENT_RESULT_REFUSED",
    });

  await resume({ clientResults: [{ callId: "c2", result: 1 }] });
  await expect(resume({ clientResults: [{ callId: "c2", result: 1 }] })).rejects.toMatchObject({
    code: "CLIENT_RESULT_REFUSED",
    details: { problem: "the call has its result already" },
  });
  expect((await resume({ clientResults: [{ callId: "c3", result: 1 }] })).status).toBe("done");
});

test("a turn that waits can be cancelled, and every call of it has an answer", async () => {
  const { run, resume, reasoner } = await withClientTool();
  await run("pick");
  const turn = await resume({ cancel: true });

  expect(turn.status).toBe("cancelled");
  const { items, status } = await reasoner.show("s");
  expect(status).toBe("cancelled");
  expect(items.filter(({ type }) => type === "function_call_output")).toHaveLength(3);
});

test.each([
  { survives: 1, ran: 2, texts: { c1: "ran", c2: "ran" } },
  { survives: 2, ran: 2, texts: { c1: "ran", c2: "ran" } },
  { survives: 3, ran: 2, texts: { c1: /OUTCOME_UNKNOWN/, c2: /OUTCOME_UNKNOWN/ } },
  { survives: 4, ran: 2, texts: { c1: "ran", c2: /OUTCOME_UNKNOWN/ } },
  { survives: 5, ran: 2, texts: { c1: "ran", c2: "ran" } },
])(
  "a process that ends after $survives writes: each call ran once, or is reported as unknown",
  async ({ survives, ran, texts }) => {
    const store = createMemoryStore();
    let count = 0;
    const tools = [tool("act", () => (++count, "ran"))];
    const answers = (request: Parameters<typeof outputs>[0] & object) =>
      Object.keys(outputs(request)).length === 0
        ? response([call("c1", "act"), call("c2", "act")])
        : response([say("done")]);
    const dying = dyingStore(store, survives);
    const first = await world(answers, { tools, store: dying.store });
    void first.run("act");
    await dying.dead;

    const second = await world(answers, { tools, store });
    const turn = await second.resume();
    expect(turn).toMatchObject({ status: "done", text: "done" });
    expect(outputs(second.requests.at(-1))).toEqual({
      c1: texts.c1 === "ran" ? "ran" : expect.stringMatching(texts.c1),
      c2: texts.c2 === "ran" ? "ran" : expect.stringMatching(texts.c2),
    });
    expect(count).toBe(ran);
  },
);

test("a call whose runner finds what it began before is made again after a crash, with its id and session", async () => {
  const store = createMemoryStore();
  const dying = dyingStore(store, 3);
  const first = await world([response([call("c1", "act")])], {
    tools: [tool("act", () => "lost with the process")],
    store: dying.store,
  });
  void first.run("act");
  await dying.dead;

  const second = await world([response([say("done")])], { tools: [], store });
  const made: string[] = [];
  const runner: Runner = {
    adopts: true,
    async run({ info }) {
      made.push(`${info.sessionId} ${info.callId}`);
      return { data: "found" };
    },
  };
  const draft = second.host.draft();
  for (const module of second.host.modules()) draft.keepModule(module);
  const shapeTool = () => ({ runner: "far" });
  const { coordinator } = draft.addModule({ id: "far", shapeTool });
  coordinator.mount("runners", runner, { name: "far" });
  coordinator.mount(
    "tools",
    tool("act", () => "ran here"),
  );
  await draft.commit();

  expect(await second.resume()).toMatchObject({ status: "done" });
  expect(outputs(second.requests[0])).toEqual({ c1: "found" });
  expect(made).toEqual(["s c1"]);
});

test("a call that waited for a person at the terminal when its process ended is asked about again, and one that only reads runs again", async () => {
  const store = createMemoryStore();
  let wrote = 0;
  let asked!: () => void;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const tools = [
    tool("write", () => ++wrote, { requiresConfirmation: true }),
    tool("read", () => "text", { category: "read" }),
  ];
  const ask = () => {
    asked();
    return new Promise<never>(() => {});
  };
  const first = await world([response([call("c1", "write"), call("c2", "read")])], {
    tools,
    store: dyingStore(store, 4).store,
    host: { approver: ask },
  });
  void first.run("write");
  await isAsked;

  const second = await world([response([say("ok")])], {
    tools,
    store,
    host: { approver: () => ({ decision: "approve", by: "ada" }) },
  });
  const turn = await second.resume();

  expect(turn.status).toBe("done");
  expect(outputs(second.requests[0])).toEqual({ c1: "1", c2: "text" });
  expect(await second.host.approvals.list()).toEqual([]);
});

test("of two processes that resume a turn, one wins, and the other stops", async () => {
  const store = createMemoryStore();
  let count = 0;
  let go!: () => void;
  const gone = new Promise<void>((resolve) => (go = resolve));
  const tools = [tool("act", async () => (++count === 1 ? (await gone, "slow") : "fast"))];
  const first = await world([response([call("c1", "act")]), response([say("first")])], { tools, store });
  const slow = first.run("act");
  await expect.poll(() => count).toBe(1);

  const second = await world([response([say("second")])], { tools, store });
  expect(await second.resume()).toMatchObject({ status: "done", text: "second" });
  go();
  await expect(slow).rejects.toMatchObject({ code: "SESSION_CONFLICT" });
  expect(outputs(second.requests[0])["c1"]).toMatch(/OUTCOME_UNKNOWN/);
  expect(count).toBe(1);
});
