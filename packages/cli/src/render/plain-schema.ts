/** Keywords that the compiler of types would take as names or as code of TypeScript. */
const dropped: ReadonlySet<string> = new Set(["title", "id", "$id", "$schema", "tsType", "tsEnumNames"]);

/** Keywords whose members are named by the author of the schema. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Keywords whose values are data. */
const values: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);

/**
 * A schema for the compiler of types. Titles would become names of types, of which two tools may have the same, and
 * `tsType` is copied into the file as it is; a server may have written either.
 */
export function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (dropped.has(key)) return [];
    if (values.has(key)) return [[key, value]];
    if (key === "description" && typeof value === "string") return [[key, value.replaceAll("*/", "* /")]];
    return [[key, maps.has(key) ? plainMembers(value) : plainSchema(value)]];
  });
  return Object.fromEntries(members);
}

function plainMembers(map: unknown): unknown {
  if (typeof map !== "object" || map === null || Array.isArray(map)) return map;
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, plainSchema(schema)]));
}
