import { isRecord, type JsonSchema } from "../json/json.ts";

type Node = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, a list of schemas, or a table of schemas by names that the author chose. */
const single = words(
  "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties",
);
const lists = words("allOf anyOf items oneOf prefixItems");
const tables = words("$defs definitions dependencies dependentSchemas patternProperties properties");

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** Addresses of the editions before 2020-12. */
const olderEdition = /^https?:\/\/json-schema\.org\/(?:schema|draft-0\d\/schema|draft\/2019-09\/schema)#?$/;

const known = new WeakMap<JsonSchema, JsonSchema>();

/**
 * Returns a schema of an older edition of JSON Schema, such as draft-07, as one of 2020-12. Clients of MCP take a schema without
 * `$schema` as one of 2020-12, and some refuse any other. Of the older editions, `$schema` is left out. So are patterns that look
 * around, because for one of them OpenAI and llama.cpp refuse the whole request; the host still checks them. A list without
 * `items` gets those of any kind, for the same reason. Any other schema of 2020-12 is returned as it is.
 */
export function inNewestEdition(schema: JsonSchema): JsonSchema {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const { $schema: edition, ...others } = schema;
  const isOlder = typeof edition === "string" && olderEdition.test(edition);
  const read = rewrite(isOlder ? others : schema) as JsonSchema;
  known.set(schema, read);
  return read;
}

/** Rewrites a schema and its parts. A part that needs no change stays the same object. */
function rewrite(node: unknown): unknown {
  if (!isRecord(node)) return node;
  const members = Object.entries(node).map(([key, value]) => [key, rewriteMember(key, value)] as const);
  const isSame = members.every(([key, value]) => value === node[key]);
  return renamed(isSame ? node : Object.fromEntries(members));
}

function rewriteMember(key: string, value: unknown): unknown {
  if (key === "$ref" && typeof value === "string")
    return value.replaceAll(/\/items\/(\d+)(?=\/|$)/g, "/prefixItems/$1");
  if (tables.has(key) && isRecord(value)) {
    const parts = Object.entries(value).map(([name, part]) => [name, rewrite(part)] as const);
    return parts.every(([name, part]) => part === value[name]) ? value : Object.fromEntries(parts);
  }
  if (lists.has(key) && Array.isArray(value)) {
    const parts = value.map(rewrite);
    return parts.every((part, at) => part === value[at]) ? value : parts;
  }
  return single.has(key) ? rewrite(value) : value;
}

/** Returns a part with what is sent for its keywords. */
function renamed(node: Node): Node {
  return Object.entries(changes).reduce(
    (read, [key, change]) => (Object.hasOwn(read, key) ? change(read) : read),
    node,
  );
}

/** Of a tuple, `items` was the list, and `additionalItems` the schema of the rest. */
function tuple(node: Node): Node {
  const { items, additionalItems, ...others } = node;
  if (Array.isArray(items))
    return {
      ...others,
      prefixItems: items,
      ...(additionalItems !== undefined && { items: additionalItems }),
    };
  if (additionalItems === undefined) return node;
  return { ...others, ...(items !== undefined && { items }) };
}

/** Keywords of older editions, and those that some APIs refuse, with what is sent instead. */
const changes: Readonly<Record<string, (node: Node) => Node>> = {
  items: tuple,
  additionalItems: tuple,
  $recursiveAnchor: ({ $recursiveAnchor: _, ...others }) => others,
  $recursiveRef: ({ $recursiveRef, ...others }) => ({ ...others, $ref: $recursiveRef }),
  type: (node) => {
    const isList = [node["type"]].flat().includes("array");
    return isList && !Object.hasOwn(node, "items") ? { ...node, items: {} } : node;
  },
  // In draft-04 the id of a part. Zod writes it, too, and validators such as Ajv throw for it.
  id: ({ id, ...others }) => (typeof id === "string" ? others : { ...others, id }),
  pattern: (node) => {
    const { pattern, ...others } = node;
    return /\(\?<?[=!]/.test(String(pattern)) ? others : node;
  },
  $id: (node) => {
    const { $id, ...others } = node;
    return typeof $id === "string" && $id.startsWith("#") ? { ...others, $anchor: $id.slice(1) } : node;
  },
  dependencies: ({ dependencies, ...others }) => {
    const all = Object.entries(isRecord(dependencies) ? dependencies : {});
    const [required, schemas] = [true, false].map((isList) =>
      Object.fromEntries(all.filter(([, needed]) => Array.isArray(needed) === isList)),
    );
    return {
      ...others,
      ...(Object.keys(required!).length > 0 && { dependentRequired: required }),
      ...(Object.keys(schemas!).length > 0 && { dependentSchemas: schemas }),
    };
  },
  exclusiveMinimum: (node) => bound(node, "exclusiveMinimum", "minimum"),
  exclusiveMaximum: (node) => bound(node, "exclusiveMaximum", "maximum"),
};

/** In draft-04, a flag said whether a limit is excluded. */
function bound(node: Node, exclusive: string, inclusive: string): Node {
  const { [exclusive]: isExclusive, [inclusive]: limit, ...others } = node;
  if (typeof isExclusive !== "boolean") return node;
  if (limit === undefined) return others;
  return { ...others, [isExclusive ? exclusive : inclusive]: limit };
}
