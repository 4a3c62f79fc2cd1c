import type { Tool } from "@modelcontextprotocol/server";
import type { Host, ToolInfo } from "@toolmount/core";
import { skillMetaKey } from "../wire/skills.ts";
import { definitionsChannel, type KeptDefinitions } from "../wire/kept-definitions.ts";

/** Members of a tool's definition that come from a mounted MCP server, such as `title`, `icons` and `_meta`. */
export type Extras = (tool: ToolInfo) => Partial<Tool> | undefined;

/** Asks mounted servers for the members of definitions that a host has no field for. */
export async function loadExtras(host: Host): Promise<Extras> {
  const published = await host.coordinator.collectContributions(definitionsChannel);
  const definitions = published.filter((one) => one instanceof Map) as readonly KeptDefinitions[];
  return ({ name, declaredName }) => {
    const kept = definitions.find((map) => map.has(name))?.get(name);
    // Another module may have taken the name since.
    if (kept === undefined || kept.declaredName !== declaredName) return undefined;
    const { title, icons, annotations, _meta } = kept.definition;
    // A skill's entry has the server's own addresses; this host serves the skill under others.
    if (_meta?.[skillMetaKey] !== undefined) return undefined;
    return {
      ...(title !== undefined && { title }),
      ...(icons !== undefined && { icons }),
      ...(annotations !== undefined && { annotations }),
      ...(_meta !== undefined && { _meta }),
    };
  };
}
