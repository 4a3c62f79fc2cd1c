import { createRuntime, type CommandSpec } from "mcporter";
import { readTarget, report } from "./target.ts";

const { stdio, url = "" } = readTarget();
const command: CommandSpec =
  stdio === undefined
    ? { kind: "http", url: new URL(url) }
    : { kind: "stdio", command: stdio.command, args: [...stdio.args], cwd: stdio.cwd };
const runtime = await createRuntime({ servers: [{ name: "toolmount", command }] });
const tools = await runtime.listTools("toolmount");
await report(
  tools.map(({ name }) => name),
  (name, args) => runtime.callTool("toolmount", name, { args: { ...args } }),
);
