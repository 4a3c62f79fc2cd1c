import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { silentLogger } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { entryOf, realServers } from "./support/real-servers.ts";
import { eraPairs, folderOf, open, until } from "./support/world.ts";

/** A host with the server whose tool runs as a task, and a client of it whose user answers forms. */
async function world(clientEra: "legacy" | "modern", era: "legacy" | "modern") {
  const folder = await folderOf({ notes: "" });
  const notes = join(folder, "notes");
  const source = {
    command: process.execPath,
    args: [join(import.meta.dirname, "fixtures/task-server.ts"), notes],
    era,
    ask: ["elicitation"],
  };
  const plan = { version: 1, tools: [{ module: "tasks", source: { mcp: source } }] };
  const host = await open(plan, { logger: silentLogger });
  const mode = clientEra === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "ada" } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(await listen(host))));
  onTestFinished(() => client.close());
  return { host, client, notes: async () => (await readFile(notes, "utf8")).trim().split("\n") };
}

test.each(eraPairs)(
  "a %s client that knows no tasks gets the result of a task of a %s server, and answers what it asks",
  async (clientEra, era) => {
    const { client } = await world(clientEra, era);

    const { tools } = await client.listTools();
    const plain = await client.callTool({ name: "report_required", arguments: { topic: "bees" } });
    const personal = await client.callTool({ name: "report_required", arguments: { topic: "personal" } });

    // In 2026 a server decides for itself, so definitions say nothing of tasks.
    const isKept = clientEra === "legacy" && era === "legacy";
    expect(tools.map(({ execution }) => execution?.taskSupport)).toEqual(
      isKept ? ["optional", "required"] : [undefined, undefined],
    );
    expect(JSON.stringify(plain)).not.toContain("related-task");
    expect(plain.content).toEqual([{ type: "text", text: "a report on bees" }]);
    expect(personal.content).toEqual([{ type: "text", text: "a report on personal for ada" }]);
  },
);

test.each(["legacy", "modern"] as const)(
  "a cancelled call cancels its task at the server (%s)",
  async (era) => {
    const { host, notes } = await world("modern", era);
    const controller = new AbortController();

    const call = host.call(
      { name: "report_required", arguments: { topic: "endless" } },
      { abortSignal: controller.signal },
    );
    await until(async () => (await notes()).includes("report_required task"));
    controller.abort();

    expect(await call).toMatchObject({ status: "cancelled" });
    await until(async () => (await notes()).includes("cancelled"));
  },
);

test("an older server gets a plain call of a tool with optional tasks", async () => {
  const { client, notes } = await world("legacy", "legacy");

  const { content } = await client.callTool({ name: "report_optional", arguments: { topic: "bees" } });

  expect(content).toEqual([{ type: "text", text: "a report on bees" }]);
  expect(await notes()).toEqual(["report_optional call"]);
});

test("a tool of the reference server that is called as a task only answers through the host", async () => {
  const everything = realServers.find(({ package: name }) => name.endsWith("server-everything"))!;
  const host = await open({ version: 1, tools: [entryOf(everything)] }, { logger: silentLogger });

  const name = `${everything.label}_simulate-research-query`;
  const outcome = await host.call({ name, arguments: { topic: "bees" } });

  expect(outcome).toMatchObject({ status: "ok" });
  expect(JSON.stringify(outcome.result.data)).toContain("Research Report: bees");
});
