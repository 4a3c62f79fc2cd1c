import { refusalOf } from "@toolmount/core/json";
import { isItem } from "./items.ts";

/**
 * Replaces texts in the arguments of a call that should be other values: `"3"` for a number, `"[…]"` for a list. A text is
 * replaced only if the schema refuses texts there and the text parses to exactly the required type, so that nothing is guessed.
 * Special tokens of a model after the arguments are removed, and a JSON text of JSON is parsed. Other values stay.
 */
export function repairArguments(text: string, schema: unknown): string {
  const given = parsed(text.replace(marks, ""));
  const value = typeof given === "string" ? parsed(given) : given;
  if (!isItem(value)) return text;
  const repaired = repair(value, schema);
  return repaired === given && !marks.test(text) ? text : JSON.stringify(repaired);
}

/** Matches special tokens, such as `<|call|>`, that a server left after the arguments. */
const marks = /(?<=[}"])\s*(?:<\|\w{1,32}\|>\s*)+$/;

/** Parses a JSON text; undefined for text that is not JSON, or that JavaScript would change. */
function parsed(text: string): unknown {
  if (refusalOf(text) !== null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function repair(value: unknown, schema: unknown): unknown {
  if (!isItem(schema)) return value;
  if (typeof value === "string") return ofText(value, schema);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => repair(item, schema["items"]));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const { properties } = schema;
  if (!isItem(value) || !isItem(properties)) return value;
  const pairs = Object.entries(value).map(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, repair(member, known)] as const;
  });
  return pairs.every(([name, member]) => member === value[name]) ? value : Object.fromEntries(pairs);
}

function ofText(text: string, schema: object): unknown {
  const types = typesOf(schema);
  if (types === null || types.includes("string")) return text;
  const value = parsed(text);
  return types.some((type) => isOf(value, type)) ? repair(value, schema) : text;
}

/** Returns the types that a schema accepts; null if it, or one of its alternatives, does not state types. */
function typesOf(schema: unknown): readonly string[] | null {
  if (!isItem(schema)) return null;
  const { type, anyOf, oneOf = anyOf } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  if (!Array.isArray(oneOf)) return null;
  const parts = oneOf.map(typesOf);
  return parts.includes(null) ? null : parts.flatMap((types) => types ?? []);
}

function isOf(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isItem(value);
  if (type === "integer") return Number.isInteger(value);
  return (type === "number" || type === "boolean") && typeof value === type;
}
