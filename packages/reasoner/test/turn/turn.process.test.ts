import { createMemoryStore, data, failure, type ToolOutcome } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { pictures } from "../support/pictures.ts";
import { z } from "zod";
import { call, dyingStore, outputs, response, say, tool, world } from "../support/world.ts";

test("a turn offers the tools and their guidance, runs what the model calls, and ends with its text", async () => {
  const add = tool("add", ({ a, b }) => Number(a) + Number(b));
  const { run, requests } = await world(
    [response([call("c1", "add", { a: 1, b: 2 })]), response([say("It is 3.")])],
    {
      tools: [add],
      settings: { instructions: "Be brief." },
    },
  );

  const turn = await run("What is 1 + 2?", { userId: "ada" });

  expect(turn).toMatchObject({ status: "done", text: "It is 3.", iterations: 2, calls: 1 });
  expect(turn.usage).toMatchObject({ requests: 2, inputTokens: 20, outputTokens: 10, cachedTokens: 8 });
  expect(requests[0]!.tools).toMatchObject([
    { type: "function", name: "add", parameters: { type: "object" } },
  ]);
  expect(requests[0]!.input).toEqual([{ type: "message", role: "user", content: "What is 1 + 2?" }]);
  expect(outputs(requests[1])).toEqual({ c1: "3" });
});

test("APTIX-61, APTIX-57, APTIX-N12: usage texts stand in the instructions, between markers that bear the tool's name", async () => {
  const { run, requests } = await world([response([say("ok")])], {
    tools: [tool("add", () => 1)],
    settings: { instructions: "Be brief.", guidance: "full" },
  });
  await run("hello");

  expect(requests[0]!.instructions).toBe(
    "Be brief.\n\n<<<BEGIN TOOL GUIDANCE>>>\n<<<BEGIN TOOL add>>>\nUsage of add.\n<<<END TOOL add>>>\n<<<END TOOL GUIDANCE>>>",
  );
  expect(requests[0]!.tools![0]!["description"]).toBe("Does add. Use in tests.");
});

test("the guidance beside definitions has a line for each tool, and no usage text", async () => {
  const { run, requests } = await world([response([say("ok")])], {
    tools: [tool("add", () => 1, { summary: "Adds two numbers." }), tool("sub", () => 1)],
    settings: { instructions: "Be brief." },
  });
  await run("hello");

  expect(requests[0]!.instructions).toBe(
    "Be brief.\n\n<<<BEGIN TOOL GUIDANCE>>>\n- add: Adds two numbers.\n- sub: Does sub.\n<<<END TOOL GUIDANCE>>>",
  );
  expect(requests[0]!.tools).toHaveLength(2);
});

test("APTIX-58, APTIX-N13: the request's tools are exactly those that are offered, in an order that does not change", async () => {
  const { run, requests, host } = await world([response([say("1")]), response([say("2")])], {
    tools: [tool("zebra", () => 1), tool("ant", () => 1), tool("old", () => 1, { status: "deprecated" })],
  });
  await run("one");
  await run("two");

  const names = requests.map(({ tools }) => tools!.map(({ name }) => name));
  expect(names).toEqual([
    ["ant", "zebra"],
    ["ant", "zebra"],
  ]);
  expect(() =>
    host.coordinator.mount("tools", {
      name: "bad",
      description: "No schema.",
      schema: 7,
      execute: () => 1,
    } as never),
  ).toThrow("bad");
});

