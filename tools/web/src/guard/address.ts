import ipaddr from "ipaddr.js";

/** Kinds of addresses that `allow_private` opens: this machine and private networks, and nothing else. */
const near = new Set(["loopback", "private", "carrierGradeNat", "uniqueLocal"]);

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address may be connected to: only what is routed globally. IPv6 is held to 2000::/3, the only part that is
 * given out, so that mapped, compatible and translated forms of IPv4 addresses do not count, whatever they hold.
 */
export function isAllowedAddress(text: string, allowPrivate: boolean): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  const range = address.range();
  if (allowPrivate && near.has(range)) return true;
  if (range !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(globalUnicast);
}

/** Only the usual notation: what a URL or a resolver gives has no other. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) && !text.includes("%") ? ipaddr.IPv6.parse(text) : null;
}
