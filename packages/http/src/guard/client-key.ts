import type { IncomingMessage } from "node:http";
import { BlockList } from "node:net";

/** Addresses of this machine and of networks that are not reached from outside: a proxy in front has one. */
const inside = new BlockList();
inside.addSubnet("127.0.0.0", 8, "ipv4");
inside.addSubnet("10.0.0.0", 8, "ipv4");
inside.addSubnet("172.16.0.0", 12, "ipv4");
inside.addSubnet("192.168.0.0", 16, "ipv4");
inside.addSubnet("fc00::", 7, "ipv6");
inside.addAddress("::1", "ipv6");

/**
 * What requests without a token are counted by: the address that they come from. Behind a proxy that is everybody's, so the
 * last address that the proxy added in `X-Forwarded-For` counts, too. A client that has no proxy in front could write there
 * what it likes, so the header counts only where the connection comes from inside.
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
