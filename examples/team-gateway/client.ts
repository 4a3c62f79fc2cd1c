// What an MCP client sees of the gateway.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: "toolmount", args: ["serve", "--stdio"], stderr: "ignore" }),
);

const call = async (name: string, args: Record<string, unknown>) => {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [block] = content;
  return { isError: isError === true, text: block?.type === "text" ? block.text.trim() : "" };
};

const read = await call("files_read_text_file", { path: "notes/deploys.md" });
console.log("files_read_text_file", read.isError ? read.text : `ok: ${read.text}`);

const moved = await call("files_move_file", {
  source: "notes/deploys.md",
  destination: "gone.md",
});
console.log("files_move_file", moved.isError ? "denied" : "ran");

const written = await call("files_write_file", { path: "notes/new.md", content: "hello" });
console.log(
  "files_write_file",
  written.text.startsWith("waiting for a person") ? "waits for a person" : written.text,
);

const graph = await call("memory_read_graph", {});
console.log("memory_read_graph", graph.isError ? graph.text : "ok");
await client.close();
