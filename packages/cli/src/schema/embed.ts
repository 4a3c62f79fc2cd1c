import type { JsonSchema } from "@toolmount/core";

/**
 * A schema as a part of a larger one: what it defines for itself moves to the definitions of the whole, under names that
 * begin with its own, and its references follow. Keywords that only the root of a schema has are left out.
 */
export function embed(
  schema: JsonSchema,
  name: string,
  definitions: Record<string, unknown>,
): Record<string, unknown> {
  const {
    $schema: _,
    $id: _id,
    $defs = {},
    definitions: older = {},
    ...rest
  } = schema as Record<string, unknown>;
  const own = { ...($defs as object), ...(older as object) };
  const rename = (key: string) => `${name}.${key}`;
  for (const [key, value] of Object.entries(own)) definitions[rename(key)] = follow(value, rename);
  return follow(rest, rename) as Record<string, unknown>;
}

function follow(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => follow(item, rename));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const target =
      key === "$ref" && typeof inner === "string"
        ? /^#\/(?:\$defs|definitions)\/(.+)$/.exec(inner)?.[1]
        : undefined;
    return [key, target === undefined ? follow(inner, rename) : `#/definitions/${rename(target)}`];
  });
  return Object.fromEntries(members);
}
