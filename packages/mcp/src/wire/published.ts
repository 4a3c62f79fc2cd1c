import type { Host, HostLink } from "@toolmount/core";
import { isAvailable } from "@toolmount/core/internal";
import type { PublishedSource } from "./exposed-source.ts";
import type { KeptDefinitions } from "./kept-definitions.ts";
import type { OfferedSkill } from "./skills.ts";

/** What each mounted server publishes for the server of its host, by channel. */
export interface Published {
  /** What the plan says of it under `expose`. */
  readonly "mcp.exposed": PublishedSource;
  /** What it says of itself, and the internal tool that is locked for that. */
  readonly "mcp.instructions":
    | { readonly server: string; readonly tool: string; readonly text: string }
    | undefined;
  /** The definitions of its tools. */
  readonly "mcp.definitions": KeptDefinitions;
  /** The hosts to which it leads. */
  readonly "mcp.servers.behind": readonly HostLink[];
  /** What to wait for while it starts. */
  readonly "mcp.servers.starting": { readonly starting: Promise<unknown> | undefined };
  /** Its skills, as of any module: the tool that reads a skill has the tag `skill`, and its digest as version. */
  readonly skills: readonly OfferedSkill[];
}

/** What is published on a channel. Modules are not checked: what is no object is left out. */
export async function publishedOn<Channel extends keyof Published>(
  { coordinator }: Pick<Host, "coordinator">,
  channel: Channel,
): Promise<readonly NonNullable<Published[Channel]>[]> {
  const all = await coordinator.collectContributions(channel);
  return all.filter((one) => typeof one === "object" && one !== null) as never;
}

/** Waits for servers that are starting. Many clients read the list of tools once; each server has a few seconds for it. */
export async function waitForStarting(host: Host): Promise<void> {
  const published = await publishedOn(host, "mcp.servers.starting");
  await Promise.all(published.flatMap(({ starting }) => starting ?? []));
}

/**
 * Returns what the mounted servers say of themselves, under a heading for each; what differs from the lock file is left
 * out.
 */
export async function collectInstructions(host: Host): Promise<readonly string[]> {
  const offered = await publishedOn(host, "mcp.instructions");
  return offered
    .filter(({ tool }) => isAvailable(host, tool))
    .map(({ server, text }) => `# The MCP server "${server}"\n\n${text}`);
}
