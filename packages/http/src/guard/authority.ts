import { isIPv4, isIPv6 } from "node:net";

/** A name or an address with a port; the port is null if none is written. */
interface Authority {
  /** In lower case; an IPv6 address in its shortest form, without brackets. */
  readonly name: string;
  readonly port: number | null;
}

/** Reads the value of a Host header, or the part of an origin after its scheme. Returns null if it is not valid. */
export function parseAuthority(text: string): Authority | null {
  const parts = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9](?:[a-z0-9._-]{0,252})))(?::(\d{1,5}))?$/i.exec(text);
  if (parts === null) return null;
  const [, bracketed, plain = "", digits] = parts;
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  if (bracketed === undefined) return { name: plain.toLowerCase(), port };
  return isIPv6(bracketed) ? { name: shortest(bracketed), port } : null;
}

/** Returns an IPv6 address in the form of URLs, so that different spellings of an address become equal. */
function shortest(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

/**
 * Returns the address of a server for people and clients, without a slash at its end: the public one or, without one, that of the
 * Host header.
 */
export function reachedAt(publicUrl: string | undefined, host: string): string {
  return (publicUrl ?? `http://${host}`).replace(/\/+$/, "");
}

/** The address at which a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Default address of the server. */
export const defaultAddress: ListenAddress = { host: "127.0.0.1", port: 4680 };

/**
 * Reads `host:port`, `:port`, `port` or `host`; null for other texts. Texts such as `0`, `127.1` or `0x7f000001` are refused,
 * because the system would read them as other addresses.
 */
export function parseListenAddress(text: string): ListenAddress | null {
  if (/^:?\d{1,5}$/.test(text)) return withPort(defaultAddress.host, Number(text.replace(":", "")));
  const unbracketed = isIPv6(text) ? `[${text}]` : text;
  const [, host, digits] = /^(.+?)(?::(\d{1,5}))?$/.exec(unbracketed) ?? [];
  const authority = host === undefined ? null : parseAuthority(host);
  if (authority === null || !isPlainHost(authority.name)) return null;
  return withPort(authority.name, digits === undefined ? defaultAddress.port : Number(digits));
}

function withPort(host: string, port: number): ListenAddress | null {
  return port <= 65_535 ? { host, port } : null;
}

/**
 * Tests whether a host is an IP address or a plain name. Each part of a name must begin with a letter, so `0x7f.1` and
 * `2130706433` are no names.
 */
function isPlainHost(name: string): boolean {
  if (isIPv4(name) || isIPv6(name)) return true;
  return name.split(".").every((label) => /^[a-z]/.test(label) && !label.endsWith("-"));
}

/**
 * Tests whether only this machine can reach an address. The only such name is `localhost`, because any other may be another
 * machine's.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === "localhost" || name === "::1") return true;
  const mapped = /^::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(isIPv6(name) ? shortest(name) : "");
  if (mapped !== null) return Number.parseInt(mapped[1]!, 16) >> 8 === 127;
  return isIPv4(name) && name.startsWith("127.");
}
