import type { JsonSchema } from "@toolmount/core";
import { refusedAtRoot } from "@toolmount/core/schemas";

/** Keywords that strict mode accepts in a schema. Source: OpenAI's guide to structured outputs. */
const allowed = new Set([
  "type",
  "description",
  "title",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "$schema",
  "default",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "pattern",
  "format",
  "minItems",
  "maxItems",
]);

/**
 * Returns a schema in the form of strict mode: objects have no other properties, every property is required, and optional ones
 * are nullable. Null if strict mode cannot express the schema, for example because of open objects, references or unknown
 * keywords.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | null {
  const strict = refusedAtRoot(schema).length === 0 ? convert(schema) : null;
  return strict !== null && strict["type"] === "object" ? strict : null;
}

type Schema = Readonly<Record<string, unknown>>;

function convert(given: unknown): Schema | null {
  if (!isSchema(given)) return null;
  if (Object.keys(given).some((key) => !allowed.has(key))) return null;
  const { $schema: _, default: __, ...schema } = given;
  if (schema["type"] === undefined && schema["anyOf"] === undefined && schema["enum"] === undefined)
    return null;
  if (schema["anyOf"] !== undefined) return convertChoice(schema);
  if (schema["type"] === "object") return convertObject(schema);
  if (schema["type"] !== "array") return schema;
  const items = convert(schema["items"]);
  return items === null ? null : { ...schema, items };
}

function convertChoice(schema: Schema): Schema | null {
  const choices = (schema["anyOf"] as unknown[]).map(convert);
  return choices.includes(null) ? null : { ...schema, anyOf: choices };
}

function convertObject(schema: Schema): Schema | null {
  if (schema["additionalProperties"] !== false) return null;
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const converted: Record<string, Schema> = {};
  for (const [name, value] of Object.entries(properties)) {
    const one = convert(value);
    if (one === null) return null;
    converted[name] = required.includes(name) ? one : nullable(one);
  }
  return { ...schema, properties: converted, required: Object.keys(properties) };
}

function nullable(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
