import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { readTarget, tell } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = new MultiServerMCPClient({
  mcpServers: {
    toolmount:
      stdio === undefined
        ? { transport: "http", url }
        : { transport: "stdio", command: stdio.command, args: [...stdio.args], cwd: stdio.cwd },
  },
});
const tools = await client.getTools();
tell(
  tools.map(({ name }) => name),
  await tools.find(({ name }) => name === "add")?.invoke({ a: 2, b: 40 }),
);
