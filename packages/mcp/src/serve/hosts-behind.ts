import type { Host, HostLink } from "@toolmount/core";
import { readHostLinks } from "@toolmount/core/internal";
import { behindChannel, chainOf } from "../wire/chain.ts";

/** The hosts to which a client of this host gets: itself, and those that its mounted servers lead to. */
export async function hostsOf({ coordinator }: Pick<Host, "coordinator">): Promise<readonly HostLink[]> {
  const own = (await chainOf(coordinator)?.toClients()) ?? [];
  const behind = await coordinator.collectContributions(behindChannel);
  const all = [...own, ...behind.flatMap(readHostLinks)];
  return [...new Map(all.map((link) => [link.host, link])).values()];
}
