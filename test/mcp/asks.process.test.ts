import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { silentLogger } from "@toolmount/core";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { eraPairs, open } from "./support/world.ts";

const server = {
  command: process.execPath,
  args: [join(import.meta.dirname, "fixtures/conformance-server.ts")],
};

const asking = join(import.meta.dirname, "fixtures/asking-server.mjs");

/** A client in front of a host that mounts one server; its user answers every form. */
async function connect(
  clientEra: "legacy" | "modern",
  source: object,
  asked: string[] = [],
  capabilities: object = { elicitation: {}, sampling: {} },
): Promise<Client> {
  const host = await open(
    { version: 1, tools: [{ module: "upstream", source: { mcp: { ...server, ...source } } }] },
    { logger: silentLogger },
  );
  const mode = clientEra === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { username: "ada", email: "ada@example.com" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  onTestFinished(() => client.close());
  return client;
}

test.each(eraPairs)(
  "a %s client answers the question of a %s server, where the plan lets the server ask",
  async (clientEra, era) => {
    const client = await connect(clientEra, { era, ask: ["elicitation"] });

    const { content } = await client.callTool({ name: "test_elicitation", arguments: { message: "Who?" } });

    const text = 'User response: action=accept, content={"username":"ada","email":"ada@example.com"}';
    expect(content).toEqual([{ type: "text", text }]);
  },
);

test("a server that asks again after each answer ends with 16 rounds, and the call says so", async () => {
  const asked: string[] = [];
  const args = [join(import.meta.dirname, "fixtures/endless-server.ts")];
  const client = await connect("legacy", { args, era: "modern", ask: ["elicitation"] }, asked);

  const outcome = await client.callTool({ name: "ask_again", arguments: {} });

  expect(outcome.isError).toBe(true);
  expect(JSON.stringify(outcome.content)).toContain("the server asked more than 16 times");
  expect(asked).toHaveLength(16);
});

test.each(eraPairs)(
  "a person before a %s client sees the hidden characters in a question of a %s server",
  async (clientEra, era) => {
    const asked: string[] = [];
    const client = await connect(clientEra, { era, ask: ["elicitation"] }, asked);

    await client.callTool({ name: "test_elicitation", arguments: { message: "Send to\u202eadb@" } });

    expect(asked).toEqual(["Send to\\u{202e}adb@"]);
  },
);

test.each(eraPairs)(
  "a %s client is not asked by a %s server whose plan does not allow it: the call fails",
  async (clientEra, era) => {
    const client = await connect(clientEra, { era, ask: ["sampling"] });

    const call = client.callTool({ name: "test_elicitation", arguments: { message: "Who?" } });
    const outcome = await call.catch((error: unknown) => ({ isError: true, content: [String(error)] }));

    expect(outcome.isError).toBe(true);
    expect(JSON.stringify(outcome.content)).not.toContain("ada");
  },
);

// A server from before 2026 does not say which of these calls asks.
test.each(["legacy", "modern"] as const)(
  "a %s client that makes many calls at once answers each question, and no call loses its result",
  async (era) => {
    const client = await connect(era, { args: [asking], ask: ["elicitation"] });
    client.setRequestHandler("elicitation/create", async ({ params: { message } }) => {
      await delay(message.length * 20); // later questions are answered first
      return { action: "accept", content: { said: message.toUpperCase() } };
    });
    const calls = ["ask: one, two, three", "quick", "ask: one, two", "quick", "ask: one", "quick", "quick"];
    const made = calls.map((message) =>
      client.callTool({ name: message.split(":", 1)[0]!, arguments: { message } }),
    );

    expect((await Promise.all(made)).map(({ content }) => content)).toEqual(
      calls.map((message) => {
        const text = message === "quick" ? message : `${message} ${message.toUpperCase()}`;
        return [{ type: "text", text }];
      }),
    );
  },
);

test.each(["legacy", "modern"] as const)(
  "a server hears at once that a %s client cannot answer its question, and its tool continues",
  async (era) => {
    const source = { args: [asking], ask: ["elicitation", "sampling"] };
    const client = await connect(era, source, [], { elicitation: {} });
    const { content } = await client.callTool({ name: "sample", arguments: { message: "hi" } });

    expect(content).toEqual([
      { type: "text", text: "the client in front does not support sampling/createMessage" },
    ]);
  },
);

test.each(["legacy", "modern"] as const)(
  "a form with an optional value of Python reaches a %s client in the words of the protocol",
  async (era) => {
    const client = await connect(era, { args: [asking], ask: ["elicitation"] });
    const forms: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      forms.push("requestedSchema" in params && params.requestedSchema);
      return { action: "accept", content: { said: "yes" } };
    });
    const said = { anyOf: [{ type: "string" }, { type: "null" }], title: "Said", default: null };
    const form = { type: "object", title: "Answer", properties: { said }, required: ["said"] };
    const { content } = await client.callTool({ name: "ask", arguments: { message: "Well?", form } });

    expect(content).toEqual([{ type: "text", text: "Well? yes" }]);
    expect(forms).toMatchObject([{ properties: { said: { type: "string", title: "Said" } }, required: [] }]);
  },
);
