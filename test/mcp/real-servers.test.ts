import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as interop from "@toolmount/interop";
import { lockPlan } from "@toolmount/loader/commands";
import * as mcp from "@toolmount/mcp";
import type { ServerStatus } from "@toolmount/mcp";
import { stringify } from "yaml";
import { expect, test } from "vitest";
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
