import { lookup } from "node:dns/promises";

/** Resolves a name to all its addresses with the system's resolver. */
export async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}
