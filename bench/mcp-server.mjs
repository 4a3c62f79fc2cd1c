// The server of the MCP rows: one tool, over stdio.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { inputSchema } from "./mcp-rows.mjs";

serveStdio(() => {
  const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "add", description: "Adds.", inputSchema }],
  }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: String(params.arguments.left + params.arguments.right) }],
  }));
  return server;
});
