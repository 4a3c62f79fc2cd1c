import type { ToolDefinition, ToolInfo } from "../contract/tool.ts";
import { digestOf } from "../json/canonical.ts";

/**
 * Returns the digest of a tool in a plan's lock file. It covers everything that a model, a gate or a person sees of the tool, as
 * the plan shapes it. The texts of a `dynamic` tool may change, so they and the mounting module are not covered.
 */
export function lockDigest(info: ToolInfo): string {
  const { owner: _, ...rest } = info;
  const texts = rest.dynamic ? { description: "", usage: undefined, summary: undefined } : {};
  return digestOf(withSortedSets({ ...rest, ...texts }));
}

/**
 * Returns the digest to which an approval is bound. It covers what a person sees of the tool, and its code as far as that is
 * known: the files of its module, the text of its functions, and its other members.
 */
export function approvalDigest(info: ToolInfo, definition: ToolDefinition, code: string | undefined): string {
  const names = [...Object.keys(definition), "execute", "preview", "undo", "requiresConfirmation"];
  const members = names.map((name) => [name, definition[name as keyof ToolDefinition]] as const);
  const texts = members.flatMap(([name, value]) => {
    if (typeof value === "function") return [[name, Function.prototype.toString.call(value)]];
    return typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [];
  });
  return digestOf({ ...info, owner: undefined, code: { ...Object.fromEntries(texts), module: code } });
}

/** Lists whose order has no meaning: tools that differ only in it are equal. */
const sets: ReadonlySet<string> = new Set(["required", "enum", "tags", "modes", "aliases", "dependsOn"]);

function withSortedSets(value: unknown, key = ""): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, withSortedSets(inner, name)]),
    );
  const list = value.map((inner: unknown) => withSortedSets(inner));
  return sets.has(key) ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list;
}
