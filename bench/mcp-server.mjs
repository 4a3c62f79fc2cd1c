// The server of the MCP rows, over stdio: one tool, or as many as it is started with.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { inputSchema } from "./mcp-rows.mjs";

const [count = "1"] = process.argv.slice(2);
const description = "Adds two numbers. Use when both are known.";
const tools = Array.from({ length: Number(count) }, (_, at) => ({
  name: at === 0 ? "add" : `add_${at}`,
  description,
  inputSchema,
  annotations: { readOnlyHint: true },
}));

serveStdio(() => {
  const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text", text: String(params.arguments.left + params.arguments.right) }],
  }));
  return server;
});
