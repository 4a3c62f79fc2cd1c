// A small MCP server over stdio that needs nothing.
import process from "node:process";
import { createInterface } from "node:readline";

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "ping", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [
      {
        name: "ping",
        description: "Answers. Use it in tests.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
      },
    ],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: "pong" }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const reply =
    answer === undefined ? { error: { code: -32601, message: method } } : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
}
