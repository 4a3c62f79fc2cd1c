import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { silentLogger, type AuditSink } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import * as store from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { folderOf, open } from "./support/world.ts";

const extensions = {
  "@toolmount/interop": interop,
  "@toolmount/mcp": mcp,
  "@toolmount/policy": policy,
  "@toolmount/store": store,
};

const program = join(import.meta.dirname, "fixtures/conformance-server.ts");

/** A client before a plan that mounts one server twice, as `here` and as `there`. */
async function world(policyOf: object) {
  const entry = (module: string) => ({
    module,
    prefix: `${module}_`,
    source: {
      mcp: {
        command: process.execPath,
        args: [program],
        ask: ["elicitation", "sampling"],
        expose: ["prompts", "resources"],
      },
    },
  });
  const host = await open(
    {
      version: 1,
      tools: [entry("here"), entry("there")],
      state: "sqlite:./state.db",
      audit: "durable",
      policy: policyOf,
    },
    { extensions, cwd: await folderOf(), logger: silentLogger },
  );
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: { elicitation: {}, sampling: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", () => ({
    action: "accept",
    content: { username: "ada", email: "ada@example.com" },
  }));
  client.setRequestHandler("sampling/createMessage", () => ({
    model: "a model",
    role: "assistant",
    content: { type: "text", text: "four" },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  onTestFinished(() => client.close());
  const started = async () => {
    const sink = host.coordinator.get("audit-sink") as AuditSink;
    return (await sink.read()).flatMap(({ entry: one }) => (one.kind === "start" ? one.tool : []));
  };
  const waiting = async () => (await host.approvals.list()).map(({ tool }) => tool);
  return { client, started, waiting };
}

type Server = "here" | "there";

/** The address of a resource. The one of the second server has its entry's name, because both have the same. */
const addressOf = (server: Server) =>
  server === "here" ? "test://static-text" : "toolmount://resource/there/test://static-text";

/** The name of a prompt; the second one has its entry's name. */
async function promptOf(client: Client, server: Server) {
  const own = "test_prompt_with_arguments";
  const name = server === "here" ? own : `there_${own}`;
  const { prompts } = await client.listPrompts();
  if (!prompts.some((prompt) => prompt.name === name)) throw new Error(`there is no prompt ${name}`);
  return name;
}

const called = async (client: Client, name: string, args: Record<string, unknown>) =>
  JSON.stringify(await client.callTool({ name, arguments: args }));

/** One request of each kind to one of the servers. It resolves to the answer as text, or to its refusal. */
const kinds = [
  {
    kind: "resource",
    glob: "resources.read*",
    answer: "static text resource",
    make: async (client: Client, server: Server) =>
      JSON.stringify((await client.readResource({ uri: addressOf(server) })).contents),
  },
  {
    kind: "prompt",
    glob: "prompts.get*",
    answer: "one",
    make: async (client: Client, server: Server) => {
      const name = await promptOf(client, server);
      return JSON.stringify(await client.getPrompt({ name, arguments: { arg1: "one", arg2: "two" } }));
    },
  },
  {
    kind: "completion",
    glob: "completions",
    answer: '"values":["',
    make: async (client: Client, server: Server) => {
      const ref = { type: "ref/prompt" as const, name: await promptOf(client, server) };
      return JSON.stringify(await client.complete({ ref, argument: { name: "arg1", value: "" } }));
    },
  },
  {
    kind: "elicitation",
    glob: "elicitation",
    answer: "ada@example.com",
    make: (client: Client, server: Server) =>
      called(client, `${server}_test_elicitation`, { message: "Who?" }),
  },
  {
    kind: "sampling",
    glob: "sampling",
    answer: "four",
    make: (client: Client, server: Server) => called(client, `${server}_test_sampling`, { prompt: "2 + 2" }),
  },
] as const;

test.each(kinds)(
  "a rule denies each $kind of the server that it names, and no other one",
  async ({ glob, make, answer }) => {
    const rules = [{ match: { tool: `there.${glob}` }, answer: "deny" }];
    const { client, started } = await world({ rules });

    const here = await make(client, "here");
    const there = await make(client, "there").catch(String);

    expect(here).toContain(answer);
    expect(there).not.toContain(answer);
    const seen = (await started()).map((tool) => tool.split(".").slice(0, 3).join("."));
    expect(seen.filter((tool) => matches(tool, `here.${glob}`))).toHaveLength(1);
  },
);

test.each(kinds)(
  "a rule asks a person about each $kind, which does not run meanwhile",
  async ({ glob, make, answer }) => {
    const rules = [{ match: { tool: `*.${glob}` }, answer: "ask" }];
    const { client, waiting, started } = await world({ rules });

    const asked = await make(client, "here").catch(String);

    expect(asked).not.toContain(answer);
    expect((await waiting()).filter((tool) => matches(tool, `here.${glob}`))).toHaveLength(1);
    expect((await started()).filter((tool) => matches(tool, `here.${glob}`))).toEqual([]);
  },
);

test.each(kinds)("a budget counts each $kind", async ({ make, answer }) => {
  const { client } = await world({ budgets: { per: "session", calls: 7 } });
  const answers = [];
  for (let count = 0; count < 8; count++) answers.push(await make(client, "here").catch(String));

  expect(answers[0]).toContain(answer);
  expect(answers.at(-1)).not.toContain(answer);
});

test("a completion goes to the server of its prompt alone, also where two have prompts with one name", async () => {
  const { client, started } = await world({});
  const [, , completion] = kinds;

  const answer = await completion.make(client, "there");

  expect(answer).toContain("paris");
  expect((await started()).filter((tool) => tool.endsWith(".completions"))).toEqual(["there.completions"]);
});

function matches(tool: string, glob: string): boolean {
  return glob.endsWith("*") ? tool.startsWith(glob.slice(0, -1)) : tool === glob;
}
