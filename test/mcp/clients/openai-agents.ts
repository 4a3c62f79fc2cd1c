import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
import { readTarget, report } from "./target.ts";

const { stdio, url = "" } = readTarget();
/** Its own 5 s are too few for a busy machine. */
const patience = { clientSessionTimeoutSeconds: 300, timeout: 300_000 };
const server =
  stdio === undefined
    ? new MCPServerStreamableHttp({ url, name: "toolmount", ...patience })
    : new MCPServerStdio({ ...stdio, args: [...stdio.args], name: "toolmount", ...patience });
await server.connect();
const tools = await server.listTools();
await report(
  tools.map(({ name }) => name),
  (name, args) => server.callTool(name, { ...args }),
);
