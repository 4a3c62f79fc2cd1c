import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createHost, data, silentLogger } from "@toolmount/core";
import { outcomeMetaKey } from "@toolmount/mcp";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { listen } from "./support/http.ts";
import { nodeFlags } from "./support/command.ts";
import { open } from "./support/world.ts";

const server = (...words: string[]) => ({
  command: process.execPath,
  args: [...nodeFlags, join(import.meta.dirname, "fixtures/odd-results-server.ts"), ...words],
});

const eras = ["legacy", "modern"] as const;
type Era = (typeof eras)[number];

async function connect(era: Era, transport: ConstructorParameters<typeof StdioClientTransport>[0] | URL) {
  const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
  await client.connect(
    transport instanceof URL
      ? new StreamableHTTPClientTransport(transport)
      : new StdioClientTransport(transport),
  );
  onTestFinished(() => client.close());
  return client;
}

/** A client before a host that mounts servers. */
async function through(era: Era, source: object, plan: object = {}, others: readonly object[] = []) {
  const tools = [{ module: "odd", source: { mcp: { ...server(), ...source } } }, ...others];
  const host = await open({ version: 1, tools, ...plan }, { logger: silentLogger });
  const url = await listen(host);
  return { host, url, client: await connect(era, new URL(url)) };
}

/** What the host itself adds to a result. */
function withoutOwn({ _meta = {}, ...result }: CallToolResult): object {
  const { [outcomeMetaKey]: _, ...others } = _meta;
  const kept = Object.fromEntries(
    Object.entries(others).filter(([key]) => !key.startsWith("io.modelcontextprotocol/")),
  );
  return { ...result, ...(Object.keys(kept).length > 0 && { _meta: kept }) };
}

const pairs = eras.flatMap((client) => eras.map((upstream) => [client, upstream] as const));

test.each(pairs)(
  "a %s client reads of a %s server what it reads without the gateway",
  async (era, upstream) => {
    const direct = await connect(upstream, server());
    const { client } = await through(era, { era: upstream });
    const { tools } = await direct.listTools();
    for (const { name } of tools.filter(
      (tool) => !["wait", "ask", "many_rows", "rows_only"].includes(tool.name),
    )) {
      const wanted = withoutOwn(await direct.callTool({ name }));
      const { content, structuredContent } = wanted as CallToolResult;
      const isBlank = content.length === 0;
      // A model gets the data as a text, where a server has none for it.
      const text = isBlank ? { content: [{ type: "text", text: JSON.stringify(structuredContent) }] } : {};
      expect({ name, ...withoutOwn(await client.callTool({ name })) }).toEqual({
        name,
        ...wanted,
        ...(name === "failed_without_text" && {
          content: [
            { type: "text", text: "the MCP server reported an error without a text" },
            ...(wanted as CallToolResult).content,
          ],
        }),
        ...text,
      });
    }
  },
);

test.each(["many_rows", "rows_only"])(
  "data of %s beyond the limit arrives whole, and its text can be read on",
  async (name) => {
    const direct = await connect("legacy", server());
    const wanted = await direct.callTool({ name });
    for (const era of eras) {
      const { client } = await through(era, {});
      await client.listTools();
      const result = await client.callTool({ name });

      expect(result.structuredContent).toEqual(wanted.structuredContent);
      expect(result.isError ?? false).toBe(false);
      const [text, link] = [result.content[0]!, result.content.at(-1)!];
      expect(text.type === "text" && text.text.length < 300_000).toBe(true);
      if (link.type !== "resource_link") throw new Error(`no link: ${JSON.stringify(link).slice(0, 200)}`);
      const { contents } = await client.readResource({ uri: link.uri });
      expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(wanted.structuredContent);
    }
  },
);

test("a client cannot read an output whose address it was not given", async () => {
  const { client } = await through("legacy", {});
  await expect(client.readResource({ uri: "toolmount://output/out_00" })).rejects.toThrow(/not found/i);
});

