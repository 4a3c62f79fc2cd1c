import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import * as interop from "@toolmount/interop";
import { lockPlan } from "@toolmount/loader/commands";
import * as mcp from "@toolmount/mcp";
import type { ServerStatus } from "@toolmount/mcp";
import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { compareTable } from "./support/compatibility.ts";
import { entryOf, packageFolder, realServers } from "./support/real-servers.ts";
import { folderOf, open } from "./support/world.ts";

test("ten published servers are mounted side by side, listed, locked and called", async () => {
  const folder = await folderOf({
    "plan.yaml": stringify({ version: 1, tools: realServers.map(entryOf) }),
  });
  const plan = join(folder, "plan.yaml");
  const { changes } = await lockPlan(plan, {
    extensions: { "@toolmount/interop": interop, "@toolmount/mcp": mcp },
    env: {},
    startTimeoutMs: 120_000,
  });
  const host = await open(plan);
  const offered = host.tools().map(({ name }) => name);

  const rows = await Promise.all(
    realServers.map(async (server) => {
      const { label, call, package: name } = server;
      const outcome = await host.call({ name: `${label}_${call.tool}`, arguments: call.arguments });
      expect(outcome, JSON.stringify(outcome)).toMatchObject({ status: server.ends });
      const { version } = JSON.parse(await readFile(join(packageFolder(name), "package.json"), "utf8")) as {
        version: string;
      };
      const tools = offered.filter((tool) => tool.startsWith(`${label}_`)).length;
      const called = server.ends === "ok" ? "answered" : "its API was away, and it said so";
      return [`\`${name}\``, version, String(tools), `\`${call.tool}\``, called];
    }),
  );
  const reported = (await host.coordinator.collectContributions("mcp.servers")) as ServerStatus[];

  // What a server says of itself is locked, too.
  const said = (await host.coordinator.collectContributions("mcp.instructions")).filter(Boolean);
  expect(changes).toHaveLength(offered.length + said.length);
  expect(reported.map(({ state, refused }) => ({ state, refused }))).toEqual(
    realServers.map(() => ({ state: "connected", refused: [] })),
  );
  await compareTable("servers", ["package", "version", "tools", "called", "outcome"], rows);
});

test("a model pays at most 2 % more for their tools than the servers' own definitions cost", async () => {
  const entries = realServers.map(entryOf);
  const [host, own] = await Promise.all([
    open({ version: 1, tools: entries }),
    Promise.all(entries.map(({ source }) => toolsOf(source.mcp))),
  ]);
  const { tools, guidance } = await host.offer();

  expect(tools).toHaveLength(own.flat().length);
  expect(guidance).toBe("");
  expect(sizeOf(tools) / sizeOf(own.flat())).toBeLessThan(1.02);
});

async function toolsOf(source: ConstructorParameters<typeof StdioClientTransport>[0]) {
  const client = new Client({ name: "test", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ ...source, stderr: "ignore" }));
  return (await client.listTools()).tools;
}

/** The length of what a model gets of tools. */
function sizeOf(
  tools: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly inputSchema: object;
  }[],
): number {
  return JSON.stringify(
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  ).length;
}
