import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import * as store from "@toolmount/store";
import * as program from "@toolmount/tool-program";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./support/http.ts";
import { entryOf, realServers } from "./support/real-servers.ts";
import { folderOf, open } from "./support/world.ts";

const extensions = {
  "@toolmount/interop": interop,
  "@toolmount/mcp": mcp,
  "@toolmount/policy": policy,
  "@toolmount/store": store,
  "@toolmount/tool-program": program,
};

const source = `
const names = ["ada", "bob", "eve"];
const said = await Promise.all(names.map((message) => tools.everything_echo({ message })));
await tools.memory_create_entities({
  entities: names.map((name) => ({ name, entityType: "person", observations: ["was greeted"] })),
});
const graph = await tools.memory_read_graph();
await tools.filesystem_write_file({ path: "greeted.txt", content: names.join(" ") });
return { said: said.length, people: (graph.entities ?? JSON.parse(graph).entities).length };
`;

/** A gateway over three published servers, whose files are written only when the client's user says so. */
async function connect(era: "legacy" | "modern") {
  const folder = await folderOf();
  const servers = realServers.filter(({ label }) => ["everything", "filesystem", "memory"].includes(label));
  const plan = {
    version: 1,
    tools: [...servers.map(entryOf), { module: "program" }],
    policy: { allow: ["*"], ask: ["filesystem_write_file"] },
    state: "sqlite::memory:",
  };
  const host = await open(await planIn(folder, plan), { logger: silentLogger, extensions, env: {} });
  const url = await listen(host, { approvals: { elicitation: true } });
  const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
  );
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { decision: "approve" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return { client, asked, folder };
}

async function planIn(folder: string, plan: object): Promise<string> {
  await writeFile(join(folder, "plan.yaml"), stringify(plan));
  return join(folder, "plan.yaml");
}

test.each(["legacy", "modern"] as const)(
  "a %s client runs a program over three published servers, and its user is asked in the middle",
  async (era) => {
    const { client, asked, folder } = await connect(era);

    const result = await client.callTool({ name: "run_program", arguments: { source } });

    expect(result.structuredContent).toMatchObject({ result: { said: 3, people: 3 }, calls: 6 });
    expect(await readFile(join(folder, "greeted.txt"), "utf8")).toBe("ada bob eve");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(
      'Program: line 8 of run_program, after 5 calls: await tools.filesystem_write_file({ path: "greeted.txt"',
    );
  },
);
