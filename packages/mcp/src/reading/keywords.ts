// Reads the keywords of a JSON Schema, each by itself: one with a value that no compiler takes is left out.
import { canonicalJson, isRecord } from "@toolmount/core/json";
import type { Note } from "../wire/shapes.ts";
import { matching, prose } from "./members.ts";

/** Kind of value that a keyword of JSON Schema must have. Other keywords are not changed. */
type Kind =
  | "schema"
  | "schemas"
  | "map"
  | "needs"
  | "lists"
  | "text"
  | "prose"
  | "id"
  | "local"
  | "none"
  | "anchor"
  | "edition"
  | "pattern"
  | "number"
  | "count"
  | "step"
  | "flag"
  | "names"
  | "values"
  | "type";

const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.entries({
    schema:
      "items additionalItems additionalProperties contains contentSchema else if not propertyNames then unevaluatedItems unevaluatedProperties",
    schemas: "allOf anyOf oneOf prefixItems",
    map: "$defs definitions dependentSchemas patternProperties properties",
    needs: "dependencies",
    lists: "dependentRequired",
    local: "$dynamicRef $recursiveRef",
    none: "$async $vocabulary",
    text: "$comment $ref contentEncoding contentMediaType format",
    prose: "description title",
    id: "$id",
    anchor: "$anchor $dynamicAnchor",
    edition: "$schema",
    pattern: "pattern",
    number: "exclusiveMaximum exclusiveMinimum maximum minimum",
    count: "maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties",
    step: "multipleOf",
    flag: "$recursiveAnchor deprecated nullable readOnly uniqueItems writeOnly",
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
export const maxLevels = 100;

/**
 * Reads a schema. `note` gets a sentence about each keyword that is left out; a schema without such keywords is returned as it
 * is.
 */
export function readSchema(schema: Readonly<Record<string, unknown>>, note: Note, levels = maxLevels) {
  let read = schema;
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = Object.hasOwn(kinds, keyword) ? kinds[keyword]! : undefined;
    const taken =
      kind === undefined || levels === 0 ? value : readers[kind](value, note, levels - 1, keyword);
    if (taken === value) continue;
    if (taken === undefined && value !== null)
      note(`has "${keyword}": ${shorten(value)}, which ${whyNot(value)}; left out`);
    const { [keyword]: _, ...others } = read;
    read = taken === undefined ? others : { ...others, [keyword]: taken };
  }
  return "nullable" in read && read["type"] === undefined ? withNull(read) : read;
}

function whyNot(value: unknown): string {
  return isUnlimited(value) ? "cannot be matched in limited time" : "JSON Schema does not allow there";
}

/** Writes `nullable` of OpenAPI as JSON Schema has it, because no compiler takes it where no type is named. */
function withNull({ nullable, ...schema }: Readonly<Record<string, unknown>>) {
  const { anyOf } = schema;
  return nullable === true && Array.isArray(anyOf)
    ? { ...schema, anyOf: [...anyOf, { type: "null" }] }
    : schema;
}

type ReadKeyword = (value: unknown, note: Note, levels: number, keyword: string) => unknown;

const readers: Readonly<Record<Kind, ReadKeyword>> = {
  schema: (value, note, levels, keyword) =>
    keyword === "items" && Array.isArray(value) && value.length > 0
      ? readEach(value, note, levels)
      : readOne(value, note, levels),
  schemas: (value, note, levels) =>
    Array.isArray(value) && value.length > 0 ? readEach(value, note, levels) : undefined,
  map: readMap,
  needs: (value, note, levels) =>
    isRecord(value) ? mapped(value, (part) => readNames(part) ?? readOne(part, note, levels)) : undefined,
  lists: (value) => (isRecord(value) ? mapped(value, readNames) : undefined),
  text: (value) => (typeof value === "string" ? value : undefined),
  prose: (value, note) =>
    typeof value === "string" ? prose(value, (words) => note(words.replace(/^it /, ""))) : undefined,
  local: matching(/^#./),
  none: () => undefined,
  id: matching(/^[^#]+#?$/),
  anchor: matching(/^[A-Za-z_][-A-Za-z0-9._]*$/),
  edition: matching(/20(?:19-09|20-12)|draft-0[4-7]|^http:\/\/json-schema\.org\/schema|^$/),
  pattern: (value) => (typeof value === "string" && isPattern(value) ? value : undefined),
  number: (value) => (typeof value === "number" ? value : undefined),
  count: (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined),
  step: (value) => (typeof value === "number" && value > 0 ? value : undefined),
  flag: (value) => (typeof value === "boolean" ? value : undefined),
  names: readNames,
  values: (value, _note, _levels, keyword) => {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return keyword === "enum" ? onlyOnce(value, canonicalJson) : value;
  },
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
  return mapped(value, (schema, name) => {
    const taken = schema === null ? {} : readOne(schema, note, levels);
    if (taken === undefined) note(`has no schema for "${name.slice(0, 50)}"; left out`);
    return taken;
  });
}

/** Reads each member of an object; those that cannot be read are left out. */
function mapped(
  value: Readonly<Record<string, unknown>>,
  read: (member: unknown, name: string) => unknown,
): unknown {
  const members = Object.entries(value).map(([name, member]) => [name, read(member, name)] as const);
  if (members.every(([name, member]) => member === value[name])) return value;
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function readNames(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  const names = value.filter((name) => typeof name === "string");
  return onlyOnce(names.length === value.length ? value : names, String);
}

/** Returns a list without the items that an earlier one equals; the same list if there are none. */
function onlyOnce(list: readonly unknown[], textOf: (item: unknown) => string): readonly unknown[] {
  const seen = new Set<string>();
  const items = list.filter((item) => seen.size < seen.add(textOf(item)).size);
  return items.length === list.length ? list : items;
}

function readType(value: unknown): unknown {
  if (typeof value === "string") return typeName(value);
  if (!Array.isArray(value)) return undefined;
  const names = value.map((name) => (typeof name === "string" ? typeName(name) : undefined));
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return names.every((name, at) => name === value[at]) ? onlyOnce(value, String) : onlyOnce(names, String);
}

function typeName(name: string): string | undefined {
  const lower = name.toLowerCase();
  const known = Object.hasOwn(otherNames, lower) ? otherNames[lower]! : lower;
  return typeNames.has(known) ? known : undefined;
}

/** Whether a pattern looks around or refers back, which no engine does in limited time. */
function isUnlimited(pattern: unknown): boolean {
  return typeof pattern === "string" && /\(\?<?[=!]|\\(?:[1-9]|k<)/.test(pattern);
}

/** Whether a text is a regular expression, with or without the flag `u`, that can be matched in limited time. */
function isPattern(text: string): boolean {
  if (isUnlimited(text)) return false;
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(text, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

/** Returns the beginning of a value as JSON, for a sentence. */
export function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? "").slice(0, 60);
}
