import { lookup } from "node:dns/promises";

/** Asks the system for all addresses of a name. */
export async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}
