// A server over stdio that does one thing otherwise than the protocol says: the row of the zoo is in its environment.
import { createInterface } from "node:readline";

const { tools, initialize, raw = {}, ends = false } = JSON.parse(process.env.ZOO_ROW);
const usual = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "zoo", version: "1" },
  },
  "tools/list": { tools: tools ?? [{ name: "send", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "sent as 42" }] },
  ping: {},
};
if (initialize !== undefined) usual.initialize = initialize;

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const shown = JSON.stringify(id);
  const result = usual[method];
  const answer =
    result === undefined
      ? `{"jsonrpc":"2.0","id":${shown},"error":{"code":-32601,"message":"Method not found"}}`
      : `{"jsonrpc":"2.0","id":${shown},"result":${JSON.stringify(result)}}`;
  const written = raw[method]?.replaceAll("ID", shown) ?? answer;
  process.stdout.write(ends && method === "tools/call" ? written : `${written}\n`, () => {
    if (ends && method === "tools/call") process.exit(0);
  });
});
