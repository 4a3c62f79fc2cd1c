// A server of MCP in a few lines: each line of the input is a message, each line of the output is an answer.
import { createInterface } from "node:readline";

const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const tool = (name, description) => ({ name, description, inputSchema });
const tools = [
  tool("greet", "Greets a person by name. Use when the user asks to be greeted. Not for letters."),
  tool("shout", "Greets a person loudly. Use when the user asks for it. Not in letters."),
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "greeter", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: { name } }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue; // a notification
  const answer = answers[method];
  const said =
    answer === undefined
      ? { error: { code: -32601, message: `unknown method ${method}` } }
      : { result: answer(params) };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
}
