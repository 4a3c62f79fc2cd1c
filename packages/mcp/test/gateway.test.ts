import { describe, expect, test } from "vitest";
import { gatewayOf, library } from "./gateway-world.ts";
import { add, connectHttp, connectStreams, eras, hostOf, remove } from "./support.ts";

const expose = ["resources", "prompts"];
const text = (value: string) => ({ type: "text", text: value });

describe.each(eras)("a client of the %s era", (era) => {
  test("has the tools, prompts, resources and completions of one server as the server has them", async () => {
    const { asked, answers } = library();
    const { host } = await gatewayOf({ library: { answers } }, { library: { expose } });
    const client = await connectStreams(host, era);

    expect(client.getServerCapabilities()).toEqual({
      tools: { listChanged: true },
      logging: {},
      resources: era === "legacy" ? { subscribe: true } : {},
      prompts: {},
      completions: {},
      ...(era === "modern"
        ? { extensions: { "io.modelcontextprotocol/tasks": {} } }
        : { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["find_library"]);
    expect((await client.callTool({ name: "find_library", arguments: { title: "Emma" } })).content).toEqual([
      text("Emma of library"),
    ]);
    expect((await client.listPrompts()).prompts).toEqual([
      { name: "review", description: "Reviews.", arguments: [{ name: "code", required: true }] },
      { name: "only_library" },
    ]);
    const got = await client.getPrompt({ name: "review", arguments: { code: "1" } });
    expect(got.messages[0]!.content).toEqual(text('review of library: {"code":"1"}'));
    expect((await client.listResources()).resources).toEqual([
      { uri: "db://library/public", name: "public" },
      { uri: "ui://card", name: "card", mimeType: "text/html" },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: "db://library/{id}", name: "row" },
    ]);
    for (const uri of ["db://library/public", "db://library/7"])
      expect((await client.readResource({ uri })).contents).toEqual([{ uri, text: `text of ${uri}` }]);
    const ref = { type: "ref/prompt" as const, name: "review" };
    const completed = await client.complete({ ref, argument: { name: "code", value: "a" } });
    expect(completed.completion).toEqual({ values: ["a of library"] });
    expect(asked.find(([method]) => method === "completion/complete")?.[1]).toMatchObject({ ref });
  });

  test("reads structured content of any kind where its revision has that", async () => {
    const { answers } = library();
    const call = () => ({ content: [text("five")], structuredContent: 5 });
    const { host } = await gatewayOf({ library: { answers: { ...answers, "tools/call": call } } }, {});
    const client = await connectStreams(host, era);

    const { content, structuredContent } = await client.callTool({ name: "find_library" });
    expect([content, structuredContent]).toEqual([[text("five")], era === "modern" ? 5 : undefined]);
  });

  test("of two servers gets each request to the server whose item it is", async () => {
    const [one, two] = [library("one"), library("two")];
    const settings = { one: { expose }, two: { expose, prefix: "two_" } };
    const { host } = await gatewayOf({ one, two }, settings);
    const client = await connectStreams(host, era);

    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      "review",
      "only_one",
      "two_review",
      "only_two",
    ]);
    const ask = async (name: string) => (await client.getPrompt({ name })).messages[0]!.content;
    expect(await ask("review")).toEqual(text("review of one: {}"));
    expect(await ask("two_review")).toEqual(text("review of two: {}"));
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "db://one/public",
      "ui://card",
      "db://two/public",
      "ui://two_/card",
    ]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read("ui://two_/card")).toEqual([{ uri: "ui://two_/card", text: "text of ui://card" }]);
    expect(await read("db://two/public")).toEqual([
      { uri: "db://two/public", text: "text of db://two/public" },
    ]);
    const complete = async (ref: object) =>
      (await client.complete({ ref: ref as never, argument: { name: "id", value: "a" } })).completion.values;
    expect(await complete({ type: "ref/prompt", name: "two_review" })).toEqual(["a of two"]);
    expect(await complete({ type: "ref/prompt", name: "only_one" })).toEqual(["a of one"]);
    expect(await complete({ type: "ref/prompt", name: "none" })).toEqual([]);
    expect(await complete({ type: "ref/resource", uri: "db://two/{id}" })).toEqual(["a of two"]);
    expect(await complete({ type: "ref/resource", uri: "db://three/{id}" })).toEqual([]);
    expect(two.asked.find(([method]) => method === "completion/complete")?.[1]).toMatchObject({
      ref: { type: "ref/prompt", name: "review" },
    });
  });

  test("reads why a prompt or a resource cannot be had", async () => {
    const { answers } = library();
    const { host } = await gatewayOf({ library: { answers } }, { library: { expose } });
    const client = await connectStreams(host, era);
    await expect(client.getPrompt({ name: "n".repeat(101) })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(`no prompt is called "${"n".repeat(100)}"`),
    });
    host.coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "it is closed" }));
    await expect(client.readResource({ uri: "db://library/public" })).rejects.toMatchObject({
      code: -32_600,
      message: expect.stringContaining("it is closed"),
      data: { "dev.toolmount/outcome": { status: "denied", code: "DENIED", runId: expect.any(String) } },
    });
  });
});

