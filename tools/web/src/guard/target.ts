import { isIP } from "node:net";
import { isAllowedAddress } from "./address.ts";
import { bareHost, isAmong, parseDomains } from "./domains.ts";

/** What a guard was set to. */
export interface GuardSettings {
  readonly allowed_domains: readonly string[];
  readonly blocked_domains: readonly string[];
  readonly allowed_ports: readonly number[];
  readonly allow_private: boolean;
}

/** Finds all addresses of a name. Rejects when there is no such name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** An address that was judged, and nothing else will be connected to. */
export interface Target {
  readonly url: URL;
  readonly secure: boolean;
  /** Without brackets and without a dot at its end. */
  readonly host: string;
  readonly port: number;
  /** All that the name has; each was judged. */
  readonly addresses: readonly string[];
}

/** Why an address is not asked. `blocked` says the same of what exists and what does not. */
type Refusal = { readonly refused: "blocked" | "unresolved"; readonly problem: string };

/** Judges every address before it is asked, the first and each that a redirect leads to. */
export interface Guard {
  judge(text: string, base?: URL): Promise<Target | Refusal>;
}

/** Longest address that is looked at, in bytes. */
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

/** The port that a URL asks; 0 is one, and is no default. */
export function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function block(problem: string): Refusal {
  return { refused: "blocked", problem };
}

/** A URL that may be asked as far as its text tells, or what is wrong with it. */
function parse(text: string, base: URL | undefined): URL | string {
  if (Buffer.byteLength(text) > maxUrlBytes) return `longer than ${maxUrlBytes} bytes`;
  const url = URL.parse(text, base?.href);
  if (url === null) return "not an absolute URL";
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${url.protocol} is neither http: nor https:`;
  if (url.username !== "" || url.password !== "") return "it has a user name or password";
  return bareHost(url.hostname) === "" ? "it has no host" : url;
}

/** A literal is its own address. Null: there is no such name, or it has no address. */
async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[] | null> {
  if (isIP(host) !== 0) return [host];
  try {
    const addresses = await resolve(host);
    return addresses.length === 0 ? null : addresses;
  } catch {
    return null;
  }
}
