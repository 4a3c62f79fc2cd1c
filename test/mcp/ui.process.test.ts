import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { open } from "./support/world.ts";

const program = join(import.meta.dirname, "fixtures/ui-server.ts");

function entry(module: string, expose: readonly string[], more: object = {}) {
  return { module, source: { mcp: { command: process.execPath, args: [program, module], expose } }, ...more };
}

async function connect(tools: readonly object[]): Promise<Client> {
  const host = await open({ version: 1, tools }, { logger: silentLogger });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  onTestFinished(() => client.close());
  return client;
}

const textOf = async (client: Client, uri: string) => (await client.readResource({ uri })).contents;

test("user interfaces of two servers with one address differ by the prefix of their names", async () => {
  const client = await connect([
    entry("one", ["ui"], { prefix: "one_" }),
    entry("two", ["resources"], { prefix: "two_" }),
  ]);

  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const one = await textOf(client, "ui://one_/chart/app.html");
  const two = await textOf(client, "ui://two_/chart/app.html");
  const { content } = await client.callTool({ name: "two_draw" });

  expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual(
    ["one", "two"].map((word) => {
      const uri = `ui://${word}_/chart/app.html`;
      return [`${word}_draw`, { ui: { resourceUri: uri, visibility: ["model"] }, "ui/resourceUri": uri }];
    }),
  );
  expect(resources.map(({ uri }) => uri)).toEqual([
    "ui://one_/chart/app.html",
    "ui://two_/chart/app.html",
    "file:///data.csv",
  ]);
  expect(one).toMatchObject([{ uri: "ui://one_/chart/app.html", text: "<p>one</p>" }]);
  expect(two).toMatchObject([{ uri: "ui://two_/chart/app.html", text: "<p>two</p>" }]);
  expect(content).toMatchObject([
    { text: "two draws: true" },
    { type: "resource_link", uri: "ui://two_/chart/app.html" },
    { type: "resource_link", uri: "file:///data.csv" },
  ]);
});

test("expose: [ui] serves no other resource", async () => {
  const client = await connect([entry("one", ["ui"])]);

  const { resources } = await client.listResources();

  expect(resources.map(({ uri }) => uri)).toEqual(["ui://chart/app.html"]);
  await expect(textOf(client, "file:///data.csv")).rejects.toThrow(/not found/i);
});

test("without a prefix the addresses stay as they are", async () => {
  const client = await connect([entry("one", ["ui"])]);

  const { tools } = await client.listTools();

  expect(tools).toMatchObject([{ _meta: { ui: { resourceUri: "ui://chart/app.html" } } }]);
  expect(await textOf(client, "ui://chart/app.html")).toMatchObject([{ text: "<p>one</p>" }]);
});

test("a tool whose user interface is not exposed is offered without it", async () => {
  const client = await connect([entry("one", [])]);

  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: "draw" });

  expect(tools.map((tool) => [tool.name, "_meta" in tool])).toEqual([["draw", false]]);
  expect(content[0]).toMatchObject({ text: "one draws: false" });
});
