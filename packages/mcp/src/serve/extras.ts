import type { Tool } from "@modelcontextprotocol/server";
import type { Host, ToolInfo } from "@toolmount/core";
import type { Extras } from "./tool-list.ts";

/** Capability under which mounted MCP servers keep what they said of their tools, for whoever serves them on. */
export const definitionsCapability = "mcp.definitions";

/** What a mounted server said of its tools, by the name that the server gave. */
export interface KeptDefinitions {
  /** The definition of a tool, if this server has one that is mounted as `info`. */
  find(info: ToolInfo): Tool | undefined;
}

/** Looks for the members of a definition that a host has no field for. */
export function findExtras(host: Host): Extras {
  return (info) => {
    const kept = host.coordinator.getCapability(definitionsCapability);
    const definition = isRegistry(kept) ? kept.find(info) : undefined;
    if (definition === undefined) return undefined;
    const {
      name: _,
      description: __,
      inputSchema: ___,
      outputSchema: ____,
      execution: _____,
      ...extras
    } = definition;
    return extras;
  };
}

function isRegistry(value: unknown): value is KeptDefinitions {
  return typeof value === "object" && value !== null && "find" in value && typeof value.find === "function";
}
