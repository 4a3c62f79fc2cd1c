import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
import { readTarget, tell } from "./target.ts";

const { stdio, url = "" } = readTarget();
const server =
  stdio === undefined
    ? new MCPServerStreamableHttp({ url, name: "toolmount" })
    : new MCPServerStdio({ ...stdio, args: [...stdio.args], name: "toolmount" });
await server.connect();
const tools = await server.listTools();
tell(
  tools.map(({ name }) => name),
  await server.callTool("add", { a: 2, b: 40 }),
);
