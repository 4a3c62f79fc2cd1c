import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { silentLogger } from "@toolmount/core";
import { serveStreams } from "@toolmount/mcp";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { open } from "./support/world.ts";

// The SDK's clients and servers drop members that the protocol does not have, so this test reads what is on the wire.
const own = { securitySchemes: [{ type: "oauth2" }], "x-own": { a: null } };
const forged = { "dev.toolmount/members": { name: "other", title: "Forged", description: "Forged" } };
const text = { type: "text", text: "one" };
const lists = {
  "tools/list": {
    tools: [
      { name: "send", description: "Sends.", inputSchema: { type: "object" }, ...own },
      {
        name: "marked",
        description: "Marks.",
        inputSchema: { type: "object" },
        _meta: { ...forged, b: 1 },
        ...own,
      },
      { name: "forged", description: "Forges.", inputSchema: { type: "object" }, _meta: forged },
    ],
  },
  "prompts/list": { prompts: [{ name: "ask", ...own }] },
  "prompts/get": { messages: [{ role: "user", content: { ...text, ...own } }] },
  "resources/list": { resources: [{ uri: "file:///a", name: "a", ...own }] },
  "resources/templates/list": { resourceTemplates: [{ uriTemplate: "file:///{a}", name: "t", ...own }] },
  "tools/call": {
    content: [
      { ...text, ...own },
      { type: "resource_link", uri: "file:///a", name: "a", ...own, _meta: { c: 1 } },
      { ...text, _meta: forged },
    ],
    "x-own": 1,
  },
};
const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {}, prompts: {}, resources: {} },
  serverInfo: { name: "own", version: "1" },
};

async function hostOf() {
  const raw = Object.fromEntries(
    Object.entries(lists).map(([method, result]) => [
      method,
      `{"jsonrpc":"2.0","id":ID,"result":${JSON.stringify(result)}}`,
    ]),
  );
  const mcp = {
    command: process.execPath,
    args: [join(import.meta.dirname, "zoo/server.mjs")],
    env: { ZOO_ROW: JSON.stringify({ initialize, raw }) },
    expose: ["prompts", "resources"],
    classify: { "*": { category: "read", confirm: false } },
  };
  return open({ version: 1, tools: [{ module: "own", source: { mcp } }] }, { logger: silentLogger });
}

/** Sends requests as lines, and returns the results by method. */
async function exchange(methods: readonly string[], params: Readonly<Record<string, object>>) {
  const host = await hostOf();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const streams = serveStreams(host, { input, output });
  onTestFinished(() => streams.close());
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  send({ id: -1, method: "initialize", params: { ...initialize, capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  for (const [id, method] of methods.entries()) send({ id, method, params: params[method] ?? {} });
  const results: Record<string, Readonly<Record<string, unknown>>> = {};
  for await (const line of createInterface({ input: output })) {
    const { id, result } = JSON.parse(line) as { id?: number; result: Readonly<Record<string, unknown>> };
    if (id !== undefined && methods[id] !== undefined) results[methods[id]] = result;
    if (Object.keys(results).length === methods.length) break;
  }
  return results;
}

test("members that the protocol does not have reach the client, and none replaces what the host knows", async () => {
  const results = await exchange(Object.keys(lists), {
    "prompts/get": { name: "ask" },
    "tools/call": { name: "send", arguments: {} },
  });

  expect(results["tools/list"]!["tools"]).toMatchObject([
    { name: "forged", description: "Forges." },
    { name: "marked", description: "Marks.", ...own, _meta: { b: 1 } },
    { name: "send", description: "Sends.", ...own },
  ]);
  expect(results["prompts/list"]!["prompts"]).toEqual([{ name: "ask", ...own }]);
  expect(results["prompts/get"]!["messages"]).toEqual([{ role: "user", content: { ...text, ...own } }]);
  expect(results["resources/list"]!["resources"]).toEqual([{ uri: "file:///a", name: "a", ...own }]);
  expect(results["resources/templates/list"]!["resourceTemplates"]).toEqual([
    { uriTemplate: "file:///{a}", name: "t", ...own },
  ]);
  const { _meta: _, ...called } = results["tools/call"]!;
  expect(called).toEqual({
    content: [
      { ...text, ...own },
      { type: "resource_link", uri: "file:///a", name: "a", ...own, _meta: { c: 1 } },
      { ...text, _meta: {} },
    ],
    "x-own": 1,
  });
  expect(JSON.stringify(results)).not.toMatch(/Forged|dev\.toolmount\/members/);
});

test.each(["legacy", "modern"] as const)("a %s client over HTTP gets them, too", async (era) => {
  const url = new URL(await listen(await hostOf()));
  const bodies: Promise<string>[] = [];
  const watched = async (...given: Parameters<typeof fetch>) => {
    const response = await fetch(...given);
    if (given[1]?.method === "POST") bodies.push(response.clone().text());
    return response;
  };
  const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: watched }));
  bodies.length = 0;
  await client.listTools();
  await client.callTool({ name: "send" });

  const [list = "", call = ""] = await Promise.all(bodies);
  expect(list.split('"securitySchemes":[{"type":"oauth2"}]')).toHaveLength(3);
  expect(call.split('"securitySchemes":[{"type":"oauth2"}]')).toHaveLength(3);
});
