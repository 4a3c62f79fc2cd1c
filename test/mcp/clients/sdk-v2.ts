import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readTarget, tell } from "./target.ts";

const { stdio, url = "" } = readTarget();
const client = new Client({ name: "probe", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(
  stdio === undefined
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ ...stdio, args: [...stdio.args] }),
);
const { tools } = await client.listTools();
tell(
  tools.map(({ name }) => name),
  await client.callTool({ name: "add", arguments: { a: 2, b: 40 } }),
);
