import type { JSONRPCRequest } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { readingFetch, sending } from "../src/mount/reading-fetch.ts";
import { unreadableText, WireReader } from "../src/reading/reader.ts";

const json = { "content-type": "application/json" };
const call: JSONRPCRequest = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "pay" } };
const answer = JSON.stringify({ jsonrpc: "2.0", id: 7, result: {} });

/** Sends a request to a server that answers so. */
async function send(response: Response, request = call, headers: Record<string, string> = {}) {
  const reader = new WireReader(() => {});
  reader.sent(request);
  const fetchOne = readingFetch(async () => response, reader, { name: "files", maxMessageBytes: 10_000 });
  const init = { method: "POST", headers, body: JSON.stringify(request) };
  const got = await sending.run(request, () => fetchOne("http://127.0.0.1/mcp", init));
  return { status: got.status, type: got.headers.get("content-type"), text: await got.text() };
}

test.each<[string, Response]>([
  ["as JSON", new Response(answer, { headers: json })],
  ["as a text", new Response(answer, { headers: { "content-type": "text/plain" } })],
  ["without its type", new Response(Buffer.from(answer))],
  ["without an id", new Response('{"jsonrpc":"2.0","result":{}}', { headers: json })],
])("an answer %s is the answer", async (_, response) => {
  const result = { content: [], _meta: { "dev.toolmount/result": { content: [] } } };
  expect(await send(response)).toEqual({
    status: 200,
    type: "application/json",
    text: JSON.stringify({ jsonrpc: "2.0", id: 7, result }),
  });
});

test.each<[string, Response, string, string]>([
  [
    "a page",
    new Response("<html>", { headers: { "content-type": "text/html" } }),
    'text/html: "<html>"',
    "<html>",
  ],
  ["no content", new Response(null, { status: 204 }), "nothing", ""],
  ["202", new Response(null, { status: 202 }), "nothing", ""],
  ["an empty body", new Response("", { headers: json }), "nothing", ""],
  [
    "other JSON",
    new Response('{"ok":true}', { headers: json }),
    'application/json: "{\\"ok\\":true}"',
    '{"ok":true}',
  ],
])("%s ends the call, and is shown", async (_, response, problem, shown) => {
  const { status } = response;
  const { error } = JSON.parse((await send(response)).text) as { error: { message: string; data: unknown } };
  expect(error.message).toBe(
    `the MCP server "files" answered tools/call with HTTP status ${status} and ${problem}`,
  );
  expect(unreadableText(error.data)).toBe(shown);
});

test.each([
  [400, -32_000, "Bad Request: No valid session ID provided", 404],
  [400, -32_000, "Session expired", 404],
  [200, -32_600, "Session not found", 404],
  [200, -32_603, "Session not found", 200],
  [200, -32_600, "The browser has no session", 200],
  [400, -32_602, "bad arguments", 400],
])("status %i with %i %j of a session has the status %i", async (status, code, message, expected) => {
  const body = () =>
    new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }), {
      status,
      headers: json,
    });
  expect((await send(body(), call, { "mcp-session-id": "s" })).status).toBe(expected);
  expect((await send(body())).status).toBe(status);
});

test("a server may refuse the question for its revision in any way, but not the credentials", async () => {
  const discover = { ...call, method: "server/discover" };
  for (const status of [404, 500, 502])
    expect(JSON.parse((await send(new Response("no", { status }), discover)).text)).toMatchObject({
      id: 7,
      error: {},
    });
  for (const status of [401, 403])
    expect((await send(new Response("no", { status }), discover)).status).toBe(status);
  expect((await send(new Response("no", { status: 502 }))).status).toBe(502);
});
