import { createHmac } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { ToolmountError, type HostChain, type HostLink } from "@toolmount/core";
import { readHostLinks } from "@toolmount/core/internal";
import type { Environment } from "../plan/interpolate.ts";

/** The environment variable that names, as JSON, the hosts whose programs started this process. */
const variable = "TOOLMOUNT_CHAIN";

/** Most hosts in one chain. A longer chain is a mistake: some plan starts itself in a way that hides it. */
const maxHosts = 16;

/** The input from which a chain is made. */
interface ChainOptions {
  /** The random id of the host. */
  readonly id: string;
  readonly env: Environment;
  /** Returns the hosts that the client of this host names. */
  readonly above?: (() => Promise<readonly HostLink[]>) | undefined;
}

/**
 * Returns the chain in which a host of this plan stands. Rejects with `PLAN_SERVES_ITSELF` where the environment says that
 * the process was started by a host of the same plan.
 */
export async function chainOf(
  file: string | undefined,
  { id, env, above }: ChainOptions,
): Promise<HostChain> {
  const place = file === undefined ? undefined : await placeOf(file);
  // Most hosts are in no chain, so the digest is made only on demand: the first one of a process takes 5 ms.
  const self = (): HostLink => (place === undefined ? { host: id } : { host: id, plan: digestOf(place, id) });
  const isSelf = ({ host, plan }: HostLink) =>
    host === id || (place !== undefined && plan === digestOf(place, host));
  const refuse = (hosts?: number) => {
    throw new ToolmountError("PLAN_SERVES_ITSELF", { path: file ?? "the plan", hosts });
  };
  // A host that both the client and the environment name counts once.
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

/** Identifies a file by its machine, device and real path, because another machine may have the same path. */
async function placeOf(file: string): Promise<string> {
  const path = await realpath(file).catch(() => file);
  const { dev } = await stat(path).catch(() => ({ dev: 0 }));
  return JSON.stringify([hostname(), dev, path]);
}

/** Returns a digest of a place with the id of the host as key, so that one plan has another digest in each host. */
function digestOf(place: string, id: string): string {
  return createHmac("sha256", id).update(place).digest("base64url");
}

/** Reads the hosts of the variable. A text that no host wrote counts as an empty list. */
function readVariable(text = "[]"): readonly HostLink[] {
  try {
    return readHostLinks(JSON.parse(text));
  } catch {
    return [];
  }
}