test("APTIX-22, AMP-N50: calls of one answer run together under one group id, and each is answered once, in their order", async () => {
  let both!: () => void;
  const together = new Promise<void>((resolve) => (both = resolve));
  let running = 0;
  const meet = tool("meet", async ({ name }) => {
    if (++running === 2) both();
    await together;
    return name;
  });
  const { run, requests, heard } = await world(
    [
      response([call("c1", "meet", { name: "a" }), call("c2", "meet", { name: "b" })]),
      response([say("met")]),
    ],
    { tools: [meet] },
  );
  await run("meet");

  const answered = requests[1]!.input.filter(({ type }) => type === "function_call_output");
  expect(answered).toEqual([
    { type: "function_call_output", call_id: "c1", output: "a" },
    { type: "function_call_output", call_id: "c2", output: "b" },
  ]);
  const groups = heard
    .filter(({ event }) => event === "tool:pre")
    .map(({ data: reported }) => reported["parallel_group_id"]);
  expect(groups).toHaveLength(2);
  expect(groups[0]).toBe(groups[1]);
  expect(groups[0]).toBeTypeOf("string");
});

test("APTIX-43, APTIX-44, APTIX-45, APTIX-46, AMP-N52: each kind of failure is a text the model can act on, and the turn continues", async () => {
  const tools = [
    tool("throws", () => {
      throw new Error("secret stack");
    }),
    {
      ...tool("fails", () => 1),
      execute: async () => failure("no such city; use search_city", { code: "NOT_FOUND" }),
    },
    tool("strict", () => 1, { schema: z.strictObject({ count: z.int() }) }),
    tool("gated", () => 1),
    tool("asks", () => 1, { requiresConfirmation: true }),
  ];
  const { run, requests, host, heard } = await world(
    [
      response([
        call("c1", "throws"),
        call("c2", "fails"),
        call("c3", "strict", { count: "many" }),
        call("c4", "strict", '{"count": '),
        call("c5", "strikt"),
        call("c6", "gated"),
        call("c7", "asks"),
      ]),
      response([say("I see.")]),
    ],
    { tools, host: { approver: () => ({ decision: "deny", reason: "not today", by: "ada" }) } },
  );
  host.coordinator.hooks.gate("tool:pre", (_, { tool_name: name }) =>
    name === "gated" ? { action: "deny", reason: "closed on Sundays" } : undefined,
  );
  const turn = await run("try all");

  expect(turn).toMatchObject({ status: "done", text: "I see." });
  const texts = outputs(requests[1]) as Record<string, string>;
  expect(texts["c1"]).toBe("Error: throws failed [TOOL_FAILED]");
  expect(texts["c2"]).toBe("Error: no such city; use search_city [NOT_FOUND]");
  expect(texts["c3"]).toMatch(/^Error: .*count.*\[INVALID_ARGUMENTS\]$/s);
  expect(texts["c4"]).toMatch(/^Error: .*JSON.*\[INVALID_ARGUMENTS\]$/s);
  expect(texts["c5"]).toBe("Error: Tool 'strikt' not found. Did you mean \"strict\"?");
  expect(texts["c6"]).toBe("Denied by hook: closed on Sundays");
  expect(texts["c7"]).toBe("Error: the call was not approved: not today [DENIED]");
  const failed = heard
    .filter(({ event }) => event === "tool:error")
    .map(({ data: reported }) => reported["tool_call_id"]);
  expect(new Set(failed)).toEqual(new Set(["c1", "c2", "c3", "c4", "c5", "c6", "c7"]));
  expect(failed).toHaveLength(7);
});

test("AMP-N3, APTIX-47: what a model reads is stable: JSON for objects, text for texts, without control characters", async () => {
  const give = tool("give", ({ what }) => [{ b: [1, null] }, "bell \u0007 and\ttab", null, ""][Number(what)]);
  const { run, requests } = await world(
    [response([0, 1, 2, 3].map((what) => call(`c${what}`, "give", { what }))), response([say("ok")])],
    { tools: [give] },
  );
  await run("give");

  expect(outputs(requests[1])).toEqual({
    c0: '{"b":[1,null]}',
    c1: "bell  and\ttab",
    c2: "Success",
    c3: "Success",
  });
});

