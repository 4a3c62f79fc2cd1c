import type { JsonSchema } from "@toolmount/core";
import { parseExact } from "@toolmount/core/json";

/** Members under which foreign tools keep their input schema, in the order in which they are looked for. */
const properties = ["input_schema", "inputSchema", "parameters"] as const;
const methods = ["get_schema", "getSchema", "GetSchema"] as const;

/** The members of a foreign value, by name. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is an object with members, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or the empty one for anything else. */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value of a JSON text, in which a number that JavaScript would change is a text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/**
 * The input schema of a foreign tool, however it gives it: as a property or by a method, bare or in a function's
 * envelope. Undefined when it has none; null when what it has is not an object.
 */
export function readForeignSchema(thing: object): JsonSchema | null | undefined {
  const tool = thing as Record<string, unknown>;
  const property = properties.find((name) => tool[name] !== undefined && tool[name] !== null);
  const method = methods.find((name) => typeof tool[name] === "function");
  if (property === undefined && method === undefined) return undefined;
  const given = property === undefined ? (tool[method!] as () => unknown)() : tool[property];
  return isRecord(given) ? unwrapEnvelope(given) : null;
}

/** The bare schema of `{ type: "function", name, parameters }`, of `{ function: { parameters } }`, or what was given. */
export function unwrapEnvelope(given: Readonly<Record<string, unknown>>): JsonSchema {
  const inner = isRecord(given["function"]) ? given["function"] : given;
  const isEnvelope = given["type"] === "function" || inner !== given || typeof inner["name"] === "string";
  if (!isEnvelope) return given;
  const schema = properties.map((name) => inner[name]).find(isRecord);
  return schema ?? { type: "object", properties: {} };
}
