import { tracingChannel } from "node:diagnostics_channel";
import { createMemoryStore, type ModeCatalog, type SpawnRequest } from "@toolmount/core";
import { changeSessionMode, defaultMode } from "@toolmount/core/sessions";
import { modelChannelName, turnChannelName, type ModelTrace, type TurnTrace } from "@toolmount/core/tracing";
import { expect, onTestFinished, test } from "vitest";
import { call, outputs, response, say, tool, world, type WorldOptions } from "../support/world.ts";

/** A tool that asks for a child with what the model wrote, in the name of its own turn. */
function hand(open: () => ReturnType<typeof world>, more: Partial<SpawnRequest> = {}) {
  return tool(
    "hand",
    async (given, { sessionId, turnId, abortSignal, traceparent }) => {
      const { reasoner } = await open();
      const ids = { parentSessionId: sessionId!, parentTurnId: turnId!, abortSignal, traceparent };
      const { sessionId: child, turn } = await reasoner.spawn({
        instruction: "do it",
        ...given,
        ...ids,
        ...more,
      });
      return { child, text: turn.text };
    },
    { timeout: 0, tags: ["agents"] },
  );
}

function opened(answers: Parameters<typeof world>[0], options: WorldOptions, more?: Partial<SpawnRequest>) {
  const all: ReturnType<typeof world> = world(answers, {
    ...options,
    tools: [...((options.tools ?? []) as object[]), hand(() => all, more)],
  });
  return all;
}

const spoken = (value: unknown) => JSON.parse(value as string) as { child: string; text: string };

test("a child in a mode of its own has no tool that its parent's mode does not offer, called by a tool either", async () => {
  const catalog: ModeCatalog = {
    listModes: async () =>
      [
        { key: defaultMode, tools: ["hand", "combo"], isDefault: true },
        { key: "open", tools: ["*"], isDefault: false },
      ].map((mode) => ({
        ...mode,
        id: mode.key,
        displayName: mode.key,
        description: "",
        systemPromptSummary: "",
      })),
  };
  let wrote = 0;
  const all = opened(
    [
      response([call("c1", "hand", { agent: "writer" })]),
      response([call("k1", "write"), call("k2", "combo")]),
      response([say("tried")]),
      response([say("end")]),
    ],
    {
      tools: [
        tool("write", () => (wrote += 1)),
        tool("combo", async (_, context) => (await context.call({ name: "write" })).status),
      ],
      agents: { writer: { description: "Writes.", tools: ["*"], mode: "open" } },
    },
  );
  const { host, run, requests } = await all;
  host.coordinator.mount("mode-catalog", catalog);
  await run("go");

  expect(requests[1]!.tools!.map(({ name }) => name)).toEqual(["combo", "hand"]);
  expect(outputs(requests[2])).toMatchObject({
    k1: expect.stringMatching(/not one of the tools/),
    k2: "denied",
  });
  expect(wrote).toBe(0);
});

test("a tool that is left out is left out under any name, and a list of aliases gives nothing more", async () => {
  const renamed = tool("list_all", () => "listed");
  const { host, run, requests } = await opened(
    [
      response([call("c1", "hand", { agent: "helper" })]),
      response([call("k1", "ls"), call("k2", "list_all")]),
      response([say("tried")]),
      response([say("end")]),
    ],
    { agents: { helper: { description: "Helps.", tools: ["*"] } } },
    { exclude: ["ls"] },
  );
  host.coordinator.mount("tools", renamed, { name: "ls" });
  await run("go");

  expect(requests[1]!.tools!.map(({ name }) => name)).not.toContain("list_all");
  expect(Object.values(outputs(requests[2])).join()).not.toContain("listed");
});

test("a session is resumed as the agent that it is, by the user whose it is, in the turn that asks", async () => {
  let child = "";
  const refusals: unknown[] = [];
  const all = opened(
    (request, at) => {
      if (at === 0) return response([call("c1", "hand", { agent: "helper" })]);
      if (at === 1) return response([say("first")]);
      if (at === 2) {
        child = spoken(outputs(request)["c1"]).child;
        return response([call("c2", "hand", { sessionId: child, agent: "writer" })]);
      }
      refusals.push(outputs(request));
      return at === 4 ? response([call("c3", "hand", { sessionId: child })]) : response([say("end")]);
    },
    {
      agents: {
        helper: { description: "Helps.", tools: ["read"] },
        writer: { description: "Writes.", tools: ["*"] },
      },
    },
  );
  const { run, reasoner, requests, store } = await all;
  // The parent has no user and is open to both; its child is Ada's.
  await store.sessions.save({ id: "s", parentId: null, version: 1, createdAt: 0, updatedAt: 0, data: {} });
  await run("go", { userId: "ada" });
  await run("again", { userId: "bob" });

  expect(JSON.stringify(refusals[0])).toContain("Error");
  expect(JSON.stringify(refusals.at(-1))).toContain("Error");
  expect(requests).toHaveLength(6);
  await expect(
    reasoner.spawn({ agent: "helper", instruction: "x", parentSessionId: "s", parentTurnId: "turn_gone" }),
  ).rejects.toMatchObject({ code: "SESSION_CONFLICT" });
});

