import type { JsonSchema } from "@toolmount/core";
import { isRecord } from "./guards.ts";
import { requireModestTree } from "./schema-work.ts";

/** JSON Schema's types for those of other languages. `any` means no type. */
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

/** A schema with JSON Schema's types, and the changes that were made. */
interface RepairedSchema {
  readonly schema: JsonSchema;
  /** One sentence for each changed type. */
  readonly changes: readonly string[];
}

/** Replaces types of other languages (`dict`, `float`, `String`) by those of JSON Schema. Unknown types stay. */
export function repairSchema(schema: JsonSchema): RepairedSchema {
  requireModestTree(schema);
  const changes: string[] = [];
  return { schema: repairNode(schema, "", changes) as JsonSchema, changes };
}

function repairNode(node: unknown, path: string, changes: string[]): unknown {
  if (Array.isArray(node)) return node.map((item, index) => repairNode(item, `${path}[${index}]`, changes));
  if (!isRecord(node)) return node;
  const members = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === "enum" || key === "const" || key === "default" || key === "examples") return [[key, value]];
    if (key !== "type" || typeof value !== "string")
      return [[key, repairNode(value, join(path, key), changes)]];
    const type = repairType(value);
    if (type !== value)
      changes.push(`${path || "the schema"}: ${value} is written ${type ?? "without a type"}`);
    return type === null ? [] : [[key, type]];
  });
  return Object.fromEntries(members);
}

export const typeNames: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

function repairType(given: string): string | null {
  if (typeNames.has(given)) return given;
  const lower = given.toLowerCase();
  if (typeNames.has(lower)) return lower;
  return Object.hasOwn(types, lower) ? types[lower]! : given;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
