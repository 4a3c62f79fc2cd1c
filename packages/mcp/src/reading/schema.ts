import { isRecord } from "@toolmount/core/json";
import { pointed } from "@toolmount/core/text";
import type { Note } from "../wire/shapes.ts";

/** Kind of value that a keyword of JSON Schema must have. Other keywords are not changed. */
type Kind =
  | "schema"
  | "schemas"
  | "map"
  | "text"
  | "pattern"
  | "number"
  | "flag"
  | "names"
  | "values"
  | "type";

const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.entries({
    schema:
      "items additionalItems additionalProperties contains else if not propertyNames then unevaluatedItems unevaluatedProperties",
    schemas: "allOf anyOf oneOf prefixItems",
    map: "$defs definitions dependentSchemas patternProperties properties",
    text: "$anchor $comment $id $ref $schema description format title",
    pattern: "pattern",
    number:
      "exclusiveMaximum exclusiveMinimum maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf",
    flag: "deprecated readOnly uniqueItems writeOnly",
    names: "required",
    values: "enum examples",
    type: "type",
  }).flatMap(([kind, keywords]) => keywords.split(" ").map((keyword) => [keyword, kind as Kind])),
);

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** Names of types in other languages that servers write instead of those of JSON Schema. */
const otherNames: Readonly<Record<string, string>> = {
  bool: "boolean",
  dict: "object",
  double: "number",
  float: "number",
  int: "integer",
  list: "array",
  str: "string",
};

/** Deepest nesting of a schema, in levels. A host refuses a schema that is deeper. */
const maxLevels = 100;

/**
 * Reads the schema of a tool's arguments, which always becomes that of an object. Keywords with values that no compiler takes
 * are left out, each with a sentence; a schema without such keywords is returned as it is.
 */
export function readInputSchema(given: unknown, note: Note): Readonly<Record<string, unknown>> {
  const say: Note = (problem) => note(`its schema ${problem}`);
  const schema = given === true || given === undefined || given === null ? {} : given;
  if (!isRecord(schema)) say("is no object; any arguments are passed on");
  if (!isRecord(schema)) return { type: "object" };
  const { type } = schema;
  const whole = withoutLost(schema, schemaOf(schema), (reference) =>
    say(`refers to ${shorten(reference)}, which it does not have; any value is passed on there`),
  ) as typeof schema;
  if (type === "object") return readSchema(whole, say);
  if (!(Array.isArray(type) && type.includes("object"))) say(`has ${saidType(type)}; taken as an object`);
  return readSchema({ ...whole, type: "object" }, say);
}

/**
 * Reads the schema of a tool's results. Returns undefined for one that is left out: for lost references and, before 2026, if it
 * does not describe an object.
 */
export function readOutputSchema(given: unknown, isLegacy: boolean, note: Note): unknown {
  const say: Note = (problem) => note(`its outputSchema ${problem}`);
  if (!isRecord(given)) return undefined;
  const lost: string[] = [];
  withoutLost(given, schemaOf(given), (reference) => lost.push(reference));
  if (lost.length > 0) say(`refers to ${shorten(lost[0])}, which it does not have; left out`);
  if (lost.length > 0) return undefined;
  const type = given["type"] ?? undefined;
  if (!isLegacy || type === "object") return readSchema(given, say);
  if (type === undefined) return readSchema({ ...given, type: "object" }, say);
  say(`has ${saidType(type)}, which no result has; left out`);
  return undefined;
}

interface WholeSchema {
  readonly root: Readonly<Record<string, unknown>>;
  /**
   * Whether a part has an `$id` by which the compiler finds it. The parts are searched at most once, as there may be thousands
   * of references.
   */
  readonly hasIds: () => boolean;
}

function schemaOf(root: Readonly<Record<string, unknown>>): WholeSchema {
  let hasIds: boolean | undefined;
  return { root, hasIds: () => (hasIds ??= JSON.stringify(root).includes('"$id"')) };
}

/**
 * Returns a schema without the references to parts that it does not have, because the compiler would refuse the whole tool for
 * one of them. `onLost` gets each such reference. Nothing is fetched.
 */
