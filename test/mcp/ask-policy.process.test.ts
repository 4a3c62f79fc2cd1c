import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { silentLogger, type AuditSink } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import * as store from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { eraPairs, folderOf, open } from "./support/world.ts";

const extensions = {
  "@toolmount/interop": interop,
  "@toolmount/mcp": mcp,
  "@toolmount/policy": policy,
  "@toolmount/store": store,
};

/** A client whose user and model answer everything, before a plan that lets the server ask for it. */
async function world(clientEra: "legacy" | "modern", era: "legacy" | "modern", plan: object = {}) {
  const server = {
    command: process.execPath,
    args: [join(import.meta.dirname, "fixtures/conformance-server.ts")],
    era,
    ask: ["elicitation", "sampling", "roots"],
    expose: ["prompts", "resources"],
  };
  const cwd = await folderOf();
  const state = { state: "sqlite:./state.db", audit: "durable" };
  const host = await open(
    { version: 1, tools: [{ module: "upstream", source: { mcp: server } }], ...state, ...plan },
    { extensions, cwd, logger: silentLogger },
  );
  const asked: string[] = [];
  const mode = clientEra === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  );
  client.setRequestHandler("elicitation/create", () => {
    asked.push("elicitation");
    return { action: "accept", content: { username: "ada", email: "ada@example.com" } };
  });
  client.setRequestHandler("sampling/createMessage", () => {
    asked.push("sampling");
    return { model: "a model", role: "assistant", content: { type: "text", text: "four" } };
  });
  client.setRequestHandler("roots/list", () => ({ roots: [] }));
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  onTestFinished(() => client.close());
  const ask = async (tool: string, args: Record<string, unknown>) => {
    const call = client.callTool({ name: tool, arguments: args });
    const { isError, content } = await call.catch((error: unknown) => ({
      isError: true,
      content: String(error),
    }));
    return { isError: isError === true, text: JSON.stringify(content) };
  };
  const prompt = async () => {
    const { messages } = await client.getPrompt({ name: "test_input_required_result_prompt" });
    return JSON.stringify(messages);
  };
  const read = async () => {
    const { contents } = await client.readResource({ uri: "test://asked" });
    return JSON.stringify(contents);
  };
  const elicit = () => ask("test_elicitation", { message: "Who?" });
  const sample = () => ask("test_sampling", { prompt: "2 + 2" });
  const called = async () => {
    const sink = host.coordinator.get("audit-sink") as AuditSink;
    return (await sink.read()).flatMap(({ entry }) => (entry.kind === "start" ? entry.tool : []));
  };
  return { host, asked, elicit, sample, prompt, read, called, tools: () => client.listTools() };
}

test.each(eraPairs)(
  "a question to a %s client of a %s server is a call that the audit has, and no tool for models",
  async (clientEra, era) => {
    const { host, elicit, sample, called, tools } = await world(clientEra, era);

    const answers = [await elicit(), await sample()];

    expect(answers[0]).toMatchObject({ isError: false, text: expect.stringContaining("ada@example.com") });
    expect(answers[1]).toMatchObject({ isError: false, text: expect.stringContaining("four") });
    expect(await called()).toEqual([
      "test_elicitation",
      "upstream.elicitation",
      "test_sampling",
      "upstream.sampling",
    ]);
    expect((await tools()).tools.map(({ name }) => name)).not.toContain("upstream.elicitation");
    const direct = { name: "upstream.elicitation", arguments: { message: "Who?" } };
    expect(await host.call(direct)).toMatchObject({ status: "not_found" });
  },
);

test.each(eraPairs)(
  "a rule decides by name which questions of a server reach the user of a %s client (%s server)",
  async (clientEra, era) => {
    const deny = ["*.elicitation", "*.sampling"];
    const { asked, elicit, sample } = await world(clientEra, era, { policy: { deny } });

    const answers = [await elicit(), await sample()];

    expect(asked).toEqual([]);
    expect(answers[0]).toMatchObject({ isError: false, text: expect.stringContaining("action=decline") });
    expect(answers[1]).toMatchObject({
      isError: true,
      text: expect.stringContaining("the plan denies *.sampling"),
    });
  },
);

test.each(eraPairs)(
  "a question that a rule wants approved reaches the user of a %s client after the approval (%s server)",
  async (clientEra, era) => {
    const rules = [{ match: { tool: "*.elicitation", arguments: { message: "*" } }, answer: "ask" }];
    const { host, asked, elicit } = await world(clientEra, era, { policy: { rules } });

    const waiting = await elicit();
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, { decision: "approve" }, "olga");
    const approved = await elicit();

    expect(waiting.text).toContain("action=decline");
    expect(question).toMatchObject({ tool: "upstream.elicitation", arguments: { message: "Who?" } });
    expect(approved.text).toContain("ada@example.com");
    expect(asked).toEqual(["elicitation"]);
  },
);

test.each(eraPairs)(
  "a question before a prompt or a resource is a call, too: a %s client answers it, and the audit has it (%s server)",
  async (clientEra, era) => {
    const { asked, prompt, read, called } = await world(clientEra, era);

    const given = [await prompt(), await read()];

    expect(given).toEqual([expect.stringContaining("accept: ada"), expect.stringContaining("accept: ada")]);
    expect(asked).toEqual(["elicitation", "elicitation"]);
    expect((await called()).filter((tool) => !tool.endsWith("list"))).toEqual([
      "upstream.prompts.get.test_input_required_result_prompt",
      "upstream.elicitation",
      "upstream.resources.read.test___asked",
      "upstream.elicitation",
    ]);
  },
);

test.each(eraPairs)(
  "a rule binds a question before a prompt or a resource: the user of a %s client never sees it (%s server)",
  async (clientEra, era) => {
    const { asked, prompt, read } = await world(clientEra, era, { policy: { deny: ["*.elicitation"] } });

    const given = [await prompt(), await read()];

    expect(given).toEqual([expect.stringContaining("decline"), expect.stringContaining("decline")]);
    expect(asked).toEqual([]);
  },
);