test.each(eras)("a %s client reads what servers say of themselves, through two gateways too", async (era) => {
  const { client, url } = await through(era, {});
  expect(client.getInstructions()).toBe(
    '# The MCP server "odd"\n\nCall failed_step last.\nIt needs a button.',
  );
  const second = await open(
    { version: 1, tools: [{ module: "first", source: { mcp: { url } } }] },
    { logger: silentLogger },
  );
  const far = await connect(era, new URL(await listen(second)));
  expect(far.getInstructions()).toContain("Call failed_step last.");
  const direct = withoutOwn(await client.callTool({ name: "failed_step" }));
  expect(withoutOwn(await far.callTool({ name: "failed_step" }))).toEqual(direct);
});

test("resources of two servers with one address stay apart", async () => {
  const other = {
    module: "other",
    source: { mcp: { ...server("two"), expose: ["resources"] } },
    prefix: "b_",
  };
  const { client } = await through("legacy", { expose: ["resources"] }, {}, [other]);
  const { resources } = await client.listResources();
  expect(resources.map(({ name, uri }) => [name, uri])).toEqual([
    ["note of one", "note://1"],
    ["note of two", "toolmount://resource/other/note%3A%2F%2F1"],
  ]);
  for (const { uri, name } of resources)
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, text: name.replace("note", "text") },
    ]);
});

test("a name that models do not take is short for clients, and stays the same", async () => {
  const long = `${"search_".repeat(12)}all`;
  const host = createHost();
  const plain = z.strictObject({ region: z.string() });
  for (const name of [long, `${long}x`, "short"])
    host.coordinator.mount("tools", { ...look, schema: plain, name, execute: () => data(`this is ${name}`) });
  const seen = [];
  for (const era of eras) {
    const client = await connect(era, new URL(await listen(host)));
    const { tools } = await client.listTools();
    seen.push(tools.map(({ name }) => name));
    for (const { name } of tools) {
      const { content } = await client.callTool({ name, arguments: { region: "eu" } });
      expect([content[0], name.length <= 64]).toMatchObject([
        { text: expect.stringContaining(name.slice(0, 57)) },
        true,
      ]);
    }
    const { content } = await client.callTool({ name: long, arguments: { region: "eu" } });
    expect(content).toEqual([{ type: "text", text: `this is ${long}` }]);
  }
  expect(new Set(seen[0])).toHaveProperty("size", 3);
  expect(seen[0]).toEqual(seen[1]);
});

/** A tool whose argument clients mirror into a header. */
const look = {
  name: "look",
  description: "Looks at a region.",
  category: "read" as const,
  requiresConfirmation: false,
  schema: z.strictObject({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
  execute: (params: object) => data(JSON.stringify(params)),
};

test.each([
  ["agree", { "mcp-param-region": "eu" }, 200],
  ["differ", { "mcp-param-region": "us" }, 400],
  ["are not there", {}, 400],
])("over HTTP, headers of arguments that %s", async (_, headers, status) => {
  const host = createHost();
  host.coordinator.mount("tools", look);
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "look",
      arguments: { region: "eu" },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };
  const answer = await fetch(await listen(host), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "look",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect([answer.status, text.includes("-32020")]).toEqual([status, status === 400]);
});

test.each(["legacy", "modern"] as const)(
  "a %s client's arguments reach a 2026 server as headers, too",
  async (era) => {
    const upstream = createHost();
    upstream.coordinator.mount("tools", look);
    const url = await listen(upstream);
    const host = await open(
      {
        version: 1,
        tools: [
          {
            module: "far",
            source: {
              mcp: {
                url,
                era: "modern",
                ask: ["elicitation"],
              },
            },
          },
        ],
      },
      { logger: silentLogger },
    );
    const client = await connect(era, new URL(await listen(host)));
    const { content } = await client.callTool({ name: "look", arguments: { region: "eu" } });
    expect(content).toEqual([{ type: "text", text: '{"region":"eu"}' }]);
  },
);

test("a client whose calls run side by side is asked by each of them", async () => {
  const { client } = await through("legacy", { era: "legacy", ask: ["elicitation"] });
  const waits = client.callTool({ name: "wait" });
  const { content } = await client.callTool({ name: "ask" });
  expect(content).toEqual([{ type: "text", text: "decline" }]);
  await waits;
});