test("an agent begins one like itself only as often in a row as it may", async () => {
  const { run, reasoner } = await opened(
    () => response([call("c1", "hand", { agent: "self" })]),
    { settings: { maxDepth: 9, maxIterations: 1 } },
    { maxSelfDepth: 2 },
  );
  await run("dig");

  expect(await reasoner.list()).toHaveLength(3);
});

test.each([
  ["conversation", []],
  ["agents", ["result of hand"]],
  ["full", ["result of hand", "result of look"]],
] as const)("with the scope %s a child is reported %j", async (scope, reported) => {
  const { run, requests } = await opened(
    [
      response([call("a1", "look"), call("a2", "hand", { agent: "self" })]),
      response([say("from the first child")]),
      response([call("c1", "hand", { agent: "self", inherit: "all", scope })]),
      response([say("ok")]),
      response([say("end")]),
    ],
    { tools: [tool("look", () => "seen")] },
  );
  await run("go");

  const text = requests[3]!.input[0]!["content"] as string;
  expect(text).toContain("user: go");
  expect(["result of hand", "result of look"].filter((line) => text.includes(line))).toEqual(reported);
});

test("a turn, its requests and its child are reported on the tracing channels, each under what began it", async () => {
  const turns: TurnTrace[] = [];
  const models: ModelTrace[] = [];
  let spans = 0;
  const mark = (message: TurnTrace | ModelTrace) => {
    message.traceparent = `${message.traceparent ?? "root"}/${++spans}`;
  };
  const turnEvents = {
    start: (reported: unknown) => (mark(reported as TurnTrace), void turns.push(reported as TurnTrace)),
  };
  const modelEvents = {
    start: (reported: unknown) => (mark(reported as ModelTrace), void models.push(reported as ModelTrace)),
  };
  tracingChannel(turnChannelName).start.subscribe(turnEvents.start);
  tracingChannel(modelChannelName).start.subscribe(modelEvents.start);
  onTestFinished(() => {
    tracingChannel(turnChannelName).start.unsubscribe(turnEvents.start);
    tracingChannel(modelChannelName).start.unsubscribe(modelEvents.start);
  });
  const { run } = await opened(
    [
      { status: 500, body: { error: { message: "busy" } } },
      response([call("c1", "hand", { agent: "helper" })]),
      response([say("did it")]),
      response([say("end")]),
    ],
    { agents: { helper: { description: "Helps.", tools: ["*"] } } },
  );
  await run("go", { traceparent: "given" });

  expect(
    turns.map(({ traceparent, status, agent, depth }) => [traceparent, status, agent?.name, depth]),
  ).toEqual([
    ["given/1", "done", undefined, 0],
    ["given/1/4", "done", "helper", 1],
  ]);
  expect(
    models.map(({ traceparent, attempt, failure, finishReason }) => [
      traceparent,
      attempt,
      failure?.code,
      finishReason,
    ]),
  ).toEqual([
    ["given/1/2", 1, expect.any(String), undefined],
    ["given/1/3", 2, undefined, "tool_calls"],
    ["given/1/4/5", 1, undefined, "stop"],
    ["given/1/6", 1, undefined, "stop"],
  ]);
  expect(models[1]!.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
});

test("agents that run at the same time share what is left of their parent's budget", async () => {
  let ran = 0;
  const both = [1, 2, 3, 4].map((n) => call(`c${n}`, "hand", { agent: "helper" }));
  const isChild = ({ tools }: { readonly tools?: readonly object[] }) =>
    !(tools ?? []).some((one) => (one as { name?: string }).name === "hand");
  const agents = { helper: { description: "Helps.", tools: ["act"], maxIterations: 100 } };
  const act = () => tool("act", () => (ran += 1));
  let at = 0;
  const spent = opened((request) => response(isChild(request) ? [call(`k${++at}`, "act")] : both), {
    tools: [act()],
    agents,
    settings: { budgets: { tokens: 150 } },
  });
  const turn = await (await spent).run("spend");
  expect(turn.error).toMatchObject({ code: "AGENT_BUDGET_EXHAUSTED" });
  // Each of the four may have one request under way when the last token is spent, and no more.
  const { usage } = await (await spent).reasoner.show("s");
  expect(usage.inputTokens + usage.outputTokens).toBeLessThan(150 + 4 * 15);

  ran = 0;
  const called = opened((request) => response(isChild(request) ? [call(`k${++at}`, "act")] : both), {
    tools: [act()],
    agents,
    settings: { budgets: { calls: 10 } },
  });
  await (await called).run("call");
  expect(ran).toBeLessThanOrEqual(6);
  expect(ran).toBeGreaterThan(0);
});

test.each(["graceful", "immediate"] as const)(
  "a %s cancellation of the parent reaches a child that is at work, and all its calls are answered",
  async (how) => {
    let ran = 0;
    const all = opened([response([call("c1", "hand", { agent: "helper" })]), response([call("k1", "act")])], {
      tools: [
        tool("act", async (_, { abortSignal }) => {
          ran++;
          const { host } = await all;
          const { cancellation } = host.session("s");
          if (how === "graceful") return cancellation.requestGraceful();
          const stopped = new Promise((_resolve, reject) => {
            abortSignal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
          });
          cancellation.requestImmediate();
          return await stopped;
        }),
      ],
      agents: { helper: { description: "Helps.", tools: ["act"] } },
    });
    const { run, reasoner, requests } = await all;
    const turn = await run("go");

    expect([turn.status, ran, requests.length]).toEqual(["cancelled", 1, 2]);
    await expect.poll(async () => (await reasoner.list({ parentId: "s" }))[0]?.status).toBe("cancelled");
    const { items } = await reasoner.show((await reasoner.list({ parentId: "s" }))[0]!.id);
    expect(items.filter(({ type }) => type === "function_call_output")).toHaveLength(1);
  },
);

test("the time of the parent ends the child's turn, too", async () => {
  const all = opened(
    (_, at) =>
      at === 0
        ? response([call("c1", "hand", { agent: "helper" })])
        : { stream: [{ type: "response.created", response: {} }], open: true },
    {
      agents: { helper: { description: "Helps.", tools: ["*"] } },
      settings: { budgets: { ms: 300 } },
    },
  );
  const { run, reasoner } = await all;
  const turn = await run("go");

  expect(turn.error).toMatchObject({ code: "AGENT_BUDGET_EXHAUSTED" });
  const status = async () => (await reasoner.list({ parentId: "s" }))[0]?.status;
  await expect.poll(status).toMatch(/cancelled|failed/);
});

/** A parent that has begun a child, and resumes it under another plan. */
async function goneOnWith(more: Pick<WorldOptions, "agents" | "settings">, mode?: string) {
  const store = createMemoryStore();
  const catalog: ModeCatalog = {
    listModes: async () =>
      [
        { key: defaultMode, tools: ["*"], isDefault: true },
        { key: "narrow", tools: ["hand"], isDefault: false },
      ].map((one) => ({ ...one, id: one.key, displayName: "", description: "", systemPromptSummary: "" })),
  };
  let wrote = 0;
  // What the parent writes itself, once its child was refused, is not counted.
  const tools = [tool("write", (_, { sessionId }) => (wrote += sessionId === "s" ? 0 : 1))];
  const agents = { writer: { description: "Writes.", tools: ["*"] } };
  const first = opened(
    [response([call("c1", "hand", { agent: "writer" })]), response([say("begun")]), response([say("end")])],
    { store, tools, agents },
  );
  (await first).host.coordinator.mount("mode-catalog", catalog);
  await (await first).run("begin");
  const child = (await (await first).reasoner.show("s")).children[0]!;
  const second = opened(
    [
      response([call("c2", "hand", { sessionId: child })]),
      response([call("k1", "write")]),
      response([say("tried")]),
      response([say("end")]),
    ],
    { store, tools, agents, ...more },
  );
  const { host, run, requests } = await second;
  host.coordinator.mount("mode-catalog", catalog);
  if (mode !== undefined) {
    await host.session("s").load();
    changeSessionMode(host.session("s").state, mode);
  }
  await run("go on");
  return { requests, wrote };
}

test("a child that is resumed has no tool that its parent's mode does not offer by then", async () => {
  expect((await goneOnWith({})).wrote).toBe(1);
  const { requests, wrote } = await goneOnWith({}, "narrow");

  expect(requests[1]!.tools!.map(({ name }) => name)).toEqual(["hand"]);
  expect(outputs(requests[2])["k1"]).toMatch(/not one of the tools/);
  expect(wrote).toBe(0);
});

test("a child is resumed only as deep as the plan allows by then, and as an agent that it still has", async () => {
  const shallow = await goneOnWith({ settings: { maxDepth: 0 } });
  const gone = await goneOnWith({ agents: { other: { description: "Is another.", tools: ["*"] } } });

  for (const { requests, wrote } of [shallow, gone]) {
    expect(outputs(requests[1])["c2"]).toMatch(/^Error: /);
    expect(wrote).toBe(0);
  }
});

test("a turn that is left to another process leaves the sub-agents of its sub-agents, too", async () => {
  const store = createMemoryStore();
  let before: readonly number[] = [];
  const sizes = async () => {
    const all = await (await opening).reasoner.list();
    return Promise.all(all.map(async ({ id }) => (await store.sessions.entries(id)).length));
  };
  const look = tool("look", async () => {
    before = await sizes();
    (await opening).reasoner.release("s");
    return "seen";
  });
  const opening = opened(
    [
      response([call("c1", "hand", { agent: "self" })]),
      response([call("c2", "hand", { agent: "self" })]),
      response([call("c3", "look")]),
      response([say("not asked for")]),
    ],
    { tools: [look], store },
  );
  await expect((await opening).run("go")).rejects.toMatchObject({ code: "SESSION_CONFLICT" });

  expect(before).toHaveLength(3);
  expect(await sizes()).toEqual(before);
});
