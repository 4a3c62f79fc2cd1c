import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { readTarget, report } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = await createMCPClient({
  transport:
    stdio === undefined ? { type: "http", url } : new StdioMCPTransport({ ...stdio, args: [...stdio.args] }),
});
const tools = await client.tools();
await report(Object.keys(tools), async (name, args) =>
  tools[name]?.execute(args, { toolCallId: "1", messages: [] } as never),
);
