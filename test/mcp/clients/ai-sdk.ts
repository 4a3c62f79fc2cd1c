import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { readTarget, tell } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = await createMCPClient({
  transport:
    stdio === undefined ? { type: "http", url } : new StdioMCPTransport({ ...stdio, args: [...stdio.args] }),
});
const tools = await client.tools();
tell(
  Object.keys(tools),
  await tools["add"]?.execute({ a: 2, b: 40 }, { toolCallId: "1", messages: [] } as never),
);
