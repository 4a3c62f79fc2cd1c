import { MCPClient } from "@mastra/mcp";
import { readTarget, report } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = new MCPClient({
  servers: { toolmount: stdio === undefined ? { url: new URL(url) } : { ...stdio, args: [...stdio.args] } },
});
const tools = await client.listTools();
// It puts the server's name before each tool's.
await report(
  Object.keys(tools).map((name) => name.replace(/^toolmount_/, "")),
  async (name, args) => tools[`toolmount_${name}`]?.execute?.(args, {} as never),
);
