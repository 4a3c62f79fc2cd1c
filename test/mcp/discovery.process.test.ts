import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { stringify } from "yaml";
import { expect, onTestFinished, test } from "vitest";
import { linkPackages } from "./support/command.ts";
import { listen } from "./support/http.ts";
import { folderOf, open, planOf, serverOf, until } from "./support/world.ts";

test.each(["legacy", "modern"] as const)(
  "one line in the plan, and a %s client sees a search and what it has activated",
  async (era) => {
    const { tools } = planOf(serverOf());
    const plan = stringify({ version: 1, tools: [{ module: "discovery" }, ...tools] });
    const folder = await folderOf({ "plan.yaml": plan });
    await linkPackages(folder);
    const url = new URL(await listen(await open(join(folder, "plan.yaml"))));
    let changes = 0;
    const mode = era === "legacy" ? era : { pin: "2026-07-28" };
    const client = new Client(
      { name: "test", version: "1.0.0" },
      {
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, onChanged: () => void changes++ } },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(url));
    onTestFinished(() => client.close());
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);

    const before = await names();
    const found = await client.callTool({ name: "tool_search", arguments: { query: "echo a text" } });
    await client.callTool({ name: "activate_tools", arguments: { tool_ids: ["echo"] } });
    await until(async () => (await names()).includes("echo"));
    const echoed = await client.callTool({ name: "echo", arguments: { text: "hi" } });

    expect(before).toEqual(["activate_tools", "tool_search"]);
    expect(JSON.stringify(found.structuredContent)).toContain('"echo"');
    expect(await names()).toEqual(["activate_tools", "echo", "tool_search"]);
    expect(echoed.content).toEqual([{ type: "text", text: "echo: hi" }]);
    // Older clients have a session of their own, which is notified. What a newer client may see depends on its authorization.
    if (era === "legacy") await until(() => changes > 0);
  },
);
