import { isRecord } from "./guards.ts";

/**
 * Returns a copy of a value without nulls that mean absence: of members that may be absent, whose schema does not allow null. With
 * `isMeant`, only of those for whose schema it returns true.
 */
export function dropOptionalNulls(
  value: unknown,
  schema: unknown,
  isMeant: (schema: unknown) => boolean = () => true,
): unknown {
  if (!isRecord(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => dropOptionalNulls(item, schema["items"], isMeant));
  if (!isRecord(value)) return value;
  const declared = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const kept = Object.entries(value)
    .filter(
      ([key, member]) =>
        member !== null ||
        required.includes(key) ||
        !Object.hasOwn(declared, key) ||
        allowsNull(declared[key]) ||
        !isMeant(declared[key]),
    )
    .map(([key, member]) => [
      key,
      Object.hasOwn(declared, key) ? dropOptionalNulls(member, declared[key], isMeant) : member,
    ]);
  return Object.fromEntries(kept);
}

function allowsNull(schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const { type, nullable } = schema;
  const values = schema["enum"];
  if (nullable === true || schema["const"] === null) return true;
  if (Array.isArray(values)) return values.includes(null);
  if (Array.isArray(type)) return type.includes("null");
  return type === undefined ? allowsNullByParts(schema) : type === "null";
}

function allowsNullByParts(schema: Readonly<Record<string, unknown>>): boolean {
  const parts = [schema["anyOf"], schema["oneOf"]].find(Array.isArray);
  return parts === undefined ? schema["$ref"] === undefined : parts.some(allowsNull);
}
