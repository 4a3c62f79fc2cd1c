import type { Ajv } from "ajv";
import { isRecord } from "./guards.ts";
import { valueKeywords } from "./own-ids.ts";

type Node = Record<string, unknown>;

/** A part of a schema that has a default which is written, and the JSON Pointer to it. */
interface Place {
  readonly node: Node;
  readonly pointer: string;
}

/** Keywords that accept every value. */
const annotations = new Set(
  "$comment default deprecated description examples format readOnly title type writeOnly".split(" "),
);

/**
 * Removes from a schema each default that the part with it refuses, such as null for a text, which servers in Python write for
 * an argument that may be absent. Written into the arguments, such a default would make each call without the argument invalid.
 * `accepts` runs a check of `ajv`.
 */
export function dropWrongDefaults(
  schema: Node,
  ajv: Ajv,
  accepts: (check: (value: unknown) => unknown, value: unknown) => boolean,
): void {
  const unsure = placesIn(schema, "").filter(({ node }) => {
    const fits = surelyFits(node);
    if (fits === false) delete node["default"];
    return fits === undefined;
  });
  if (unsure.length === 0) return;
  ajv.addSchema(schema, "defaults");
  try {
    for (const { node, pointer } of unsure) {
      const check = ajv.getSchema(`defaults#${pointer}`);
      if (check !== undefined && !accepts(check, structuredClone(node["default"]))) delete node["default"];
    }
  } finally {
    ajv.removeSchema(schema);
    ajv.removeSchema("defaults");
  }
}

/** Whether a part accepts its default, as far as its type says; undefined if other keywords decide. */
function surelyFits({ default: given, ...keywords }: Node): boolean | undefined {
  const types: readonly unknown[] = [keywords["type"] ?? []].flat();
  const type = given === null ? "null" : Array.isArray(given) ? "array" : typeof given;
  const isOfType = types.includes(type) || (types.includes("integer") && Number.isInteger(given));
  if (types.length > 0 && !isOfType) return false;
  return Object.keys(keywords).every((name) => annotations.has(name)) ? true : undefined;
}

/** Finds the parts with defaults, inner ones first: an outer default is completed by the inner ones before it is checked. */
function placesIn(node: unknown, pointer: string): readonly Place[] {
  if (Array.isArray(node)) return node.flatMap((item, at) => placesIn(item, `${pointer}/${at}`));
  if (!isRecord(node)) return [];
  return Object.entries(node).flatMap(([keyword, value]) => {
    if (valueKeywords.has(keyword)) return [];
    const at = `${pointer}/${escape(keyword)}`;
    if (keyword !== "properties" || !isRecord(value)) return placesIn(value, at);
    return Object.entries(value).flatMap(([name, part]) => {
      const within = `${at}/${escape(name)}`;
      const inner = placesIn(part, within);
      const isPlace = isRecord(part) && Object.hasOwn(part, "default");
      return isPlace ? [...inner, { node: part, pointer: within }] : inner;
    });
  });
}

function escape(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
