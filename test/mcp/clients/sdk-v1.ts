import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readTarget, report } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = new Client({ name: "probe", version: "1.0.0" });
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
