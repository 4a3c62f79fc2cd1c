import { createHmac } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { ToolmountError, type HostChain, type HostLink } from "@toolmount/core";
import { readHostLinks } from "@toolmount/core/internal";
import type { Environment } from "../plan/interpolate.ts";

/** The environment variable that lists, as JSON, the hosts whose programs started this process. */
const variable = "TOOLMOUNT_CHAIN";

/** Maximum number of hosts in a chain. In a longer chain, some plan probably starts itself without being recognised. */
const maxHosts = 16;

/** What is needed to find the chain of a host: the hosts that started each other, up to this one. */
interface ChainOptions {
  /** The random id of the host. */
  readonly id: string;
  readonly env: Environment;
  /** Returns the hosts that this host's client names. */
  readonly above?: (() => Promise<readonly HostLink[]>) | undefined;
}

/**
 * Returns the chain of a host of this plan: the hosts that started each other, up to this one. Rejects with `PLAN_SERVES_ITSELF`
 * if the environment says that a host of the same plan started this process.
 */
export async function chainOf(
  file: string | undefined,
  { id, env, above }: ChainOptions,
): Promise<HostChain> {
  const place = file === undefined ? undefined : await placeOf(file);
  // Most hosts start no server, so the digest is computed only when it is needed: the first one in a process takes 5 ms.
  const self = (): HostLink => (place === undefined ? { host: id } : { host: id, plan: digestOf(place, id) });
  const isSelf = ({ host, plan }: HostLink) =>
    host === id || (place !== undefined && plan === digestOf(place, host));
  const refuse = (hosts?: number) => {
    throw new ToolmountError("PLAN_SERVES_ITSELF", { path: file ?? "the plan", hosts });
  };
  // If both the client and the environment name a host, it counts once.
  let known = readVariable(env[variable]);
  if (known.some(isSelf)) refuse();
  const read = async () => {
    const named = (await above?.()) ?? [];
    const more = named.filter(({ host }) => !known.some((link) => link.host === host));
    return (known = [...known, ...more]);
  };
  return {
    async toServers() {
      const hosts = await read();
      if (hosts.some(isSelf)) refuse();
      if (hosts.length >= maxHosts) refuse(hosts.length);
      const links = [...hosts, self()];
      return { links, env: { [variable]: JSON.stringify(links) } };
    },
    async toClients() {
      return [self(), ...(await read()).filter(isSelf)];
    },
    requireOther(behind) {
      if (behind.some((link) => isSelf(link) || known.some(({ host }) => host === link.host))) refuse();
    },
  };
}

/** Identifies a file by machine, device and real path, because other machines may have a file with the same path. */
async function placeOf(file: string): Promise<string> {
  const path = await realpath(file).catch(() => file);
  const { dev } = await stat(path).catch(() => ({ dev: 0 }));
  return JSON.stringify([hostname(), dev, path]);
}

/** Returns a digest of a place with a host's id as its key, so that each host has another digest of the same plan. */
function digestOf(place: string, id: string): string {
  return createHmac("sha256", id).update(place).digest("base64url");
}

/** Reads the hosts in the variable's text. A text that no host wrote counts as no hosts. */
function readVariable(text = "[]"): readonly HostLink[] {
  try {
    return readHostLinks(JSON.parse(text));
  } catch {
    return [];
  }
}
