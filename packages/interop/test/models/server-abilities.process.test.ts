import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { askOllama, askOpenRouter } from "../../src/models/server-abilities.ts";

/** A server with one answer, and the requests that it got. */
async function server(answer: unknown, status = 200) {
  const seen: unknown[] = [];
  const made = createServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, authorization: headers.authorization, body: await text(request) });
    response.writeHead(status).end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  made.listen(0, "127.0.0.1");
  await once(made, "listening");
  onTestFinished(() => void made.close());
  return { seen, origin: `http://127.0.0.1:${(made.address() as AddressInfo).port}` };
}

test.each<[string, unknown, number, object]>([
  ["that can call tools", { capabilities: ["completion", "tools"] }, 200, { tools: true }],
  ["that cannot", { capabilities: ["completion"] }, 200, { tools: false }],
  ["of which nothing is said", {}, 200, {}],
  ["whose abilities are no list", { capabilities: "tools" }, 200, {}],
  ["that it does not know", { capabilities: ["tools"] }, 404, {}],
  ["described in another form", ["tools"], 200, {}],
  ["described by no JSON", "<html>", 200, {}],
])("Ollama is asked for a model %s", async (_, answer, status, abilities) => {
  const { seen, origin } = await server(answer, status);

  expect(await askOllama(`${origin}/v1`, "qwen3:8b", "k")).toEqual(abilities);
  expect(seen).toEqual([{ method: "POST", url: "/api/show", body: '{"model":"qwen3:8b"}' }]);
});

test.each<[string, unknown, object]>([
  [
    "one of whose endpoints takes tools",
    [{ supported_parameters: ["seed"] }, { supported_parameters: ["tools"] }],
    { tools: true },
  ],
  ["none of whose endpoints does", [{ supported_parameters: ["seed"] }], { tools: false }],
  ["whose endpoints say nothing", [{}, { supported_parameters: "tools" }], {}],
  ["without endpoints", [], {}],
  ["whose endpoints are no list", { supported_parameters: ["tools"] }, {}],
])("OpenRouter is asked for a model %s", async (_, endpoints, abilities) => {
  const { seen, origin } = await server({ data: { endpoints } });

  expect(await askOpenRouter(`${origin}/api/v1/`, "a/b", "k-1")).toEqual(abilities);
  expect(await askOpenRouter(`${origin}/api/v1`, "a/b", undefined)).toEqual(abilities);
  expect(seen).toEqual([
    { method: "GET", url: "/api/v1/models/a/b/endpoints", authorization: "Bearer k-1", body: "" },
    { method: "GET", url: "/api/v1/models/a/b/endpoints", body: "" },
  ]);
});

test.each([null, [], { data: [] }, "x"])(
  "an answer of OpenRouter in another form, %j, says nothing",
  async (answer) => {
    const { origin } = await server(answer);

    expect(await askOpenRouter(origin, "a", undefined)).toEqual({});
  },
);

test("a server that is not there says nothing", async () => {
  expect(await askOllama("http://127.0.0.1:9", "m", undefined)).toEqual({});
});
