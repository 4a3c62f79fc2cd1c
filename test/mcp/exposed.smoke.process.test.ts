import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { open, until } from "./support/world.ts";

const server = join(import.meta.dirname, "fixtures/conformance-server.ts");

function entry(module: string, expose: readonly string[], era = "auto") {
  return {
    module,
    prefix: `${module}_`,
    source: { mcp: { command: process.execPath, args: [server], expose, era } },
  };
}

/** A connected client, whose stream for the server's own messages is open: those sent before that are lost. */
async function connect(entries: readonly object[]): Promise<Client> {
  const host = await open({ version: 1, tools: entries });
  const client = new Client({ name: "test", version: "1.0.0" });
  let isStreaming = false;
  const answered: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method === "GET") isStreaming = response.ok;
    return response;
  };
  const url = new URL(await listen(host));
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: answered }));
  onTestFinished(() => client.close());
  await until(() => isStreaming);
  return client;
}

test("what the plan does not expose is not there", async () => {
  const client = await connect([entry("one", ["prompts"])]);

  expect(client.getServerCapabilities()).toMatchObject({ prompts: {} });
  expect((await client.listResources()).resources).toEqual([]);
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
});

test("prompts of two servers with one name differ by the entry", async () => {
  const client = await connect([entry("one", ["prompts"]), entry("two", ["prompts"])]);

  const { prompts } = await client.listPrompts();
  const { messages } = await client.getPrompt({ name: "two_test_simple_prompt" });

  expect(prompts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["test_simple_prompt", "two_test_simple_prompt"]),
  );
  expect(messages[0]?.content).toEqual({ type: "text", text: "This is a simple prompt for testing." });
});

test("a change of a resource reaches a client that has subscribed to it", async () => {
  const client = await connect([entry("one", ["resources"], "legacy")]);
  const seen: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void seen.push(params.uri),
  );

  await client.subscribeResource({ uri: "test://watched-resource" });
  await until(() => seen.length > 0);

  expect(seen).toEqual(["test://watched-resource"]);
});

test("a subscription to an address that no server has is answered, and changes nothing", async () => {
  const client = await connect([entry("one", ["resources"]), entry("two", ["resources"])]);

  await expect(client.subscribeResource({ uri: "test://elsewhere" })).resolves.toEqual({});
  await expect(client.unsubscribeResource({ uri: "test://elsewhere" })).resolves.toEqual({});
});
