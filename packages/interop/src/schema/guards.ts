import type { JsonSchema } from "@toolmount/core";
import { parseExact } from "@toolmount/core/json";

/** Members in which tools from elsewhere have their input schema, in the order in which they are tried. */
const properties = ["input_schema", "inputSchema", "parameters"] as const;
const methods = ["get_schema", "getSchema", "GetSchema"] as const;

/** The members of a foreign value, by name. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is an object with members, as opposed to a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a text; the empty text for any other value. */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Parses a JSON text; undefined for any other text. A number that JavaScript would round becomes a text. */
export function parseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the input schema of a tool from elsewhere, from a property or a method, bare or in a function's envelope. Undefined
 * if it has none; null if what it has is not an object.
 */
export function readForeignSchema(thing: object): JsonSchema | null | undefined {
  const tool = thing as Record<string, unknown>;
  const property = properties.find((name) => tool[name] !== undefined && tool[name] !== null);
  const method = methods.find((name) => typeof tool[name] === "function");
  if (property === undefined && method === undefined) return undefined;
  const given = property === undefined ? (tool[method!] as () => unknown)() : tool[property];
  return isRecord(given) ? unwrapEnvelope(given) : null;
}

/**
 * Returns the bare schema in `{ type: "function", name, parameters }` or `{ function: { parameters } }`; else the given value.
 */
export function unwrapEnvelope(given: Readonly<Record<string, unknown>>): JsonSchema {
  const inner = isRecord(given["function"]) ? given["function"] : given;
  const isEnvelope = given["type"] === "function" || inner !== given || typeof inner["name"] === "string";
  if (!isEnvelope) return given;
  const schema = properties.map((name) => inner[name]).find(isRecord);
  return schema ?? { type: "object", properties: {} };
}
