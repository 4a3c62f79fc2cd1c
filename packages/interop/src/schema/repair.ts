import type { JsonSchema } from "@toolmount/core";
import { isRecord } from "./guards.ts";

/** Types that are not JSON Schema's, and what their authors mean. `any` is no type at all. */
const types: Readonly<Record<string, string | null>> = {
  dict: "object",
  map: "object",
  float: "number",
  double: "number",
  decimal: "number",
  int: "integer",
  long: "integer",
  bool: "boolean",
  str: "string",
  char: "string",
  list: "array",
  tuple: "array",
  any: null,
};

/** A schema whose types are JSON Schema's, and what had to be changed for that. */
export interface MendedSchema {
  readonly schema: JsonSchema;
  /** One sentence for each place. */
  readonly changes: readonly string[];
}

/** Writes types of other languages (`dict`, `float`, `String`) as JSON Schema's. What it does not know it leaves as it is. */
export function mendSchema(schema: JsonSchema): MendedSchema {
  const changes: string[] = [];
  return { schema: mendNode(schema, "", changes) as JsonSchema, changes };
}

function mendNode(node: unknown, path: string, changes: string[]): unknown {
  if (Array.isArray(node)) return node.map((item, index) => mendNode(item, `${path}[${index}]`, changes));
  if (!isRecord(node)) return node;
  const members = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === "enum" || key === "const" || key === "default" || key === "examples") return [[key, value]];
    if (key !== "type" || typeof value !== "string")
      return [[key, mendNode(value, join(path, key), changes)]];
    const type = mendType(value);
    if (type !== value)
      changes.push(`${path || "the schema"}: ${value} is written ${type ?? "without a type"}`);
    return type === null ? [] : [[key, type]];
  });
  return Object.fromEntries(members);
}

const known = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function mendType(given: string): string | null {
  if (known.has(given)) return given;
  const lower = given.toLowerCase();
  if (known.has(lower)) return lower;
  return Object.hasOwn(types, lower) ? types[lower]! : given;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
