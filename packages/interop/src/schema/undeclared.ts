import type { JsonSchema } from "@toolmount/core";
import { pointed } from "@toolmount/core/text";
import { isRecord } from "./guards.ts";

/** Keywords by which a schema itself says what happens to names that it does not declare. */
const outspoken = ["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"];

/**
 * Makes a function that finds arguments which a schema neither declares nor mentions. Null if the schema says what happens to
 * other names, or if it declares none.
 */
export function prepareUndeclared(schema: JsonSchema): ((value: object) => readonly string[]) | null {
  const names = new Set<string>();
  if (!collect(schema, schema, names, 0) || names.size === 0) return null;
  return (value) =>
    Object.keys(value)
      .filter((key) => !names.has(key))
      .slice(0, 20)
      .map(
        (key) =>
          `the argument ${JSON.stringify(key.slice(0, 100))} is not declared; it was passed on as it is`,
      );
}

/** Adds the names that a schema declares in all its parts. Returns false if a part itself says what happens to other names. */
function collect(node: unknown, root: JsonSchema, names: Set<string>, depth: number): boolean {
  if (!isRecord(node)) return true;
  if (depth > 8 || outspoken.some((keyword) => node[keyword] !== undefined)) return false;
  if (isRecord(node["properties"])) for (const name of Object.keys(node["properties"])) names.add(name);
  return partsOf(node, root).every((part) => collect(part, root, names, depth + 1));
}

function partsOf(node: Readonly<Record<string, unknown>>, root: JsonSchema): readonly unknown[] {
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((keyword) =>
    Array.isArray(node[keyword]) ? node[keyword] : [],
  );
  const single = ["if", "then", "else"].map((keyword) => node[keyword]);
  const dependent = isRecord(node["dependentSchemas"]) ? Object.values(node["dependentSchemas"]) : [];
  return [...lists, ...single, ...dependent, pointed(root, String(node["$ref"]))];
}
