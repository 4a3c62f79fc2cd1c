import type { Host } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";

/** Channel on which each mounted server says what to wait for while it starts: `{ starting }`, a promise or undefined. */
export const startingChannel = "mcp.servers.starting";

/** Waits for servers that are starting. Many clients read the list of tools once; each server has a few seconds for it. */
export async function waitForStarting({ coordinator }: Host): Promise<void> {
  const published = await coordinator.collectContributions(startingChannel);
  await Promise.all(published.map((one) => (isRecord(one) ? one["starting"] : undefined)));
}
