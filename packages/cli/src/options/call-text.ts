import { refusalOf } from "@toolmount/core/json";
import type { Json, JsonObject, JsonSchema } from "@toolmount/core";
import { ToolmountError } from "@toolmount/core/errors";

/** A call that is written as in a program: `tool(a: 1, b: "x")`. */
export interface WrittenCall {
  readonly tool: string;
  /** The text between the parentheses. */
  readonly inner: string;
}

/** Reads a word of the form `tool(…)`; undefined for any other word. */
export function readCallText(word: string): WrittenCall | undefined {
  const [, tool, inner] = /^([A-Za-z0-9_.-]{1,128})\((.*)\)$/s.exec(word.trim()) ?? [];
  return tool === undefined || inner === undefined ? undefined : { tool, inner };
}

/**
 * Reads the arguments of a written call: `name: value` with commas, values as in JSON or as bare words. Throws `USAGE_INVALID`
 * for other text.
 */
export async function parseInner({ tool, inner }: WrittenCall): Promise<JsonObject> {
  const { parseFlowMap } = await import("./flow-map.ts");
  const read = parseFlowMap(inner);
  if (read.ok) return read.value;
  const problem = `the arguments of ${tool}(…) cannot be read: ${read.problem}; write ${tool}(name: "text", count: 3)`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}

/**
 * Converts arguments that were written as `name=text` to the types in the tool's schema: a text becomes a number, true or false
 * if the schema allows such a type and no text.
 */
export function fitTexts(given: JsonObject, texts: ReadonlySet<string>, schema: JsonSchema): JsonObject {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const members = Object.entries(given).map(([name, value]): [string, Json] => [
    name,
    texts.has(name) && typeof value === "string" ? fitText(value, properties[name] ?? {}) : value,
  ]);
  return Object.fromEntries(members);
}

/** Converts a text to a value of a schema. A text that does not fit stays, so that the host reports it. */
export function fitText(text: string, { type }: JsonSchema): Json {
  const types = [type].flat();
  if (types.includes("string")) return text;
  if (
    (types.includes("number") || types.includes("integer")) &&
    /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)
  )
    return refusalOf(text) === null ? Number(text) : text;
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}
