import { setTimeout as delay } from "node:timers/promises";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { data, defineTool } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { readClientMessage } from "../src/reading/requests.ts";
import { serveHttp, serveStreams } from "../src/index.ts";
import { add, hostOf } from "./support.ts";

const call = (params: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "u", ...params },
});
const initialize = (params?: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  ...(params && { params }),
});
const unknown = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "unknown", version: "unknown" },
};
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

test.each<[string, object, object]>([
  ["without jsonrpc", { id: 1, method: "ping" }, ping],
  ["of another jsonrpc", { ...ping, jsonrpc: "1.0" }, ping],
  ["with params that are null", { ...ping, params: null }, ping],
  ["with a cursor that is null", { ...ping, params: { cursor: null } }, { ...ping, params: {} }],
  ["with a cursor that is empty", { ...ping, params: { cursor: "" } }, { ...ping, params: {} }],
  ["with arguments that are null", call({ arguments: null, _meta: null }), call({})],
  [
    "with a progress token that is null",
    call({ arguments: {}, _meta: { progressToken: null } }),
    call({ arguments: {}, _meta: {} }),
  ],
  ["with arguments as a text", call({ arguments: '{"id":5}' }), call({ arguments: { id: 5 } })],
  ["with arguments as an empty list", call({ arguments: [] }), call({})],
  ["with members that no message has", { ...call({}), extra: 1, result: {}, error: [] }, call({})],
  [
    "with a token for progress that is no token",
    call({ _meta: { progressToken: [5], a: 1 } }),
    call({ _meta: { a: 1 } }),
  ],
  ["that connects and says nothing of itself", initialize(), initialize(unknown)],
  [
    "that connects without its version",
    initialize({ clientInfo: { name: "x" } }),
    initialize({ ...unknown, clientInfo: { name: "x", version: "unknown" } }),
  ],
  [
    "that connects with odd capabilities",
    initialize({
      capabilities: {
        roots: { listChanged: "often" },
        sampling: true,
        elicitation: { form: null },
        tasks: null,
      },
      clientInfo: { name: "x", version: 1 },
    }),
    initialize({
      ...unknown,
      capabilities: { roots: {}, sampling: {}, elicitation: {} },
      clientInfo: { name: "x", version: "1" },
    }),
  ],
  [
    "that is an answer with an error that is null",
    { id: 1, result: {}, error: null },
    { jsonrpc: "2.0", id: 1, result: {} },
  ],
])("a message %s is served", (_, given, message) => {
  expect(readClientMessage(given)).toEqual({ message });
});

test.each<[string, unknown, string | number | null, number]>([
  ["an id that is null", { ...ping, id: null }, null, -32_600],
  ["an id that is an object", { ...ping, id: {} }, null, -32_600],
  ["an id that is no integer", { ...ping, id: 1.5 }, 1.5, -32_600],
  ["a method that is a number", { ...ping, method: 5 }, 1, -32_600],
  ["no method", { jsonrpc: "2.0", id: "a" }, "a", -32_600],
  ["params that are a list", { ...ping, params: [] }, 1, -32_602],
  ["a cursor that is a number", { ...ping, method: "tools/list", params: { cursor: 5 } }, 1, -32_602],
  ["no name of a tool", { ...ping, method: "tools/call", params: {} }, 1, -32_602],
  ["an unknown level", { ...ping, method: "logging/setLevel", params: { level: "all" } }, 1, -32_602],
  ["an address that is no text", { ...ping, method: "resources/read", params: { uri: ["a"] } }, 1, -32_602],
  ["arguments that are no object", call({ arguments: "5" }), 1, -32_602],
  ["an id that is too large", { ...ping, id: 1e30 }, 1e30, -32_600],
  ["no members", 5, null, -32_600],
])("a message with %s has an error at once", (_, given, id, code) => {
  expect(readClientMessage(given)).toMatchObject({ refusal: { jsonrpc: "2.0", id, error: { code } } });
});

const slow = defineTool({
  name: "slow",
  description: "Takes a moment. Use in tests.",
  schema: z.strictObject({}),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async () => (await delay(50), data("done")),
});

/** Writes lines to a host, ends its input, and returns what it wrote until it closed. */
async function session(...lines: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(hostOf([add, slow]), { input, output });
  onTestFinished(() => served.close());
  input.end([JSON.stringify(initialize()), ...lines].join("\n"));
  await served.closed;
  output.end();
  const written = (await text(output)).trim().split("\n");
  return written
    .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number }; result?: object })
    .filter(({ id }) => id !== initialize().id);
}

describe("over stdio", () => {
  test("what was asked before the end of the input is answered, the last line without an end, too", async () => {
    const asked = [2, 3].map((id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "slow" } }),
    );
    expect(await session(...asked)).toMatchObject(
      [2, 3].map((id) => ({ id, result: { content: [{ text: "done" }] } })),
    );
  });

  test.each<[string, object[]]>([
    [
      '[{"jsonrpc":"2.0","id":2,"method":"ping"},{"id":3,"method":"ping"}]',
      [
        { id: 2, result: {} },
        { id: 3, result: {} },
      ],
    ],
    ["[]", [{ id: null, error: { code: -32_600 } }]],
    ['\uFEFF{"jsonrpc":"2.0","id":2,"method":"ping"}', [{ id: 2, result: {} }]],
    ['{"jsonrpc":"2.0","id":2,"method":"ping"', [{ id: 2, error: { code: -32_700 } }]],
    ["nonsense", [{ id: null, error: { code: -32_700 } }]],
    ["  ", []],
  ])("the line %j is answered", async (line, answers) => {
    expect(await session(line)).toMatchObject(answers);
  });
});

test("over stdio, a message that is too deep to walk is refused with its id, and the session continues", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const asked = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"a":${deep}}}}`;
  expect(await session(asked, '{"jsonrpc":"2.0","id":3,"method":"ping"}')).toMatchObject([
    { id: 2, error: { code: -32_600, message: "the message is nested deeper than 1000 levels" } },
    { id: 3, result: {} },
  ]);
});

test("over HTTP, a body that is nearly right is served, and another one has an error with its id", async () => {
  const served = serveHttp(hostOf([add]));
  onTestFinished(() => served.close());
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = async (body: object) => {
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const { status, ...response } = await served
      .fetch(request)
      .then(async (got) => ({ status: got.status, text: await got.text() }));
    return [status, response.text];
  };
  expect(await post({ id: 1, method: "initialize" })).toEqual([
    200,
    expect.stringContaining('"protocolVersion":"2025-11-25"'),
  ]);
  expect(await post({ id: 7, method: 5 })).toEqual([400, expect.stringContaining('"id":7')]);
});
