import type { IncomingMessage } from "node:http";
import { BlockList } from "node:net";

/** Addresses of this machine and of private networks. A proxy in front of the server usually has one of them. */
const inside = new BlockList();
inside.addSubnet("127.0.0.0", 8, "ipv4");
inside.addSubnet("10.0.0.0", 8, "ipv4");
inside.addSubnet("172.16.0.0", 12, "ipv4");
inside.addSubnet("192.168.0.0", 16, "ipv4");
inside.addSubnet("fc00::", 7, "ipv6");
inside.addAddress("::1", "ipv6");

/**
 * Returns the key by which requests without a token are counted: the client's address. Behind a proxy, all connections have the
 * proxy's address. So the last address in `X-Forwarded-For`, which the proxy added, becomes part of the key. A client that
 * connects directly could write anything there. So the header counts only on connections from private networks.
 */
export function clientKey({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): string {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
  const forwarded = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)!
    .trim();
  if (forwarded === "" || !isInside(address)) return address;
  return `${address} ${forwarded.slice(0, 64)}`;
}

function isInside(address: string): boolean {
  return inside.check(address, address.includes(":") ? "ipv6" : "ipv4");
}