function withoutLost(value: unknown, schema: WholeSchema, onLost: Note, levels = maxLevels): unknown {
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) {
    const parts = value.map((part) => withoutLost(part, schema, onLost, levels - 1));
    return parts.every((part, at) => part === value[at]) ? value : parts;
  }
  const { $ref } = value as { readonly $ref?: unknown };
  const isLost = typeof $ref === "string" && !refersWithin($ref, schema);
  if (isLost) onLost($ref);
  const kept = Object.entries(value).filter(([name]) => !isLost || name !== "$ref");
  const read = kept.map(([name, part]) => [name, withoutLost(part, schema, onLost, levels - 1)] as const);
  const isSame = !isLost && read.every(([, part], at) => part === kept[at]![1]);
  return isSame ? value : Object.fromEntries(read);
}

/** Whether a reference can be resolved, by a pointer that leads somewhere or by a name that the compiler looks up. */
function refersWithin(reference: string, { root, hasIds }: WholeSchema): boolean {
  if (!reference.startsWith("#/")) return reference.startsWith("#") || hasIds();
  return pointed(root, reference) !== undefined;
}

function saidType(type: unknown): string {
  return type === undefined || type === null ? "no type" : `the type ${JSON.stringify(type).slice(0, 50)}`;
}

function readSchema(schema: Readonly<Record<string, unknown>>, note: Note, levels = maxLevels) {
  let read = schema;
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = Object.hasOwn(kinds, keyword) ? kinds[keyword]! : undefined;
    const taken =
      kind === undefined || levels === 0 ? value : readers[kind](value, note, levels - 1, keyword);
    if (taken === value) continue;
    if (taken === undefined && value !== null)
      note(`has "${keyword}": ${shorten(value)}, which JSON Schema does not allow there; left out`);
    const { [keyword]: _, ...others } = read;
    read = taken === undefined ? others : { ...others, [keyword]: taken };
  }
  return read;
}

type ReadKeyword = (value: unknown, note: Note, levels: number, keyword: string) => unknown;

const readers: Readonly<Record<Kind, ReadKeyword>> = {
  schema: (value, note, levels, keyword) =>
    keyword === "items" && Array.isArray(value)
      ? readEach(value, note, levels)
      : readOne(value, note, levels),
  schemas: (value, note, levels) =>
    Array.isArray(value) && value.length > 0 ? readEach(value, note, levels) : undefined,
  map: readMap,
  text: (value) => (typeof value === "string" ? value : undefined),
  pattern: (value) => (typeof value === "string" && isPattern(value) ? value : undefined),
  number: (value) => (typeof value === "number" ? value : undefined),
  flag: (value) => (typeof value === "boolean" ? value : undefined),
  names: readNames,
  values: (value) => (Array.isArray(value) && value.length > 0 ? value : undefined),
  type: readType,
};

function readOne(value: unknown, note: Note, levels: number): unknown {
  if (typeof value === "boolean") return value;
  return isRecord(value) ? readSchema(value, note, levels) : undefined;
}

/** Reads each schema of a list; a value that is no schema becomes a schema that allows everything. */
function readEach(values: readonly unknown[], note: Note, levels: number): readonly unknown[] {
  const read = values.map((value) => readOne(value, note, levels) ?? {});
  return read.every((value, at) => value === values[at]) ? values : read;
}

/** Reads the schemas in an object. An empty list, which PHP writes for an empty object, becomes an object. */
function readMap(value: unknown, note: Note, levels: number): unknown {
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isRecord(value)) return undefined;
  const read = Object.entries(value).flatMap(([name, schema]) => {
    const taken = schema === null ? {} : readOne(schema, note, levels);
    if (taken === undefined) note(`has no schema for "${name.slice(0, 50)}"; left out`);
    return taken === undefined ? [] : [[name, taken] as const];
  });
  const isSame = read.every(([name, schema]) => schema === value[name]);
  return isSame && read.length === Object.keys(value).length ? value : Object.fromEntries(read);
}

function readNames(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  return value.every((name) => typeof name === "string")
    ? value
    : value.filter((name) => typeof name === "string");
}

function readType(value: unknown): unknown {
  if (typeof value === "string") return typeName(value);
  if (!Array.isArray(value)) return undefined;
  const names = value.map((name) => (typeof name === "string" ? typeName(name) : undefined));
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return names.every((name, at) => name === value[at]) ? value : names;
}

function typeName(name: string): string | undefined {
  const lower = name.toLowerCase();
  const known = Object.hasOwn(otherNames, lower) ? otherNames[lower]! : lower;
  return typeNames.has(known) ? known : undefined;
}

/** Whether a text is a regular expression, with or without the flag `u`. */
function isPattern(text: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(text, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? "").slice(0, 60);
}
