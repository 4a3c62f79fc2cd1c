// Reads the form in a question of a server. Servers in Python make forms from types, with `anyOf` for an optional value and
// `$ref` for a choice; the protocol and most clients have neither.
import { isRecord } from "@toolmount/core/json";
import { pointed } from "@toolmount/core/text";
import type { Note } from "../wire/shapes.ts";
import {
  flag,
  number,
  oneOf,
  record,
  shape,
  text,
  withoutNulls,
  type Members,
  type Read,
} from "./members.ts";

/** Maximum number of references and alternatives that lead to the type of a field. */
const maxSteps = 10;

const texts: Read = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;

const choices: Read = (value) =>
  Array.isArray(value) && value.every((item) => isRecord(item) && typeof item["const"] === "string")
    ? (value as readonly Members[]).map((item) => ({ ...item, title: item["title"] ?? item["const"] }))
    : undefined;

const named = { title: text, description: text };

/** Members of the fields of a form, by the type of the value. */
const fields: Readonly<Record<string, Read>> = {
  string: shape({
    ...named,
    minLength: number,
    maxLength: number,
    format: oneOf("email", "uri", "date", "date-time"),
    enum: texts,
    enumNames: texts,
    oneOf: choices,
    default: text,
  }),
  number: shape({ ...named, minimum: number, maximum: number, default: number }),
  integer: shape({ ...named, minimum: number, maximum: number, default: number }),
  boolean: shape({ ...named, default: flag }),
  array: shape({ ...named, minItems: number, maxItems: number, items: record, default: texts }),
};

/**
 * Returns a form with the fields that the protocol has: texts, numbers, yes or no, and choices. A value that may be null becomes
 * an optional one. An optional field of another type is left out, each with a sentence; a required one stays as it is, and the
 * question is refused.
 */
export function readForm(given: unknown, note: Note): unknown {
  if (!isRecord(given)) return given;
  const stated = isRecord(given["properties"]) ? given["properties"] : {};
  const { required, ...others } = withoutNulls(given);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const optional = new Set<unknown>();
  const properties = Object.entries(stated).flatMap(([name, schema]) => {
    const { isNullable, ...found } = typed(isRecord(schema) ? withoutNulls(schema) : {}, given);
    if (isNullable || !needed.includes(name)) optional.add(name);
    const say: Note = (problem) => note(`field "${name}": ${problem}`);
    const field = fieldOf(found.schema, say);
    if (field === undefined && optional.has(name)) say("no form of the protocol has its type; left out");
    return field === undefined && optional.has(name) ? [] : [[name, field ?? schema] as const];
  });
  return {
    ...others,
    type: "object",
    properties: Object.fromEntries(properties),
    ...(Array.isArray(required) && {
      required: needed.filter((name) => typeof name === "string" && !optional.has(name)),
    }),
  };
}

function fieldOf(schema: Members, note: Note): unknown {
  const { type = "string" } = schema;
  const read = typeof type === "string" && Object.hasOwn(fields, type) ? fields[type]! : undefined;
  return read?.({ ...schema, type }, note);
}

/** Follows references and single alternatives to the schema with the type of a field. */
function typed(
  schema: Members,
  form: Members,
  steps = maxSteps,
): { readonly schema: Members; readonly isNullable: boolean } {
  const { $ref, anyOf, allOf, oneOf: one, type, ...others } = schema;
  if (Array.isArray(type) && steps > 0) {
    const names = type.filter((name) => name !== "null");
    const isNullable = names.length < type.length;
    return { schema: names.length === 1 ? { ...schema, type: names[0] as unknown } : schema, isNullable };
  }
  const list = [anyOf, allOf, one].find(Array.isArray) as readonly unknown[] | undefined;
  const some = list?.filter((item) => !isRecord(item) || item["type"] !== "null") ?? [];
  const target = typeof $ref === "string" ? pointed(form, $ref) : some.length === 1 ? some[0] : undefined;
  if (!isRecord(target) || "const" in target || steps === 0) return { schema, isNullable: false };
  const found = typed({ ...withoutNulls(target), ...others }, form, steps - 1);
  return { schema: found.schema, isNullable: found.isNullable || some.length < (list?.length ?? 0) };
}
