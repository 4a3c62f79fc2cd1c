import { kindOf, matchesGlob } from "@toolmount/core/text";
import { isRecord } from "../diagnostics/json.ts";

export interface Choosable {
  readonly name: string;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly status?: string | undefined;
}

/**
 * Returns the name under which an entry offers a tool; null if the entry excludes the tool. `as` replaces the name, and otherwise
 * the prefix is added. An internal tool keeps its name, because models do not see it.
 */
export function offeredName(
  { tools, prefix }: { readonly tools?: unknown; readonly prefix?: unknown },
  tool: Choosable,
): string | null {
  if (tool.status === "internal") return tool.name;
  const { include, exclude, [tool.name]: own } = isRecord(tools) ? tools : {};
  if (Array.isArray(exclude) && exclude.some((one) => choosesTool(one, tool))) return null;
  if (Array.isArray(include) && !include.some((one) => choosesTool(one, tool))) return null;
  const as = isRecord(own) ? own["as"] : undefined;
  if (typeof as === "string") return as;
  return typeof prefix === "string" ? `${prefix}${tool.name}` : tool.name;
}

/** Tests whether an item of `include` or `exclude` matches a tool: by the name of its author, a glob, its category or a tag. */
export function choosesTool(item: unknown, { name, category, tags }: Choosable): boolean {
  if (typeof item !== "string") return false;
  const [kind, word] = kindOf(item) ?? [];
  if (word !== undefined) return kind === "category" ? word === category : tags?.includes(word) === true;
  return item === name || (/[*?]/.test(item) && matchesGlob(item, name));
}
