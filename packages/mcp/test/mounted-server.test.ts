import { createHost } from "@toolmount/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { config } from "../src/mount/config.ts";
import { connect, mount, mountLimitMs } from "../src/mount/mount.ts";
import { ServedSession } from "../src/serve/served-session.ts";
import { gatewayOf, library } from "./gateway-world.ts";
import { connectStreams } from "./support.ts";

const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}. Use in tests.`,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  ...more,
});

/** A server whose list of tools a test changes. */
function changing(...tools: object[]) {
  const list = { tools };
  const asked = { "tools/list": 0, "tools/call": 0 };
  const answers = {
    "tools/list": () => (asked["tools/list"]++, { tools: list.tools }),
    "tools/call": ({ name }: { name: string }) => (
      asked["tools/call"]++,
      { content: [{ type: "text", text: `${name} ran` }] }
    ),
  };
  const count = (method: keyof typeof asked) => asked[method];
  return { list, count, upstream: { answers, capabilities: { tools: { listChanged: true } } } };
}

const away = { code: "MCP_SERVER_UNAVAILABLE", message: expect.stringContaining('"gone" cannot be reached') };

describe("the tools of a server", () => {
  test("are mounted but those that cannot be, which its status names", async () => {
    const { upstream } = changing(
      tool("a"),
      tool("a"),
      tool("b", { description: "Hi\u202eding. Use in tests." }),
      tool("c", { title: "Hi\u202eding" }),
      tool("d"),
    );
    const { tools, statuses, lines } = await gatewayOf({ one: upstream });
    expect(tools()).toEqual(["a", "d"]);
    const { refused, ...status } = (await statuses())[0]!;
    expect(status).toEqual({
      name: "one",
      state: "connected",
      connections: 1,
      protocol: "2026-07-28",
      server: "one 1.0.0",
    });
    expect(refused.map((one) => one.tool)).toEqual(["a", "b", "c"]);
    expect(refused[0]!.problem).toBe("the server lists two tools of this name");
    expect(refused[2]!.problem).toContain("\\u{202e}");
    const warnings = lines.filter(([level]) => level === "warn");
    expect(warnings.map(([, fields, words]) => [fields, words])).toEqual([
      [{ tool: "b", err: expect.anything() }, "a tool of an MCP server was left out"],
      [{ tool: "c", err: expect.anything() }, "a tool of an MCP server was left out"],
    ]);
  });

  test("with hidden characters are mounted where the plan allows them", async () => {
    const { upstream } = changing(tool("c", { title: "Hi\u202eding" }));
    expect((await gatewayOf({ one: upstream }, { one: { hiddenText: "allow" } })).tools()).toEqual(["c"]);
  });

  test("are others when the server says so, and the host's users learn it once", async () => {
    const { upstream, list } = changing(tool("a"), tool("b"), tool("c"));
    const { host, handlers, tools, lines, statuses } = await gatewayOf({ one: upstream });
    const changes: unknown[] = [];
    host.coordinator.hooks.observe("mcp:changed", (_, data) => void changes.push(data));
    list.tools = [tool("a"), tool("b", { description: "Does more. Use in tests." }), tool("d"), tool("d")];
    handlers.get("one.test")!.notify.toolsChanged();
    await vi.waitUntil(() => changes.length > 0, 60_000);
    expect(tools()).toEqual(["a", "b", "d"]);
    expect(changes).toEqual([expect.objectContaining({ server: "one" })]);
    expect(lines.filter(([level]) => level === "info")).toEqual([
      ["info", { server: "one", gone: 2, fresh: 3 }, "an MCP server changed its tools"],
    ]);
    expect((await statuses())[0]!.refused).toEqual([
      { tool: "d", problem: "the server lists two tools of this name" },
    ]);
  });

  test("that are the same as before change nothing", async () => {
    const { upstream, count } = changing(tool("a"));
    const { host, handlers, lines } = await gatewayOf({ one: upstream });
    const changes: unknown[] = [];
    host.coordinator.hooks.observe("mcp:changed", (_, data) => void changes.push(data));
    handlers.get("one.test")!.notify.toolsChanged();
    await vi.waitUntil(() => count("tools/list") === 2, 60_000);
    await new Promise(setImmediate);
    expect([changes, lines]).toEqual([[], []]);
  });
});

describe("a server that cannot be reached", () => {
  test("keeps a plan that needs it from being mounted", async () => {
    await expect(gatewayOf({}, { gone: { era: "legacy" } })).rejects.toMatchObject(away);
  });

  test("is asked again where the plan does not need it, and its tools come when it answers", async () => {
    const { upstream } = changing(tool("a"));
    let isAway = true;
    const { host, tools, statuses } = await gatewayOf(
      { gone: upstream },
      { gone: { era: "legacy", required: false } },
      () => isAway,
    );
    const waits = () => (host.coordinator.getCapability("mount.waits:gone") as () => { error?: Error })();
    expect([tools(), waits()]).toEqual([[], { error: expect.objectContaining(away) }]);
    await vi.waitUntil(async () => (await statuses())[0]!.state === "down", 60_000);
    expect(await statuses()).toEqual([
      { name: "gone", state: "down", cause: "fetch failed: no such server", connections: 0, refused: [] },
    ]);
    isAway = false;
    await vi.waitUntil(() => tools().length > 0, 60_000);
    expect([tools(), waits()]).toEqual([["a"], undefined]);
    expect((host.coordinator.getCapability("status.report:gone") as () => object)()).toMatchObject({
      state: "connected",
      connections: 1,
    });
  });
});

describe("a server whose tools the lock file has", () => {
  const locked = (definitions: unknown) => ({ "lock.definitions": () => definitions });

  test("is started by the first call, or with the host", async () => {
    const { upstream, count } = changing(tool("a"));
    const { host, statuses, tools } = await gatewayOf({ one: upstream }, {}, undefined, locked([tool("a")]));
    expect([tools(), (await statuses())[0]!.state, count("tools/list")]).toEqual([["a"], "asleep", 0]);
    const { result } = await host.call({ name: "a", arguments: {} });
    expect([result.data, count("tools/list")]).toEqual(["a ran", 1]);

    const other = changing(tool("a"));
    const settings = { one: { wake: "start" } };
    const early = await gatewayOf({ one: other.upstream }, settings, undefined, locked([tool("a")]));
    await vi.waitUntil(() => other.count("tools/list") === 1, 60_000);
    expect(early.tools()).toEqual(["a"]);
  });

  test("is compared before its first call, and a tool that is another by now does not run", async () => {
    const { upstream, count } = changing(tool("a", { description: "Does harm. Use in tests." }));
    const { host } = await gatewayOf({ one: upstream }, {}, undefined, locked([tool("a")]));
    const { result } = await host.call({ name: "a", arguments: {} });
    expect(result).toMatchObject({
      code: "MCP_TOOL_CHANGED",
      error:
        'the MCP server "one" describes "a" otherwise than the lock file; compare with: toolmount lock --check',
    });
    expect(count("tools/call")).toBe(0);
  });

  test.each([{ title: "Another" }, { _meta: { a: 1 } }, { icons: [{ src: "x:y" }] }, { "x-own": 1 }])(
    "runs a tool that the lock file accepts, with %j since",
    async (more) => {
      const { upstream, count } = changing(tool("a", more));
      const { host } = await gatewayOf({ one: upstream }, {}, undefined, locked([tool("a")]));
      expect((await host.call({ name: "a", arguments: {} })).result.data).toBe("a ran");
      expect(count("tools/call")).toBe(1);
    },
  );

  test("has the title, icons and _meta that were accepted in front of clients, and the status says what differs", async () => {
    const shown = {
      title: "Deletes",
      annotations: { title: "Deletes", readOnlyHint: true },
      _meta: { a: 1 },
    };
    const now = {
      title: "Looks",
      annotations: { title: "Looks", readOnlyHint: true },
      icons: [{ src: "x:y" }],
    };
    const { upstream } = changing(tool("a", now));
    const accepted = locked([tool("a", shown)]);
    const { host, statuses } = await gatewayOf(
      { one: upstream },
      { one: { wake: "start" } },
      undefined,
      accepted,
    );
    const client = await connectStreams(host, "modern");
    await vi.waitUntil(async () => (await statuses())[0]!.oddities !== undefined, 60_000);

    expect((await client.listTools()).tools).toMatchObject([shown]);
    expect((await client.listTools()).tools[0]).not.toHaveProperty("icons");
    expect((await statuses())[0]!.oddities).toEqual([
      'tool "a": title and icons and _meta differ from the lock file, and clients see what was accepted; toolmount lock --accept takes the new ones',
    ]);
    await host.close();
  });

  test.each([
    ["nothing", undefined],
    ["no list", { a: 1 }],
    ["no names", [{ inputSchema: { type: "object" } }]],
    ["schemas of other types", [tool("a", { inputSchema: { type: "array" } })]],
  ])("is asked where the lock file has %s", async (_, definitions) => {
    const { upstream, count } = changing(tool("a"));
    const { tools } = await gatewayOf({ one: upstream }, {}, undefined, locked(definitions));
    expect([tools(), count("tools/list")]).toEqual([["a"], 1]);
  });
});

describe("the connections of a server", () => {
  const callTwice = async (instance: string, contexts: readonly object[]) => {
    const { upstream, count } = changing(tool("a"));
    const { host, statuses } = await gatewayOf({ one: upstream }, { one: { instance } });
    const results = [];
    for (const context of contexts) results.push((await host.call({ name: "a" }, context)).result);
    return { results, lists: count("tools/list"), status: (await statuses())[0]! };
  };

  test.each([
    ["shared", 1, "connected"],
    ["session", 3, "asleep"],
    ["call", 4, "asleep"],
  ])(
    "are %s: two calls of one session and one of another list its tools %i times",
    async (instance, lists, state) => {
      const contexts = [{ sessionId: "s" }, { sessionId: "s" }, { sessionId: "t" }];
      const found = await callTwice(instance, contexts);
      expect(found.results.map(({ data }) => data)).toEqual(["a ran", "a ran", "a ran"]);
      expect([found.lists, found.status.state]).toEqual([lists, state]);
      expect(found.status).not.toHaveProperty("users");
    },
  );

  test("are of users, and a call without a user has none", async () => {
    const contexts = [{ userId: "ana" }, {}, { userId: "ana" }, { userId: "bo" }];
    const { results, lists, status } = await callTwice("user", contexts);
    expect(results.map(({ data, code }) => data ?? code)).toEqual(["a ran", "MCP_NO_USER", "a ran", "a ran"]);
    expect(lists).toBe(3);
    expect(status.users).toEqual([
      { user: "ana", state: "connected" },
      { user: "bo", state: "connected" },
    ]);
  });
});

test("other modules of the plan find what a server has", async () => {
  const { answers } = library();
  const { host, tools } = await gatewayOf(
    { library: { answers, instructions: "Read." } },
    { library: { expose: ["prompts"], skills: false } },
  );
  const { coordinator } = host;
  const of = async (channel: string) => (await coordinator.collectContributions(channel)) as never[];
  const [probe] = (await of("mcp.servers.probe")) as (() => Promise<object>)[];
  expect(await probe!()).toMatchObject({ name: "library", state: "connected" });
  const [kept] = (await of("lock.definitions")) as { module: string; definitions: { name: string }[] }[];
  expect(kept!.module).toBe("library");
  expect(kept!.definitions.map(({ name }) => name)).toEqual([
    "find_library",
    "library.prompts.get.review",
    "library.prompts.get.only_library",
    "library.instructions",
  ]);
  expect(tools()).toContain("find_library");
  const said = { name: "library.instructions", arguments: {}, isInternal: true as const };
  expect((await new ServedSession(host, "s").call(said, {})).result.data).toBe("Read.");
  expect(await of("observability.events")).toEqual([["mcp:changed", "mcp:resource_updated"]]);
});

test("a server needs a compiler of schemas before it is started", async () => {
  const host = createHost();
  onTestFinished(async () => void (await host.close()));
  const settings = config.parse({ name: "one", command: "/no/such/program" });
  const missing = {
    code: "EXTENSION_MISSING",
    details: {
      what: "the JSON Schema of an MCP server's tools",
      module: "@toolmount/interop",
      install: "npm install @toolmount/interop",
    },
  };
  expect(() => connect(host.coordinator, settings)).toThrow(expect.objectContaining(missing));
  await expect(mount(host.coordinator, settings)).rejects.toMatchObject(missing);
  expect(mountLimitMs({ ...settings, startTimeoutMs: 5 })).toBe(10_005);
});