test.each<[string, string[], object]>([
  ["nothing", [], { tools: { listChanged: true }, logging: {}, resources: {} }],
  ["prompts", ["prompts"], { prompts: {}, completions: {} }],
  ["resources", ["resources"], { resources: {}, completions: {} }],
])("where the plan exposes %s, the server says so", async (_, exposed, expected) => {
  const { host } = await gatewayOf({ library: library() }, { library: { expose: exposed } });
  const capabilities = (await connectStreams(host, "modern")).getServerCapabilities()!;
  expect(capabilities).toMatchObject(expected);
  expect("prompts" in capabilities).toBe(exposed.includes("prompts"));
  expect("completions" in capabilities).toBe(exposed.length > 0);
});

test("of its resources, only user interfaces are served where the plan exposes those", async () => {
  const { host } = await gatewayOf({ library: library() }, { library: { expose: ["ui"], prefix: "x_" } });
  const client = await connectStreams(host, "modern");
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["ui://x_/card"]);
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
  await expect(client.readResource({ uri: "db://library/public" })).rejects.toMatchObject({ code: -32_602 });
  expect((await client.readResource({ uri: "ui://x_/card" })).contents).toEqual([
    { uri: "ui://x_/card", text: "text of ui://card" },
  ]);
});

test("what servers say of themselves comes before the guidance, each under its name, unless the plan says something", async () => {
  const [one, two] = [
    { ...library("one"), instructions: "Read first." },
    { ...library("two"), instructions: " " },
  ];
  const { host } = await gatewayOf({ one, two });
  const said = (await connectStreams(host, "modern")).getInstructions();
  expect(said).toMatch(/^# The MCP server "one"\n\nRead first\./);
  expect(said).not.toContain("two");
  expect((await connectStreams(host, "modern", { instructions: "Ours." })).getInstructions()).toBe("Ours.");
  for (const instructions of [null, ""])
    expect((await connectStreams(host, "modern", { instructions })).getInstructions()).toBeUndefined();
});

test("the version of a server is the same for the same tools at any host and in both eras, and another for others", async () => {
  const versionOf = async (tools: Parameters<typeof hostOf>[0], era: "legacy" | "modern") =>
    (await connectHttp(hostOf(tools), era)).getServerVersion()?.version;
  const version = await versionOf([add], "legacy");
  expect(await versionOf([add], "modern")).toBe(version);
  expect(await versionOf([add, remove], "legacy")).not.toBe(version);
});

test("a server has the name that it is given, else toolmount", async () => {
  const { host } = await gatewayOf({});
  const named = async (options: object) => (await connectHttp(host, "legacy", options)).getServerVersion();
  expect(await named({})).toEqual({ name: "toolmount", version: expect.stringMatching(/^[0-9a-f]{12}$/) });
  expect(await named({ name: "mine", version: "3" })).toEqual({ name: "mine", version: "3" });
});
