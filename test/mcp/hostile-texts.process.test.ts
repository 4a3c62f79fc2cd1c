import { createMcpHandler, Server, type CallToolResult, type Tool } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { listen, listenTo } from "./support/http.ts";
import { open, planOf } from "./support/world.ts";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const hidden = "ok\u{e0069}\u{e0067} \u001b[2Jgone \u202etxt.exe";
const shown = "ok\\u{e0069}\\u{e0067} \\u{1b}[2Jgone \\u{202e}txt.exe";

/** The address of a server with these tools, each of which answers the same. */
async function serve(tools: readonly Partial<Tool>[], result?: CallToolResult): Promise<string> {
  const all = tools.map((tool) => ({
    description: `Does what ${tool.name} says.`,
    inputSchema: { type: "object" as const },
    ...tool,
  })) as Tool[];
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "hostile", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: all }));
    server.setRequestHandler(
      "tools/call",
      ({ params: { name } }) => result ?? { content: [{ type: "text", text: name }] },
    );
    return server;
  });
  return `${await listenTo((request) => handler.fetch(request))}/mcp`;
}

const open1 = async (tools: readonly Partial<Tool>[], mcp: object = {}, result?: CallToolResult) =>
  open(planOf({ url: await serve(tools, result), ...mcp }));

test("hidden characters of a result are shown to the model, as people see them, with a warning", async () => {
  const url = await serve([{ name: "read" }], {
    content: [
      { type: "text", text: hidden },
      { type: "resource", resource: { uri: "file:///a", text: hidden } },
      { type: "resource_link", uri: "file:///b", name: hidden },
    ],
    structuredContent: { [hidden]: [hidden, 1, { deep: hidden }] },
  });
  const host = await open(planOf({ url }));
  const { result } = await host.call({ name: "read" });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  const served = await client.callTool({ name: "read", arguments: {} });
  await client.close();

  expect(result.data).toEqual({ [shown]: [shown, 1, { deep: shown }] });
  expect(result.warnings).toEqual([expect.stringContaining("people cannot see")]);
  for (const text of [JSON.stringify(result), JSON.stringify(served)]) {
    expect(text).not.toMatch(/\\u001b|[\u202e\u{e0069}]/u);
    expect(text).toContain("txt.exe");
  }
});

test("an error of a server is shown in the same way", async () => {
  const host = await open1(
    [{ name: "read" }],
    {},
    { isError: true, content: [{ type: "text", text: hidden }] },
  );

  expect((await host.call({ name: "read" })).result.error).toBe(shown);
});

test("an entry that allows hidden text gets results as the server wrote them", async () => {
  const result = { content: [{ type: "text" as const, text: hidden }] };
  const host = await open1([{ name: "read" }], { hiddenText: "allow" }, result);
  const called = await host.call({ name: "read" });

  expect(called.result.data).toBe(hidden);
  expect(called.result.warnings ?? []).toEqual([]);
});

test("a result without hidden characters, or with emoji and right-to-left words, is not changed", async () => {
  const text = "a\tb\r\n\u{1f468}\u200d\u{1f469} \u05e9\u05dc\u05d5\u05dd\u200f \u2764\ufe0f";
  const { result } = await (
    await open1([{ name: "read" }], {}, { content: [{ type: "text", text }] })
  ).call({ name: "read" });

  expect(result.data).toBe(text);
  expect(result.warnings ?? []).toEqual([]);
});

test.each([
  ["the title", { title: hidden }],
  ["the title of its annotations", { annotations: { title: hidden } }],
  ["its _meta", { _meta: { "com.example/note": [hidden] } }],
  [
    "its description, with four marks on each letter",
    {
      description: Array.from("Reads notes.", (letter) => `${letter}\u0301\u0300\u0302\u0303`).join(""),
    },
  ],
])("a tool with hidden text in %s is left out, and the others are mounted", async (_, part) => {
  const host = await open1([{ name: "bad", ...part }, { name: "good" }]);
  const [status] = (await host.coordinator.collectContributions("mcp.servers")) as {
    refused: { tool: string; problem: string }[];
  }[];

  expect(host.tools().map(({ name }) => name)).toEqual(["good"]);
  expect(status?.refused).toEqual([
    { tool: "bad", problem: expect.stringContaining("cannot be mounted") as string },
  ]);
});

test.each([[["list users", "list_users"]], [["list_users", "list users"]]])(
  "of %j, the name that need not change is kept",
  async (listed) => {
    const host = await open1(listed.map((name) => ({ name })));
    expect((await host.call({ name: "list_users" })).result.data).toBe("list_users");
  },
);

test("tools whose names differ by case, - or _ are all there, under names that differ", async () => {
  const host = await open1([{ name: "note" }, { name: "NOTE" }, { name: "my-note" }, { name: "my_note" }]);
  const names = host.tools().map(({ name }) => name);

  expect(names).toEqual(
    expect.arrayContaining([
      "NOTE",
      "my-note",
      expect.stringMatching(/^note_[0-9a-f]{6}$/),
      expect.stringMatching(/^my_note_[0-9a-f]{6}$/),
    ]),
  );
  const other = names.find((name) => name.startsWith("note_")) ?? "";
  expect((await host.call({ name: other })).result.data).toBe("note");
  expect((await host.call({ name: "NOTE" })).result.data).toBe("NOTE");
});
