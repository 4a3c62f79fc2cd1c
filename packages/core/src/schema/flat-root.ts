import { isDeepStrictEqual } from "node:util";
import { isRecord, type JsonSchema } from "../json/json.ts";
import { pointed } from "../json/pointer.ts";

type Node = Readonly<Record<string, unknown>>;

/** Keywords that the APIs of models refuse at the root of a tool's schema. Sources: the references of Anthropic and OpenAI. */
const refused = ["allOf", "anyOf", "oneOf", "not", "enum", "$ref"] as const;

/** Maximum number of parts whose properties are read; a reference counts each time. */
const maxParts = 1_000;

/** Longest rules that are written into a schema's description, in characters. */
const maxWritten = 500;

/** Returns the keywords at the root of a schema that the APIs of models refuse there. */
export function refusedAtRoot(schema: JsonSchema): readonly string[] {
  return refused.filter((keyword) => Object.hasOwn(schema, keyword));
}

const known = new WeakMap<JsonSchema, JsonSchema>();

/**
 * Returns a schema of arguments without unions and references at its root, because one such tool makes a model's API refuse the
 * whole request. The properties of all parts become those of the root, and the description says what else holds. The host
 * still checks the arguments with the whole schema. A schema without such keywords is returned as it is.
 */
export function withFlatRoot(schema: JsonSchema): JsonSchema {
  const lost = refusedAtRoot(schema);
  if (lost.length === 0) return schema;
  const before = known.get(schema);
  if (before !== undefined) return before;
  const flat = { ...flatten(schema, { root: schema, left: maxParts }), type: "object" };
  const description = describe(schema, lost);
  const read = description === "" ? flat : { ...flat, description };
  known.set(schema, read);
  return read;
}

interface Reading {
  readonly root: Node;
  /** How many more parts may be read. */
  left: number;
}

/** Returns an object's schema with the properties of all its parts. */
function flatten(node: Node, reading: Reading): Node {
  const { allOf, anyOf, oneOf, not: _, enum: __, $ref: reference, ...own } = node;
  if (reading.left-- <= 0) return own;
  const partsOf = (list: unknown) =>
    Array.isArray(list) ? list.filter(isRecord).map((part) => flatten(part, reading)) : [];
  const target = typeof reference === "string" ? pointed(reading.root, reference) : undefined;
  const base = isRecord(target) ? flatten(target, reading) : {};
  const all = [base, own, ...partsOf(allOf)];
  const choices = [partsOf(anyOf), partsOf(oneOf)];
  const required = [...all.flatMap(requiredOf), ...choices.flatMap(requiredOfEach)];
  const properties = joined([...all, ...choices.flat()]);
  return {
    ...base,
    ...own,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function requiredOf({ required }: Node): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Returns the names that each of several parts requires. */
function requiredOfEach([first = {}, ...rest]: readonly Node[]): readonly string[] {
  return requiredOf(first).filter((name) => rest.every((part) => requiredOf(part).includes(name)));
}

/** Joins the properties of parts. One that parts describe differently may be as any of them says. */
function joined(parts: readonly Node[]): Node {
  const properties = new Map<string, unknown[]>();
  for (const { properties: own } of parts)
    for (const [name, schema] of Object.entries(isRecord(own) ? own : {})) {
      const others = properties.get(name) ?? [];
      if (!others.some((other) => isDeepStrictEqual(other, schema)))
        properties.set(name, [...others, schema]);
    }
  return Object.fromEntries(
    Array.from(properties, ([name, schemas]) => [
      name,
      schemas.length === 1 ? schemas[0] : { anyOf: schemas },
    ]),
  );
}

/** Returns the schema's own description, and the rules of which the root without unions says nothing. */
function describe({ description, ...schema }: Node, lost: readonly string[]): string {
  const own = typeof description === "string" ? description : "";
  const rules = Object.entries(schema).filter(([word, rule]) => lost.includes(word) && !isMerged(word, rule));
  if (rules.length === 0) return own;
  const written = JSON.stringify(Object.fromEntries(rules));
  const more =
    written.length <= maxWritten
      ? `The arguments also have to fit ${written}`
      : "Not all of these arguments go together; an error says which do.";
  return own === "" ? more : `${own}\n${more}`;
}

/** Keywords of a part of `allOf` that the root has after all parts were joined. */
const joinable = new Set(["type", "properties", "required", "title", "description"]);

/** Whether the joined root says all that a keyword said: a reference does, and so do parts that all have to fit. */
function isMerged(word: string, rule: unknown): boolean {
  if (word === "$ref") return true;
  const parts = word === "allOf" && Array.isArray(rule) ? (rule as unknown[]) : [null];
  return parts.every((part) => isRecord(part) && Object.keys(part).every((key) => joinable.has(key)));
}
