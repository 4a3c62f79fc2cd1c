import type { ModeCatalog } from "@toolmount/core";
import { defaultMode } from "@toolmount/core/sessions";
import { expect, test } from "vitest";
import { call, outputs, response, say, tool, world } from "../support/world.ts";

test("sessions are listed, shown, forked and resumed", async () => {
  const { run, reasoner, host, requests } = await world([
    response([say("one")]),
    response([say("two")]),
    response([say("three")]),
  ]);
  await run("my first question");
  await run("my second question");
  const fork = await reasoner.fork(host, "s", "copy");
  const turn = await run("a third one", { sessionId: "copy" });

  expect(fork).toMatchObject({ id: "copy", forkedFrom: "s" });
  expect(turn.text).toBe("three");
  expect(requests[2]!.input).toHaveLength(5);
  const list = await reasoner.list();
  expect(list.map(({ id, turns, title, status }) => [id, turns, title, status])).toEqual(
    expect.arrayContaining([
      ["s", 2, "my first question", "done"],
      ["copy", 1, "a third one", "done"],
    ]),
  );
  expect((await reasoner.show("s")).items).toHaveLength(4);
  await expect(reasoner.show("none")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
});

test("a session is a user and a name: the same name of another user, or of none, is another session", async () => {
  const paused = () => response([call("c1", "paint")]);
  const { run, resume, reasoner, host, requests } = await world(
    [
      paused(),
      response([say("one")]),
      response([say("two")]),
      response([say("three")]),
      response([say("four")]),
    ],
    { tools: [tool("paint", () => 1, { execution: "client" })] },
  );
  await run("mine", { userId: "ada" });
  const before = await reasoner.show("ada:s");
  for (const act of [
    () => resume({ userId: "bob" }),
    () => resume({ userId: "bob", cancel: true }),
    () => resume({ sessionId: "ada:s", userId: "bob" }),
    () => reasoner.fork(host, "ada:s", "copy", "bob"),
  ])
    await expect(act()).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  expect(await reasoner.show("ada:s")).toEqual(before);
  expect(requests).toHaveLength(1);

  const clientResults = [{ callId: "c1", result: "painted" }];
  expect((await resume({ userId: "ada", clientResults })).text).toBe("one");
  expect((await reasoner.fork(host, "ada:s", "copy")).id).toBe("ada:copy");
  expect(await run("take", { userId: "bob" })).toMatchObject({ sessionId: "bob:s", text: "two" });
  expect(await run("open")).toMatchObject({ sessionId: "s", text: "three" });
  expect(await run("take", { sessionId: "ada:s", userId: "bob" })).toMatchObject({
    sessionId: "bob:ada:s",
    text: "four",
  });
  expect((await reasoner.fork(host, "s", "more", "bob")).id).toBe("bob:more");
  expect(await reasoner.owner("ada:s")).toBe("ada");
  await expect(reasoner.fork(host, "s", "bobs", "carol")).rejects.toMatchObject({
    code: "SESSION_NOT_FOUND",
  });
});

function catalogOf(...keys: string[]): ModeCatalog {
  const mode = (key: string) => ({
    id: key,
    key,
    displayName: key,
    description: "",
    systemPromptSummary: "",
    isDefault: key === defaultMode,
  });
  return { listModes: async () => keys.map(mode) };
}

test("APTIX-N26: a mode is entered by its calls, in order and once; the first that fails leaves it not ready", async () => {
  const made: string[] = [];
  const { run, host, requests, events } = await world(() => response([say("ok")]), {
    tools: [
      tool("load", ({ what }, { mode }) => (made.push(`${mode} ${String(what)}`), `loaded ${String(what)}`)),
      tool("break", () => {
        throw new Error("no");
      }),
    ],
    settings: {
      bootstrap: {
        general: [
          { tool: "load", arguments: { what: "a" } },
          { tool: "load", arguments: { what: "b" }, output: "store" },
        ],
        coding: [{ tool: "break" }, { tool: "load", arguments: { what: "never" } }],
      },
    },
  });
  host.coordinator.mount("mode-catalog", catalogOf("general", "coding"));
  await run("one");
  await run("two");
  expect(made).toEqual(["general a", "general b"]);
  expect(requests[0]!.input.map(({ content }) => content)).toEqual([
    "one",
    "[from load, on entering the mode general]\nloaded a",
  ]);
  const { state } = host.session("s");
  expect(state.get("toolmount.bootstrap.general.load")).toBe("loaded b");

  state.set("toolmount.mode", { mode: "coding", previous: "general", turnId: null });
  await run("three");
  expect(made).toHaveLength(2);
  expect(state.get("toolmount.mode_ready")).toMatchObject({ mode: "coding", ready: false });
  expect(requests[2]!.input.at(-1)!["content"]).toBe("The mode coding is not ready: break: break failed");
  expect(events).toContainEqual({
    type: "tool_warning",
    tool: "",
    message: "the mode coding is not ready: break: break failed",
  });
});

test("a session that goes back to its start enters its mode by its calls again", async () => {
  const made: unknown[] = [];
  const { run, host, reasoner } = await world(() => response([say("ok")]), {
    tools: [tool("load", (_, { mode }) => (made.push(mode), "loaded"))],
    settings: { bootstrap: { general: [{ tool: "load" }] } },
  });
  host.coordinator.mount("mode-catalog", catalogOf("general"));
  await run("one");
  await run("two");
  expect(made).toEqual(["general"]);

  await reasoner.rewind(host, "s", 2);
  await run("instead of one");
  expect(made).toEqual(["general", "general"]);
});

test("a mode that a tool changes counts from the next turn, with its tools", async () => {
  const { run, host, requests } = await world(
    [response([call("c1", "switch")]), response([say("switched")]), response([say("now coding")])],
    {
      tools: [
        tool("switch", (_, { session, turnId }) =>
          session.set("toolmount.mode", { mode: "coding", previous: "general", turnId: turnId! }),
        ),
        tool("compile", () => 1, { modes: ["coding"] }),
      ],
    },
  );
  host.coordinator.mount("mode-catalog", catalogOf("general", "coding"));
  await run("switch");
  await run("go");

  const names = requests.map(({ tools }) => tools!.map(({ name }) => name));
  expect(names).toEqual([["switch"], ["switch"], ["compile", "switch"]]);
});

const helper = { description: "Helps.", tools: ["read_*", "delegate"] };

/** A tool that hands a task on, as `tools/delegate` does. */
function delegate(spawn: () => ReturnType<typeof world>) {
  return tool(
    "delegate",
    async ({ agent, instruction, id }, { sessionId, turnId, abortSignal }) => {
      const { reasoner } = await spawn();
      const { turn, sessionId: child } = await reasoner.spawn({
        ...(agent === undefined ? {} : { agent: agent as string }),
        ...(id === undefined ? {} : { sessionId: id as string }),
        instruction: instruction as string,
        parentSessionId: sessionId!,
        parentTurnId: turnId!,
        abortSignal,
        inherit: "all",
      });
      return { text: turn.text, status: turn.status, code: turn.error?.code ?? null, child };
    },
    { timeout: 0 },
  );
}

test("a child has its agent's tools, never more than its parent, and its use is its parent's, too", async () => {
  const tools = [tool("read_file", () => "text"), tool("write_file", () => "written")];
  const all = world(
    [
      response([call("c1", "delegate", { agent: "helper", instruction: "read" })]),
      response([call("k1", "write_file"), call("k2", "read_file")]),
      response([say("I read it")]),
      response([say("the child says so")]),
    ],
    { tools: [...tools, delegate(() => all)], agents: { helper } },
  );
  const { run, requests, reasoner, heard } = await all;
  const turn = await run("delegate");

  expect(turn).toMatchObject({ status: "done", text: "the child says so", calls: 3 });
  expect(requests[1]!.tools!.map(({ name }) => name)).toEqual(["delegate", "read_file"]);
  expect(requests[1]!.instructions).not.toContain("write_file");
  expect(requests[1]!.input[0]).toMatchObject({
    role: "developer",
    content: expect.stringContaining("user: delegate"),
  });
  expect(outputs(requests[2])).toMatchObject({
    k1: expect.stringMatching(/not one of the tools/),
    k2: "text",
  });
  const { children, usage } = await reasoner.show("s");
  expect(children).toHaveLength(1);
  expect(children[0]).toMatch(/^s-[0-9a-f]{16}_helper$/);
  expect(usage.requests).toBe(4);
  expect(await reasoner.list({ parentId: "s" })).toMatchObject([{ agent: "helper", status: "done" }]);
  expect(heard.filter(({ event }) => event === "session:start").at(-1)!.data).toMatchObject({
    parent_id: "s",
  });
});

test("depth, budget and cancellation pass down to a child", async () => {
  const deep = world(() => response([call("c1", "delegate", { agent: "helper", instruction: "again" })]), {
    tools: [delegate(() => deep)],
    agents: { helper },
    settings: { maxDepth: 2, maxIterations: 1 },
  });
  await (await deep).run("dig");
  expect(await (await deep).reasoner.list()).toHaveLength(3);

  const spent = world(() => response([call("c1", "delegate", { agent: "helper", instruction: "again" })]), {
    tools: [delegate(() => spent)],
    agents: { helper },
    settings: { budgets: { tokens: 40 }, maxDepth: 16 },
  });
  const turn = await (await spent).run("spend");
  expect(turn.error).toMatchObject({ code: "AGENT_BUDGET_EXHAUSTED" });
  expect((await spent).requests.length).toBeLessThanOrEqual(4);

  const controller = new AbortController();
  const stopped = world(
    (_, at) => {
      if (at === 1) controller.abort();
      return at === 0
        ? response([call("c1", "delegate", { agent: "helper", instruction: "hang" })])
        : { stream: [{ type: "response.created", response: {} }], open: true };
    },
    { tools: [delegate(() => stopped)], agents: { helper } },
  );
  const { run, reasoner } = await stopped;
  expect((await run("stop", { abortSignal: controller.signal })).status).toBe("cancelled");
  await expect.poll(async () => (await reasoner.list({ parentId: "s" }))[0]?.status).toBe("cancelled");
});

test("a child resumes its session, and only for its own parent", async () => {
  let child = "";
  const all = world(
    (request, at) => {
      if (at === 0) return response([call("c1", "delegate", { agent: "helper", instruction: "first" })]);
      if (at === 1) return response([say("did the first")]);
      if (at === 2) {
        child = (JSON.parse(outputs(request)["c1"] as string) as { child: string }).child;
        return response([call("c2", "delegate", { id: child, instruction: "second" })]);
      }
      if (at === 3) return response([say(`I know ${request.input.length} items`)]);
      if (at === 4) return response([say("both done")]);
      return at === 5
        ? response([call("c3", "delegate", { id: child, instruction: "steal" })])
        : response([say("could not")]);
    },
    { tools: [delegate(() => all)], agents: { helper } },
  );
  const { run, requests } = await all;
  expect((await run("twice")).text).toBe("both done");
  expect(outputs(requests[4])["c2"]).toContain("I know 4 items");

  await run("steal", { sessionId: "other" });
  expect(outputs(requests.at(-1))["c3"]).toMatch(/^Error: /);
});

test("a shown session hides what names a secret in its calls, and the model still reads what it wrote", async () => {
  const written = {
    type: "function_call",
    call_id: "c1",
    name: "look",
    arguments: '{"password":"hunter-2",}',
  };
  const { run, reasoner, requests } = await world([response([written]), response([say("done")])], {
    tools: [tool("look", () => 1)],
  });
  await run("look");

  const shown = JSON.stringify(await reasoner.show("s"));
  expect(shown).toContain(String.raw`{\"password\":\"[masked]\",}`);
  expect(shown).not.toContain("hunter");
  expect(JSON.stringify(requests[1]!.input)).toContain("hunter-2");
});
