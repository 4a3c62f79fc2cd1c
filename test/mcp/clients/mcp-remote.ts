import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readTarget, report } from "./target.ts";

// A bridge: clients that only know stdio reach an address through it.
const { url = "" } = readTarget();
const folder = dirname(createRequire(import.meta.url).resolve("mcp-remote/package.json"));
const client = new Client({ name: "probe", version: "1.0.0" });
const args = [join(folder, "dist/proxy.js"), url, "--allow-http", "--transport", "http-only"];
await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
const { tools } = await client.listTools();
await report(
  tools.map(({ name }) => name),
  (name, given) => client.callTool({ name, arguments: { ...given } }),
);
