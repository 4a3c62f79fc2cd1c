import ipaddr from "ipaddr.js";

/** Ranges that `allow_private` permits: this machine and private networks. */
const privateRanges = new Set(["loopback", "private", "carrierGradeNat", "uniqueLocal"]);

/** Services of cloud providers from which this machine gets credentials. Always refused. Source: the providers' documents. */
const metadata = new Set(
  [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether a connection to an address is allowed: to globally routed ones and, with `allowPrivate`, to `privateRanges`.
 * IPv6 is global only in 2000::/3, its assigned part, so mapped, compatible and translated forms of IPv4 are refused.
 */
export function isAllowedAddress(text: string, allowPrivate: boolean): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  if (metadata.has(address.toNormalizedString())) return false;
  const range = address.range();
  if (allowPrivate && privateRanges.has(range)) return true;
  if (range !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(globalUnicast);
}

/** Parses the usual notation of an address; URLs and resolvers return no other. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) && !text.includes("%") ? ipaddr.IPv6.parse(text) : null;
}
