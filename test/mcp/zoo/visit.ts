import { join } from "node:path";
import { open } from "../support/world.ts";
import type { Row } from "./rows.ts";

/** Mounts the server of a row, calls `send`, and returns what a row states. */
export async function visit({ given }: Row): Promise<Required<Pick<Row, "tools" | "status" | "text">>> {
  const server = {
    command: process.execPath,
    args: [join(import.meta.dirname, "server.mjs")],
    env: { ZOO_ROW: JSON.stringify(given).replaceAll("${", "$${") },
  };
  const host = await open({ version: 1, tools: [{ module: "zoo", source: { mcp: server } }] });
  const tools = host.tools().map(({ name }) => name);
  const { status, result } = await host.call({ name: "send" });
  const said = result.error ?? result.data;
  return { tools, status, text: typeof said === "string" ? said : JSON.stringify(said) };
}

/** What a row states, with what it leaves to the default. */
export function stated({ tools = ["send"], status = "ok", text = "sent as 42" }: Row) {
  return { tools, status, text };
}
