import {
  isToolmountError,
  type Coordinator,
  type HostChain,
  type HostLink,
  type ToolmountError,
} from "@toolmount/core";
import { readHostLinks } from "@toolmount/core/internal";
import { isRecord } from "@toolmount/core/json";
import { publishedOn } from "./published.ts";

/**
 * Key under which a host names itself and the hosts above or behind it: to a server in the experimental capabilities, to a
 * client in the `_meta` of a list of tools. Other clients and servers ignore it.
 */
const chainKey = "dev.toolmount/chain";

/** Returns what finds out that a plan would mount itself; undefined for a host without a plan. */
export function chainOf({ getCapability }: Pick<Coordinator, "getCapability">): HostChain | undefined {
  return getCapability("host.chain") ?? undefined;
}

/** What a server gets about the hosts above it: `links` in the handshake, and the same in `env` for its program. */
export type Above = Awaited<ReturnType<HostChain["toServers"]>>;

export async function aboveOf(chain: HostChain | undefined): Promise<Above> {
  return chain?.toServers() ?? { links: [], env: {} };
}

/** Writes a list of hosts for experimental capabilities or for `_meta`. */
export function writeChain(hosts: readonly HostLink[]): { [chainKey]: { hosts: Record<string, string>[] } } {
  return { [chainKey]: { hosts: hosts.map((link) => ({ ...link })) } };
}

/** Reads the hosts that experimental capabilities or `_meta` name. */
export function readChain(given: unknown): readonly HostLink[] {
  const chain = isRecord(given) ? given[chainKey] : undefined;
  return isRecord(chain) ? readHostLinks(chain["hosts"]) : [];
}

/** Whether an error says that the plan would mount itself. */
export function isServedToItself(error: unknown): error is ToolmountError<"PLAN_SERVES_ITSELF"> {
  return isToolmountError(error) && error.code === "PLAN_SERVES_ITSELF";
}

/** Returns the hosts that a client of this host reaches: this host, and those whose tools its mounted servers serve. */
export async function hostsOf({
  coordinator,
}: {
  readonly coordinator: Coordinator;
}): Promise<readonly HostLink[]> {
  const own = (await chainOf(coordinator)?.toClients()) ?? [];
  const behind = await publishedOn({ coordinator }, "mcp.servers.behind");
  const all = [...own, ...behind.flatMap(readHostLinks)];
  return [...new Map(all.map((link) => [link.host, link])).values()];
}
