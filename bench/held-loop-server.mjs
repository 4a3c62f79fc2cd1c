// A server of bad will over MCP, for held-loop.mjs: wide results, and progress without end.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => {
  const server = new Server({ name: "flood", version: "1.0.0" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object", properties: { act: { type: "string" }, count: { type: "integer" } } };
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "flood", description: "Floods its client. Use in benches.", inputSchema }],
  }));
  server.setRequestHandler("tools/call", async ({ params: { arguments: given, _meta } }) => {
    const { act, count } = given;
    if (act === "keys")
      return {
        content: [],
        structuredContent: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])),
      };
    for (let at = 1; at <= count; at++) {
      const params = { progressToken: _meta?.progressToken ?? 0, progress: at };
      const line = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n`;
      if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
    return { content: [{ type: "text", text: "reported" }] };
  });
  return server;
});
