import { digestOf } from "../json/canonical.ts";
import type { ToolInfo } from "../contract/tool.ts";

/**
 * The digest by which a plan's lock knows a tool: of everything that a model, a gate or a person sees of it, as the plan
 * shapes it. Of a `dynamic` tool the texts may change. Which module mounts it is not part of it.
 */
export function lockDigest(info: ToolInfo): string {
  const { owner: _, ...rest } = info;
  return digestOf(rest.dynamic ? { ...rest, description: "", usage: undefined, summary: undefined } : rest);
}
