import type { Host } from "../contract/host.ts";
import { lockDigest } from "../registry/prepare-tool.ts";

/** Finds the digest of a mounted tool's definition by the offered name; `null` when no such tool is mounted. */
export function digestsOf(host: Pick<Host, "tools">): (tool: string) => string | null {
  return (tool) => {
    const info = host.tools({ includeDeprecated: true }).find(({ name }) => name === tool);
    return info === undefined ? null : lockDigest(info);
  };
}
