import type { ToolInfo } from "@toolmount/core";
import { digestOf, lockDigest } from "@toolmount/core/internal";

const known = new WeakMap<ToolInfo, string>();

/** The digest by which a host and a worker compare a tool. Its timeout may differ: the call brings its own. */
export function digestOfTool(info: ToolInfo): string {
  const digest = known.get(info) ?? lockDigest({ ...info, timeoutMs: 0 });
  known.set(info, digest);
  return digest;
}

/** The same for workers of a queue that have the same tools: the engine delivers to any of them. */
export function groupOf(tools: Readonly<Record<string, string>>): string {
  return digestOf(tools)
    .replaceAll(/[^a-z0-9]/g, "")
    .slice(-16);
}
