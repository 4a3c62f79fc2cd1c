import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { readTarget, report } from "./target.ts";

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
await report(
  tools.map(({ name }) => name),
  async (name, args) => tools.find((tool) => tool.name === name)?.invoke(args),
);
