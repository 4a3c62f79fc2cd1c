import { ToolmountError, type Coordinator } from "@toolmount/core";
import { definitionsChannel } from "../wire/kept-definitions.ts";
import type { ServerSettings } from "./config.ts";
import { MountedServer } from "./server.ts";

/** Channel of the status of each mounted server. */
export const statusChannel = "mcp.servers";

/**
 * Mounts the tools of one MCP server. Its processes end with the module.
 *
 * Rejects when the server cannot be reached, or does not list its tools in `startTimeoutMs`.
 */
export async function mount(coordinator: Coordinator, settings: ServerSettings): Promise<void> {
  // Before a server is started that could not be mounted.
  if (coordinator.get("schema-compiler") === null) throw missingCompiler();
  const server = new MountedServer(coordinator, settings);
  coordinator.registerCleanup(() => server.close());
  server.mountAll(await server.list());
  coordinator.registerContributor(statusChannel, settings.name, () => server.status);
  coordinator.registerContributor(definitionsChannel, settings.name, () => server.offered);
}

function missingCompiler(): ToolmountError {
  return new ToolmountError("EXTENSION_MISSING", {
    what: "the JSON Schema of an MCP server's tools",
    module: "@toolmount/interop",
    install: "npm install @toolmount/interop",
  });
}
