import type { Host } from "@toolmount/core";
import { isAvailable } from "@toolmount/core/internal";
import { isRecord } from "@toolmount/core/json";

/** Channel on which mounted servers offer what they say of themselves, for the server of the host. */
export const instructionsChannel = "mcp.instructions";

/** The instructions of one mounted server, and the internal tool that is locked for them. */
export interface ServerInstructions {
  readonly server: string;
  readonly tool: string;
  readonly text: string;
}

/**
 * Returns what the mounted servers say of themselves, under a heading for each; what differs from the lock file is left
 * out.
 */
export async function collectInstructions(host: Host): Promise<readonly string[]> {
  const published = await host.coordinator.collectContributions(instructionsChannel);
  const offered = published.filter(isRecord) as unknown as readonly ServerInstructions[];
  return offered
    .filter(({ tool }) => isAvailable(host, tool))
    .map(({ server, text }) => `# The MCP server "${server}"\n\n${text}`);
}
