import { isNative, problemOf, type ToolRule } from "./tool-subject.ts";

type Node = Readonly<Record<string, unknown>>;
type Parameter = readonly [path: string, schema: Node];

/** The checks of parameters. */
export const schemaRules: readonly ToolRule[] = [
  {
    id: "schema_types",
    severity: "warning",
    why: "a model writes the value that the type describes",
    fix: "give every parameter a simple JSON type",
    *check(subject) {
      if (!isNative(subject)) return;
      for (const [path, schema] of parametersOf(subject.info?.inputSchema))
        if (!isTyped(schema)) yield problemOf(subject, path, "it has no simple JSON type");
    },
  },
  {
    id: "schema_descriptions",
    severity: "warning",
    why: "with a name alone, a model has to guess",
    fix: "describe every parameter in a few words",
    *check(subject) {
      if (!isNative(subject)) return;
      for (const [path, { description }] of parametersOf(subject.info?.inputSchema))
        if (typeof description !== "string" || description.trim() === "")
          yield problemOf(subject, path, "it has no description");
    },
  },
];

/** Returns the parameters of a schema with their paths, including those in objects and lists. */
function parametersOf(schema: unknown, before = "inputSchema", depth = 0): readonly Parameter[] {
  const { properties, items } = (schema ?? {}) as { properties?: unknown; items?: unknown };
  if (depth > 8) return [];
  const own = isNode(properties) ? Object.entries(properties).filter(isParameter) : [];
  return [
    ...own.flatMap(([name, parameter]): readonly Parameter[] => {
      const path = `${before}.properties.${name}`;
      return [[path, parameter], ...parametersOf(parameter, path, depth + 1)];
    }),
    ...(isNode(items) ? parametersOf(items, `${before}.items`, depth + 1) : []),
  ];
}

function isParameter(entry: [string, unknown]): entry is [string, Node] {
  return isNode(entry[1]);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const simpleTypes = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function isTyped(schema: unknown, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > 6) return false;
  const node = schema as Node;
  const { type } = node;
  if (typeof type === "string") return simpleTypes.has(type);
  if (Array.isArray(type)) return type.every((one) => simpleTypes.has(String(one)));
  if ("enum" in node || "const" in node || typeof node["$ref"] === "string") return true;
  const parts = [node["anyOf"], node["oneOf"], node["allOf"]].find(Array.isArray);
  return parts?.every((part) => isTyped(part, depth + 1)) ?? false;
}
