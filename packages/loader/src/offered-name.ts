import { isRecord } from "./json.ts";

/** What an entry of a plan says of names, checked or not. */
export interface Naming {
  readonly tools?: unknown;
  readonly prefix?: unknown;
}

/**
 * The name under which an entry offers a tool; null when it leaves the tool out. `as` is the whole new name: a prefix
 * is not put before it.
 */
export function offeredName({ tools, prefix }: Naming, name: string): string | null {
  const { include, exclude, [name]: own } = isRecord(tools) ? tools : {};
  if (Array.isArray(exclude) && exclude.includes(name)) return null;
  if (Array.isArray(include) && !include.includes(name)) return null;
  const as = isRecord(own) ? own["as"] : undefined;
  if (typeof as === "string") return as;
  return typeof prefix === "string" ? `${prefix}${name}` : name;
}
