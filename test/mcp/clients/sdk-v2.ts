import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readTarget, report } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = new Client({ name: "probe", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(
  stdio === undefined
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ ...stdio, args: [...stdio.args] }),
);
const { tools } = await client.listTools();
await report(
  tools.map(({ name }) => name),
  (name, args) => client.callTool({ name, arguments: { ...args } }),
);
