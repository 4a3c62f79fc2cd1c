import type { JsonObject, JsonSchema } from "@toolmount/core";
import type { PlanSchemaParts } from "./plan-parts.ts";

/** A package whose config becomes a part of the schema of plans. */
export interface KnownModule {
  readonly name: string;
  readonly config: JsonSchema;
}

/** The parts that make up the schema of plans. */
interface SchemaSources {
  readonly parts: PlanSchemaParts;
  /** For each section of a plan, the config schema of its module. */
  readonly sections: Readonly<Record<string, JsonSchema>>;
  readonly modules: readonly KnownModule[];
}

type Mutable = Record<string, unknown>;

/**
 * Returns one JSON Schema (draft 7) of a whole plan, for editors: the loader's keys, the sections for its modules, and for each
 * known module the config of entries that name it.
 */
export function composePlanSchema({ parts, sections, modules }: SchemaSources): JsonObject {
  const definitions: Mutable = {};
  const add = (name: string, schema: JsonSchema) => embed(schema, name, definitions);
  definitions["entry"] = entryOf(parts.entry, modules, add);
  const { properties: own = {}, ...plan } = add("plan", parts.plan) as { properties?: Mutable };
  const entries = (description: string) => ({
    description,
    type: ["array", "null"],
    items: { $ref: "#/definitions/entry" },
  });
  const { properties: ofLoader } = add("plan.policy", parts.policy) as { properties?: Mutable };
  const withOwn = (policy: Mutable) => ({
    ...policy,
    properties: { ...ofLoader, ...(policy["properties"] as Mutable | undefined) },
  });
  const commandHook = { ...add("commandHook", parts.commandHook), patternProperties: { "^x-": true } };
  const hooks = entries(
    "Modules that mount hooks, after the tools; and commands that are asked about calls.",
  );
  const named = Object.entries(sections).map(([name, schema]) => {
    const section = add(name, schema) as Mutable;
    return [name, name === "policy" ? withOwn(section) : section] as const;
  });
  const text = { type: "string", minLength: 1 };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "A mount plan of toolmount",
    ...plan,
    properties: {
      ...own,
      extends: {
        description:
          "Plans that this one is laid over, lowest first: ./base.yaml, a package, or a file of one.",
        anyOf: [text, { type: "array", items: text }],
      },
      tools: entries("Modules that mount tools, in order."),
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      hooks: { ...hooks, items: { if: { required: ["command"] }, then: commandHook, else: hooks.items } },
      ...Object.fromEntries(named),
    },
    patternProperties: { "^x-": true },
    additionalProperties: false,
    definitions,
  } as JsonObject;
}

/**
 * Returns the schema of an entry. Base plans and overlays may write parts of entries. So an entry needs only a module or the id
 * of the entry that it changes, and its config may lack required members.
 */
function entryOf(
  entry: JsonSchema,
  modules: readonly KnownModule[],
  add: (name: string, schema: JsonSchema) => Mutable,
): Mutable {
  const known = modules.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const { required: _, ...rest } = add("entry", entry) as { required?: unknown };
  const { properties = {} } = rest as { properties?: Record<string, Mutable> };
  const names = known.flatMap(({ name }) => namesOf(name));
  const configs = known.map(({ name, config }) => {
    const { required: _required, ...loose } = add(name.replace(/^@toolmount\//, ""), config) as {
      required?: unknown;
    };
    const asked = { required: ["module"], properties: { module: { enum: namesOf(name) }, source: false } };
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    return { if: asked, then: { properties: { config: loose } } };
  });
  return {
    ...rest,
    properties: { ...properties, module: { ...properties["module"], examples: names } },
    patternProperties: { "^x-": true },
    anyOf: [{ required: ["module"] }, { required: ["id"] }],
    // JSON Schema does not allow an empty `allOf`.
    ...(configs.length > 0 && { allOf: configs }),
  };
}

/** Returns the names that a plan may use for a module: the whole name, and the short one if it has one. */
function namesOf(name: string): string[] {
  const short = /^(?:@toolmount\/tool-|toolmount-tool-)(.+)$/.exec(name)?.[1];
  return short === undefined ? [name] : [short, name];
}

/**
 * Prepares a schema as a part of a larger one. Its definitions move to `definitions`, with `name` before their names, and its
 * references are adapted. Keywords that belong only at the root of a schema are left out.
 */
function embed(
  schema: JsonSchema,
  name: string,
  definitions: Record<string, unknown>,
): Record<string, unknown> {
  const {
    $schema: _,
    $id: _id,
    $defs = {},
    definitions: older = {},
    ...rest
  } = schema as Record<string, unknown>;
  const own = { ...($defs as object), ...(older as object) };
  const rename = (key: string) => `${name}.${key}`;
  for (const [key, value] of Object.entries(own)) definitions[rename(key)] = follow(value, rename);
  return follow(rest, rename) as Record<string, unknown>;
}

function follow(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => follow(item, rename));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const target =
      key === "$ref" && typeof inner === "string"
        ? /^#\/(?:\$defs|definitions)\/(.+)$/.exec(inner)?.[1]
        : undefined;
    return [key, target === undefined ? follow(inner, rename) : `#/definitions/${rename(target)}`];
  });
  return Object.fromEntries(members);
}