test("pictures of a tool come beside its text", async () => {
  const draw = {
    ...tool("draw", () => 1),
    execute: async () =>
      data("a dot", { content: [{ type: "image", data: pictures.png(), mimeType: "image/png" }] }),
  };
  const { run, requests } = await world([response([call("c1", "draw")]), response([say("ok")])], {
    tools: [draw],
  });
  await run("draw");

  expect(outputs(requests[1])["c1"]).toEqual([
    { type: "input_text", text: "a dot" },
    { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${pictures.png()}` },
  ]);
});

test("AMP-N53: a result that a gate replaced is what the model reads", async () => {
  const { run, requests, host } = await world([response([call("c1", "look")]), response([say("ok")])], {
    tools: [tool("look", () => "a secret")],
  });
  host.coordinator.hooks.gate("tool:post", () => ({
    action: "modify",
    data: { tool_result: { tool: "look", fetchedAt: "2026-01-01T00:00:00.000Z", data: "[hidden]" } },
  }));
  await run("look");

  expect(outputs(requests[1])["c1"]).toBe("[hidden]");
});

test("two calls that a server gave one id get an answer each", async () => {
  const { run, requests } = await world(
    [response([call("same", "echo", { n: 1 }), call("same", "echo", { n: 2 })]), response([say("ok")])],
    { tools: [tool("echo", ({ n }) => n)] },
  );
  await run("twice");

  const texts = outputs(requests[1]);
  expect(Object.values(texts)).toEqual(["1", "2"]);
  const asked = requests[1]!.input
    .filter(({ type }) => type === "function_call")
    .map(({ call_id: id }) => id);
  expect(asked).toEqual(Object.keys(texts));
});

test("APTIX-N17, FORGE-N30: a model that never stops calling ends in a coded error, with each call answered", async () => {
  let ran = 0;
  const { run, reasoner, events } = await world((_, at) => response([call(`c${at}`, "more")]), {
    tools: [tool("more", () => ++ran)],
  });
  const turn = await run("forever");

  expect(turn).toMatchObject({
    status: "failed",
    iterations: 32,
    error: { code: "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED" },
  });
  expect(ran).toBe(32);
  const { items } = await reasoner.show("s");
  expect(items.filter(({ type }) => type === "function_call_output")).toHaveLength(32);
  expect(events.at(-2)).toMatchObject({ type: "error", code: "AGENT_REASONER_MAX_ITERATIONS_EXCEEDED" });
  expect(events.at(-1)).toMatchObject({ type: "done" });
});

test("a model may call what it was offered, and nothing else that is mounted", async () => {
  let ran = 0;
  const hidden = tool("hidden", () => ++ran, { modes: ["admin"] });
  const { run, requests } = await world([response([call("c1", "hidden")]), response([say("ok")])], {
    tools: [hidden, tool("shown", () => 1)],
  });
  await run("use the hidden one");

  expect(requests[0]!.tools!.map(({ name }) => name)).toEqual(["shown"]);
  expect(outputs(requests[1])["c1"]).toMatch(/^Denied by hook: .*not offered/);
  expect(ran).toBe(0);
});

test("APTIX-N14: tools that are not activated are a line each; activated ones come with the next request", async () => {
  const { run, requests, host } = await world(
    [response([call("c1", "activate")]), response([call("c2", "rare")]), response([say("ok")])],
    {
      tools: [
        tool("activate", () => host.session("s").activate(["rare"]), { alwaysOffered: true }),
        tool("rare", () => "used"),
      ],
    },
  );
  host.coordinator.registerCapability("tools.disclosure", "progressive");
  await run("use the rare one");

  expect(requests[0]!.tools!.map(({ name }) => name)).toEqual(["activate"]);
  expect(requests[0]!.instructions).toContain("- rare: Does rare.");
  expect(requests[1]!.tools!.map(({ name }) => name)).toEqual(["activate", "rare"]);
  expect(outputs(requests[2])["c2"]).toBe("used");
});

test("AMP-N49: a cancelled turn stops what runs, answers each call, and says so", async () => {
  const controller = new AbortController();
  const hang = tool("hang", (_, { abortSignal }) => {
    controller.abort();
    return new Promise((_resolve, reject) => {
      abortSignal.addEventListener("abort", () => reject(new Error("stopped")));
    });
  });
  const { run, heard, reasoner } = await world(
    [response([call("c1", "hang"), call("c2", "hang")]), response([say("never")]), response([say("again")])],
    { tools: [hang] },
  );
  const turn = await run("hang", { abortSignal: controller.signal });

  expect(turn).toMatchObject({ status: "cancelled" });
  const { items } = await reasoner.show("s");
  const answered = items.filter(({ type }) => type === "function_call_output");
  expect(answered.map(({ call_id: id }) => id)).toEqual(["c1", "c2"]);
  for (const { output } of answered)
    expect(JSON.parse(output as string)).toEqual({
      error: expect.any(String),
      cancelled: true,
      tool: "hang",
    });
  const reported = heard.map(({ event }) => event);
  expect(reported).toContain("cancel:requested");
  expect(reported.indexOf("cancel:completed")).toBeGreaterThan(reported.indexOf("cancel:requested"));
  expect((await run("go on")).status).toBe("done");
});

test("a cancelled request is counted, and what came of its answer is in the session", async () => {
  const controller = new AbortController();
  const { run, requests } = await world(
    [
      { stream: [{ type: "response.output_text.delta", output_index: 0, delta: "A very long" }], open: true },
      {
        stream: [
          { type: "response.completed", response: { id: "r2", status: "completed", output: [say("again")] } },
        ],
      },
    ],
    { settings: { stream: true } },
  );
  const turn = await run("tell me", {
    abortSignal: controller.signal,
    onEvent: ({ type }) => {
      if (type === "text_delta") controller.abort();
    },
  });

  expect(turn).toMatchObject({ status: "cancelled", iterations: 1, usage: { requests: 1 } });
  expect(turn.text).toBe("A very long");
  await run("go on");
  expect(requests.at(-1)!.input).toEqual([
    { type: "message", role: "user", content: "tell me" },
    { type: "message", role: "assistant", content: turn.text },
    { type: "message", role: "user", content: "go on" },
  ]);
});

test("budgets of calls, tokens and time end a turn with a code, and what did not run is reported", async () => {
  let ran = 0;
  const count = tool("count", () => ++ran);
  const calls = await world(
    [response([call("c1", "count"), call("c2", "count"), call("c3", "count")]), response([say("no")])],
    { tools: [count], settings: { budgets: { calls: 2 } } },
  );
  const turn = await calls.run("count");
  expect(turn).toMatchObject({
    status: "failed",
    error: { code: "AGENT_BUDGET_EXHAUSTED", details: { budget: "calls" } },
  });
  expect(ran).toBe(2);
  const { items } = await calls.reasoner.show("s");
  expect(items.at(-1)).toMatchObject({
    call_id: "c3",
    output: expect.stringContaining("AGENT_BUDGET_EXHAUSTED"),
  });

  const tokens = await world([response([call("c1", "count")]), response([say("no")])], {
    tools: [count],
    settings: { budgets: { tokens: 15 } },
  });
  expect((await tokens.run("count")).error).toMatchObject({ details: { budget: "tokens", limit: 15 } });

  const time = await world([response([call("c1", "wait")])], {
    tools: [
      tool(
        "wait",
        (_, { abortSignal }) => new Promise((resolve) => abortSignal.addEventListener("abort", resolve)),
      ),
    ],
    settings: { budgets: { ms: 20 } },
  });
  expect((await time.run("wait")).error).toMatchObject({ details: { budget: "milliseconds" } });

  const turns = await world([response([say("one")])], { settings: { budgets: { turns: 1 } } });
  await turns.run("one");
  await expect(turns.run("two")).rejects.toMatchObject({ code: "AGENT_BUDGET_EXHAUSTED" });
});

test("prices make a cost", async () => {
  const { run } = await world([response([say("ok")])], {
    settings: { prices: { input: 2, cachedInput: 1, output: 10 } },
  });

  const { cost } = await run("hello");
  expect(cost!.amount).toBeCloseTo((6 * 2 + 4 * 1 + 5 * 10) / 1_000_000, 12);
  expect(cost!.currency).toBe("USD");
});

test("AMP-N51: a turn reports its events in order, and those of its calls bear its ids", async () => {
  const { run, heard } = await world([response([call("c1", "add")]), response([say("ok")])], {
    tools: [tool("add", () => 1)],
  });
  const { turnId } = await run("hello");

  expect(heard.map(({ event }) => event)).toEqual([
    "session:start",
    "prompt:submit",
    "execution:start",
    "provider:resolve",
    "provider:request",
    "llm:request",
    "llm:response",
    "provider:response",
    "tool:pre",
    "tool:post",
    "provider:request",
    "llm:request",
    "llm:response",
    "provider:response",
    "prompt:complete",
    "orchestrator:complete",
    "execution:end",
  ]);
  for (const { event, data: reported } of heard.slice(2)) expect(reported["turn_id"], event).toBe(turnId);
  const [first, second] = heard.filter(({ event }) => event === "provider:request");
  expect(first!.data["iterations_remaining"]).toBe(31);
  expect(second!.data["iterations_remaining"]).toBe(30);
});

test("a hook may refuse a prompt, or a request to the model", async () => {
  const refused = await world([]);
  refused.host.coordinator.hooks.gate("prompt:submit", () => ({ action: "deny", reason: "not here" }));
  await expect(refused.run("hello")).rejects.toMatchObject({ code: "DENIED" });

  const held = await world([]);
  held.host.coordinator.hooks.gate("provider:request", () => ({ action: "deny", reason: "no more today" }));
  expect((await held.run("hello")).error).toMatchObject({ code: "DENIED" });
  expect(held.requests).toHaveLength(0);
});

test("AMP-N40: what a hook injects after a call, for one request, is in the next request and not in the one after it", async () => {
  const answers = [response([call("c1", "add")]), response([call("c2", "add")]), response([say("ok")])];
  const { run, requests, host } = await world(answers, { tools: [tool("add", () => 1)] });
  let calls = 0;
  host.coordinator.hooks.gate("tool:post", () =>
    ++calls === 1
      ? { action: "inject_context", contextInjection: "the sky is blue", ephemeral: true }
      : undefined,
  );
  await run("hello");

  expect(requests.map(({ input }) => JSON.stringify(input).includes("the sky is blue"))).toEqual([
    false,
    true,
    false,
  ]);
});

test("AMP-N40, APTIX-N27: what hooks inject is named and bounded, and events tell its digest, not its text", async () => {
  const { run, requests, host, heard } = await world([response([call("c1", "add")]), response([say("ok")])], {
    tools: [tool("add", () => 1)],
    settings: { maxInjectionBytes: 100 },
  });
  let given = "the sky is blue\u200b";
  let ephemeral = true;
  host.coordinator.hooks.gate("provider:request", () => {
    const result = { action: "inject_context" as const, contextInjection: given, ephemeral };
    ephemeral = false;
    return result;
  });
  await run("hello");

  const injected = (at: number) => requests[at]!.input.filter(({ role }) => role === "developer");
  expect(injected(0)).toEqual([
    {
      type: "message",
      role: "developer",
      content: expect.stringMatching(/^\[from a hook of provider:request\]\nthe sky is blue[^\u200b]*$/),
    },
  ]);
  expect(injected(1)).toHaveLength(1);
  const reported = heard.filter(({ event }) => event === "context:include");
  expect(reported).toHaveLength(2);
  expect(JSON.stringify(reported)).not.toContain("sky");
  expect(reported[0]!.data["digest"]).toMatch(/^[0-9a-f]{64}$/);

  given = "x".repeat(101);
  expect((await run("again")).error).toMatchObject({ code: "INJECTION_TOO_LARGE" });
});

test("the state of a session, its mode and its conversation go on in another host over the same store", async () => {
  const store = createMemoryStore();
  const remember = tool("remember", (_, { session }) => session.set("colour", "red"));
  const recall = tool("recall", (_, { session }) => session.get("colour"));
  const first = await world([response([call("c1", "remember")]), response([say("kept")])], {
    tools: [remember],
    store,
  });
  await first.run("my colour is red");
  const second = await world([response([call("c2", "recall")]), response([say("red")])], {
    tools: [recall],
    store,
  });
  await second.run("which colour?");

  expect(second.requests[0]!.input).toHaveLength(5);
  expect(outputs(second.requests[1])).toMatchObject({ c2: "red" });
});

test("what a tool asks a person continues at once when a person is there", async () => {
  const asked: string[] = [];
  let outcome: ToolOutcome | undefined;
  const { run, events } = await world([response([call("c1", "write")]), response([say("done")])], {
    tools: [tool("write", () => "written", { requiresConfirmation: true })],
    host: {
      approver: ({ tool: { name } }) => {
        asked.push(name);
        return { decision: "approve", by: "ada" };
      },
    },
  });
  await run("write");
  for (const event of events) if (event.type === "tool_result") outcome = event.outcome;

  expect(asked).toEqual(["write"]);
  expect(outcome?.status).toBe("ok");
});

test("the calls of a turn share one trace, and each turn has its own", async () => {
  const traces: string[] = [];
  const { run } = await world(
    (request) =>
      request.input.at(-1)!["type"] === "function_call_output"
        ? response([say("ok")])
        : response([call(`a${traces.length}`, "look"), call(`b${traces.length}`, "look")]),
    { tools: [tool("look", (_, { traceparent }) => void traces.push(traceparent!))] },
  );
  await run("one");
  await run("two");

  const ids = traces.map((trace) => /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(trace)?.[1]);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).toBe(ids[3]);
  expect(ids[0]).not.toBe(ids[2]);
  expect(ids).not.toContain(undefined);
});

test("a turn that a hook's injection ends leaves no call without an answer, and the session continues", async () => {
  const { run, host, requests } = await world(
    [response([call("c1", "look"), call("c2", "look")]), response([say("ok")])],
    { tools: [tool("look", () => "seen")], settings: { maxInjectionBytes: 10 } },
  );
  host.coordinator.hooks.gate("tool:post", (_, { tool_call_id: id }) =>
    id === "c1" ? { action: "inject_context", contextInjection: "much too long" } : undefined,
  );
  expect((await run("look")).error).toMatchObject({ code: "INJECTION_TOO_LARGE" });

  expect((await run("go on")).status).toBe("done");
  expect(outputs(requests[1])).toEqual({ c1: "seen", c2: "seen" });
});

describe("an answer of which the server marks only a call as incomplete", () => {
  const cut = response([{ ...call("c1", "wipe", { folder: "/data" }), status: "incomplete" }]);

  test("runs nothing, and the model reads why", async () => {
    const ran: unknown[] = [];
    const tools = [tool("wipe", (given) => ran.push(given))];
    const { run, requests } = await world([cut, response([say("ok")])], { tools });

    expect(await run("wipe *.tmp")).toMatchObject({ status: "done", text: "ok" });
    expect(ran).toEqual([]);
    expect(outputs(requests[1])["c1"]).toMatch(/did not run.*ANSWER_CUT/);
  });

  test("runs nothing either when the process ended before that, and another one resumes the turn", async () => {
    const ran: unknown[] = [];
    const tools = [tool("wipe", (given) => ran.push(given))];
    const store = createMemoryStore();
    const dying = dyingStore(store, 2);
    const first = await world([cut], { tools, store: dying.store });
    void first.run("wipe *.tmp", { sessionId: "s" });
    await dying.dead;
    const kinds = (await store.sessions.entries("s")).map(({ entry }) => (entry as { kind: string }).kind);
    expect(kinds).toEqual(["begin", "answer"]);

    const second = await world([response([say("ok")])], { tools, store });
    expect(await second.resume({ sessionId: "s" })).toMatchObject({ status: "done", text: "ok" });
    expect(ran).toEqual([]);
  });
});
