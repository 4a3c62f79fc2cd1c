import type { Tool } from "@modelcontextprotocol/server";

/** Channel on which mounted servers publish their tools' definitions, for a server of other clients. */
export const definitionsChannel = "mcp.definitions";

/** What one server said of its tools, by the names under which the host offers them. */
export type KeptDefinitions = ReadonlyMap<string, KeptDefinition>;

export interface KeptDefinition {
  /** The name under which the module mounted it. */
  readonly declaredName: string;
  /** As the server listed it. */
  readonly definition: Tool;
}
