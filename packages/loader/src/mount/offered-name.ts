import { matchesGlob } from "@toolmount/core/match-arguments";
import { isRecord } from "../diagnostics/json.ts";

/** What an entry of a plan says of names, checked or not. */
export interface Naming {
  readonly tools?: unknown;
  readonly prefix?: unknown;
}

/** What of a tool an entry may choose it by. */
export interface Choosable {
  readonly name: string;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/**
 * The name under which an entry offers a tool; null when it leaves the tool out. `as` is the whole new name: a prefix
 * is not put before it.
 */
export function offeredName({ tools, prefix }: Naming, tool: Choosable): string | null {
  const { include, exclude, [tool.name]: own } = isRecord(tools) ? tools : {};
  if (Array.isArray(exclude) && exclude.some((one) => choosesTool(one, tool))) return null;
  if (Array.isArray(include) && !include.some((one) => choosesTool(one, tool))) return null;
  const as = isRecord(own) ? own["as"] : undefined;
  if (typeof as === "string") return as;
  return typeof prefix === "string" ? `${prefix}${tool.name}` : tool.name;
}

/** Whether one item of `include` or `exclude` means a tool: by its own name, a glob of it, its category or a tag. */
export function choosesTool(item: unknown, { name, category, tags }: Choosable): boolean {
  if (typeof item === "string") return item === name || (/[*?]/.test(item) && matchesGlob(item, name));
  if (!isRecord(item)) return false;
  if (item["category"] !== undefined) return item["category"] === category;
  return typeof item["tag"] === "string" && tags?.includes(item["tag"]) === true;
}
