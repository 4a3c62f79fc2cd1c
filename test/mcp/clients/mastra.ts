import { MCPClient } from "@mastra/mcp";
import { readTarget, tell } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = new MCPClient({
  servers: { toolmount: stdio === undefined ? { url: new URL(url) } : { ...stdio, args: [...stdio.args] } },
});
const tools = await client.listTools();
// It puts the server's name before each tool's.
tell(
  Object.keys(tools).map((name) => name.replace(/^toolmount_/, "")),
  await tools["toolmount_add"]?.execute?.({ a: 2, b: 40 }, {} as never),
);
