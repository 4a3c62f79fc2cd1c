import type { Host, HostLink } from "@toolmount/core";
import type { PublishedSource } from "./exposed-source.ts";
import type { KeptDefinitions } from "./kept-definitions.ts";
import type { OfferedSkill } from "./skills.ts";

/** What each mounted server publishes for the MCP server that serves its host, by channel. */
export interface Published {
  /** What the plan exposes of the mounted server: resources, prompts and completions. */
  readonly "mcp.exposed": PublishedSource;
  /** The server's instructions, and the name of the internal tool that has them as its description, so that they are locked. */
  readonly "mcp.instructions":
    | { readonly server: string; readonly tool: string; readonly text: string }
    | undefined;
  /** The definitions of the server's tools. */
  readonly "mcp.definitions": KeptDefinitions;
  /** The toolmount hosts whose tools it serves, directly or through other servers. */
  readonly "mcp.servers.behind": readonly HostLink[];
  /** `starting` resolves when a list of tools need not wait for the server any more; undefined if it need not wait now. */
  readonly "mcp.servers.starting": { readonly starting: Promise<unknown> | undefined };
  /**
   * The server's skills, in the form in which other modules publish theirs. The tool that reads a skill has the tag `skill`,
   * and the skill's digest as its version.
   */
  readonly skills: readonly OfferedSkill[];
}

/** Returns what is published on a channel. Modules are not checked, so values that are no objects are left out. */
export async function publishedOn<Channel extends keyof Published>(
  { coordinator }: Pick<Host, "coordinator">,
  channel: Channel,
): Promise<readonly NonNullable<Published[Channel]>[]> {
  const all = await coordinator.collectContributions(channel);
  return all.filter((one) => typeof one === "object" && one !== null) as never;
}

/** Waits for servers that are starting, a few seconds for each, because many clients read the list of tools only once. */
export async function waitForStarting(host: Host): Promise<void> {
  const published = await publishedOn(host, "mcp.servers.starting");
  await Promise.all(published.flatMap(({ starting }) => starting ?? []));
}
