import { expect, test } from "vitest";
import { say } from "../support/exchange.ts";
import { startModel } from "../support/scripted-model.ts";
import { startServer, writeTokens } from "../support/served.ts";
import { oneTool, workspace } from "../support/workspace.ts";

/** JSON text of arguments that are nested so deep. */
const nested = (levels: number) => `{"n":${"[".repeat(levels)}${"]".repeat(levels)}}`;

const depths = [4_000, 100_000, 400_000];

/** What the scripted model answers: calls whose arguments are nested deep. */
const script = Object.fromEntries(
  depths.map((levels) => [
    `deep ${levels}`,
    [
      [{ type: "function_call", call_id: `c${levels}`, name: "noop", arguments: nested(levels) }],
      [say("It did not run.")],
    ],
  ]),
);

async function deepWorld() {
  const files = await workspace({
    "mount-plan.yaml": `version: 1
agent: { model: scripted, baseUrl: ${await startModel(script)}, apiKey: none }
tools:
  - module: ./noop.ts
policy: { level: autonomous }
`,
    "noop.ts": oneTool({ name: "noop", schema: "n: z.unknown()", body: "return data(1);" }),
  });
  return { ...files, tokens: await writeTokens() };
}

test.each(["noop", "unknown_tool"])(
  "a request with arguments of thousands of levels for %s is answered, and the server lives",
  async (tool) => {
    const world = await deepWorld();
    const server = await startServer(world, world.tokens);
    const headers = { authorization: `Bearer ${world.tokens.call}`, "content-type": "application/json" };
    for (const levels of depths)
      for (const given of [nested(levels), JSON.stringify(nested(levels))]) {
        const body = `{"tool":"${tool}","arguments":${given}}`;
        const init = { method: "POST", headers, body };
        const answer = await fetch(`${server.url}/api/v1/hosts/default/calls`, init);
        const { result } = (await answer.json()) as { result: { code: string } };
        const isText = given.startsWith('"') && tool !== "noop";
        expect([answer.status, result.code]).toEqual([200, isText ? "TOOL_NOT_FOUND" : "INVALID_ARGUMENTS"]);
      }

    expect((await server.ask("POST", "/calls", { tool: "noop", arguments: { n: 1 } })).body["status"]).toBe(
      "ok",
    );
    expect((await server.ask("GET", "/calls")).body["calls"]).toHaveLength(7);
  },
);

/** Asks an MCP server over HTTP, as a client without a library does. */
function mcpClient(url: string, token: string) {
  let session = "";
  return async (body: string): Promise<string> => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session !== "" && { "mcp-session-id": session }),
    };
    const answer = await fetch(`${url}/mcp`, { method: "POST", headers, body });
    session = answer.headers.get("mcp-session-id") ?? session;
    return answer.text();
  };
}

test("the same over MCP", async () => {
  const world = await deepWorld();
  const server = await startServer(world, world.tokens);
  const send = mcpClient(server.url, world.tokens.call);
  await send(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
  );
  await send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  for (const levels of depths) {
    const params = `{"name":"noop","arguments":${nested(levels)}}`;
    const body = `{"jsonrpc":"2.0","id":${levels},"method":"tools/call","params":${params}}`;
    expect(await send(body)).toContain("nested deeper than 64 levels");
  }
  expect(
    await send('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"noop","arguments":{"n":1}}}'),
  ).toContain('"text":"1"');
});

test("a model that writes such calls reads why they did not run, and its session stays readable after a restart", async () => {
  const world = await deepWorld();
  const first = await startServer(world, world.tokens);
  for (const levels of depths) {
    const turn = await first.ask("POST", "/turns", {
      prompt: `deep ${levels}`,
      sessionId: `s${levels}`,
      waitMs: 60_000,
    });
    expect(turn.body).toMatchObject({ status: "done", result: { text: "It did not run." } });
  }
  first.child.kill("SIGTERM");
  expect((await first.ended).code).toBe(0);

  const second = await startServer(world, world.tokens);
  expect((await second.ask("GET", "/sessions")).body["sessions"]).toHaveLength(3);
  for (const levels of depths) {
    const shown = await second.ask("GET", `/sessions/s${levels}`);
    expect([shown.status, JSON.stringify(shown.body).includes("INVALID_ARGUMENTS")]).toEqual([200, true]);
  }
});

/** Every body of the API with a hostile value in each of its places. */
const bodies = (value: string): readonly (readonly [string, string])[] => [
  ["/calls", `{"tool":${value}}`],
  ["/calls", `{"tool":"noop","id":${value},"sessionId":${value}}`],
  ["/calls", `{"tool":"noop","extra":${value}}`],
  ["/calls", value],
  ["/resume", `{"ticket":"t","clientResult":${value}}`],
  ["/resume", `{"ticket":${value}}`],
  ["/turns", `{"prompt":${value}}`],
  ["/sessions/s/resume", `{"clientResults":[{"callId":"c","result":${value}}]}`],
  ["/approvals/none", `{"decision":"approve","remember":{"scope":"rule","arguments":{"n":${value}}}}`],
  ["/why", `{"tool":"noop","arguments":{"n":${value}}}`],
];

const hostile: Readonly<Record<string, string>> = {
  "100,000 levels": "[".repeat(100_000) + "]".repeat(100_000),
  "100,000 members": `{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`).join(",")}}`,
  "900 KB of text": JSON.stringify("x".repeat(900_000)),
  "lone surrogates": String.raw`"\ud800 and \udfff"`,
  "a member named __proto__": '{"__proto__":{"polluted":true}}',
  "half of a value": "[1,",
};

test.each(Object.keys(hostile))("no place of any body ends the server: %s", async (name) => {
  const world = await deepWorld();
  const server = await startServer(world, world.tokens);
  const headers = { authorization: `Bearer ${world.tokens.ops}`, "content-type": "application/json" };
  for (const [path, body] of bodies(hostile[name]!)) {
    const init = { method: "POST", headers, body };
    const answer = await fetch(`${server.url}/api/v1/hosts/default${path}`, init);
    const text = await answer.text();
    expect([path, answer.status < 500], text.slice(0, 500)).toEqual([path, true]);
    // The model of this test repeats its prompt.
    if (path !== "/turns") expect([path, text.length < 20_000]).toEqual([path, true]);
  }
  const send = mcpClient(server.url, world.tokens.call);
  const value = hostile[name]!;
  for (const params of [
    `{"protocolVersion":"2025-06-18","capabilities":${value},"clientInfo":{"name":"t","version":"1","extra":${value}}}`,
    `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"},"_meta":{"a":${value}}}`,
  ])
    await send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`);
  for (const method of [
    "tools/list",
    "tools/call",
    "prompts/get",
    "resources/read",
    "completion/complete",
    "nothing",
  ])
    await send(
      `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"name":"noop","uri":${value},"arguments":{"n":${value}},"_meta":{"progressToken":${value}}}}`,
    );

  const alive = await server.ask("POST", "/calls", { tool: "noop", arguments: { n: 1 } });
  expect(alive.body["status"]).toBe("ok");
  expect(server.log()).not.toContain("Maximum call stack");
});
