import { isIP } from "node:net";
import { isAllowedAddress } from "./address.ts";
import { bareHost, isAmong, parseDomains } from "./domains.ts";

/** The hosts, ports and kinds of addresses that a guard allows. */
interface GuardSettings {
  readonly allowed_domains: readonly string[];
  readonly blocked_domains: readonly string[];
  readonly allowed_ports: readonly number[];
  readonly allow_private: boolean;
}

/** Resolves a name to all its addresses. Rejects for an unknown name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** A checked destination. Connections are made only to its addresses. */
export interface Target {
  readonly url: URL;
  readonly secure: boolean;
  /** The host without brackets and without a dot at its end. */
  readonly host: string;
  readonly port: number;
  /** All addresses of the name, each of which was checked. */
  readonly addresses: readonly string[];
}

/** Why a URL is refused: the URL or an address of its host is not allowed (`blocked`), or the host has no address. */
type Refusal = { readonly refused: "blocked" | "unresolved"; readonly problem: string };

/** Checks each URL before its request: the first one and the target of each redirect. */
export interface Guard {
  judge(text: string, base?: URL): Promise<Target | Refusal>;
}

/** Longest accepted URL, in bytes. */
const maxUrlBytes = 65_536;

export function createGuard(settings: GuardSettings, resolve: Resolve): Guard {
  const allowed = parseDomains(settings.allowed_domains);
  const blocked = parseDomains(settings.blocked_domains);
  return {
    async judge(text, base) {
      const url = parse(text, base);
      if (typeof url === "string") return block(url);
      const host = bareHost(url.hostname);
      const port = portOf(url);
      if (!settings.allowed_ports.includes(port)) return block(`port ${port} is not allowed`);
      if (isAmong(host, blocked)) return block(`${host} is blocked`);
      if (allowed.length > 0 && !isAmong(host, allowed))
        return block(`${host} is not among the allowed domains`);
      const addresses = await addressesOf(host, resolve);
      if (addresses === null) return { refused: "unresolved", problem: `${host} has no address` };
      if (!addresses.every((address) => isAllowedAddress(address, settings.allow_private)))
        return block(`${host} is not a public address`);
      return { url, host, port, addresses, secure: url.protocol === "https:" };
    },
  };
}

/** Returns the port of a URL. Port 0 does not mean the default. */
export function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function block(problem: string): Refusal {
  return { refused: "blocked", problem };
}

/** Returns the URL if it is acceptable, otherwise the problem with it. */
function parse(text: string, base: URL | undefined): URL | string {
  if (Buffer.byteLength(text) > maxUrlBytes) return `longer than ${maxUrlBytes} bytes`;
  const url = URL.parse(text, base?.href);
  if (url === null) return "not an absolute URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") return `${url.protocol} is not http: or https:`;
  if (url.username !== "" || url.password !== "") return "it has a user name or password";
  return bareHost(url.hostname) === "" ? "it has no host" : url;
}

/**
 * Returns the addresses of a host, which for a literal address is that address. Null for an unknown name or one without
 * addresses.
 */
async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[] | null> {
  if (isIP(host) !== 0) return [host];
  try {
    const addresses = await resolve(host);
    return addresses.length === 0 ? null : addresses;
  } catch {
    return null;
  }
}
