import { Client, StreamableHTTPClientTransport, type Tool } from "@modelcontextprotocol/client";
import { silentLogger } from "@toolmount/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { entryOf, realServers } from "./support/real-servers.ts";
import { open } from "./support/world.ts";

// Clients of today refuse definitions of draft-07 (anthropics/claude-code#86142, n8n-io/n8n#36361), and the models behind them
// refuse unions at the root (makenotion/notion-mcp-server#340, anthropics/claude-code#95504).
const older = { $schema: "http://json-schema.org/draft-07/schema#", type: "object" };
const text = { type: "string" };
const tools = [
  { name: "tuple", inputSchema: { ...older, properties: { pair: { type: "array", items: [text, text] } } } },
  {
    name: "either",
    inputSchema: { ...older, anyOf: [{ properties: { a: text }, required: ["a"] }, { required: ["b"] }] },
  },
  {
    name: "other",
    inputSchema: {
      type: "object",
      $ref: "#/definitions/All",
      definitions: { All: { properties: { c: text } } },
    },
  },
  {
    name: "answers",
    inputSchema: older,
    outputSchema: { ...older, properties: { n: { type: "number" } }, required: ["n"] },
  },
];

const zoo = {
  command: process.execPath,
  args: [join(import.meta.dirname, "zoo/server.mjs")],
  env: {
    ZOO_ROW: JSON.stringify({
      tools,
      raw: { "tools/call": '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"n":1}}}' },
    }),
  },
};

/** A client before a host that mounts both servers. */
async function through(era: "legacy" | "modern"): Promise<Client> {
  const filesystem = realServers.find(({ label }) => label === "filesystem")!;
  const entries = [{ module: "zoo", source: { mcp: zoo } }, entryOf(filesystem)];
  const host = await open({ version: 1, tools: entries }, { logger: silentLogger });
  const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  return client;
}

test.each(["legacy", "modern"] as const)(
  "a %s client gets schemas of 2020-12 from servers of draft-07",
  async (era) => {
    const client = await through(era);
    const listed = (await client.listTools()).tools;
    const all = listed.flatMap(({ inputSchema, outputSchema = {} }): object[] => [inputSchema, outputSchema]);

    expect(listed.length).toBeGreaterThan(10);
    for (const schema of all) {
      expect(schema).not.toHaveProperty("$schema");
      expect(new Ajv2020({ strict: false }).validateSchema(schema)).toBe(true);
    }
    // The official client refuses an output schema of draft-07 when the tool is called.
    expect(await client.callTool({ name: "answers" })).toMatchObject({ structuredContent: { n: 1 } });
  },
);

test("a validator of 2020-12 alone, as some clients have, refuses what the server lists", () => {
  expect(() => new Ajv2020().compile(older)).toThrow("no schema with key or ref");
});

test("before 2026, no schema of arguments has a union or a reference at its root; the host checks the whole", async () => {
  const [client, modern] = [await through("legacy"), await through("modern")];
  const schemaOf = (list: readonly Tool[], name: string) =>
    list.find((tool) => tool.name === name)!.inputSchema;
  const listed = (await client.listTools()).tools;

  for (const { inputSchema } of listed)
    for (const keyword of ["anyOf", "oneOf", "allOf", "$ref"])
      expect(inputSchema).not.toHaveProperty(keyword);
  expect(schemaOf(listed, "either")).toMatchObject({
    type: "object",
    properties: { a: text },
    description:
      'The arguments also have to fit {"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"required":["b"]}]}',
  });
  expect(schemaOf(listed, "other")).toMatchObject({ type: "object", properties: { c: text } });
  expect(schemaOf((await modern.listTools()).tools, "either")).toHaveProperty("anyOf");
  expect(await client.callTool({ name: "either", arguments: { c: "x" } })).toMatchObject({ isError: true });
  expect(await client.callTool({ name: "either", arguments: { a: "x" } })).not.toHaveProperty("isError");
});
