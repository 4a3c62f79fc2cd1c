import type { JsonObject, JsonSchema } from "@toolmount/core";

type Node = Readonly<Record<string, unknown>>;

/**
 * Makes up arguments for a tool: the required members of its JSON Schema, with values of the stated types. They ignore
 * `pattern` and rules between members, so the tool may still refuse them.
 */
export function sampleArguments(schema: JsonSchema): JsonObject {
  const sample = sampleOf(schema);
  return typeof sample === "object" && sample !== null && !Array.isArray(sample)
    ? (sample as JsonObject)
    : {};
}

/** Makes a value for a JSON Schema by its types, with required members only. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > 8) return null;
  const node = schema as Node;
  if ("default" in node) return node["default"];
  if ("const" in node) return node["const"];
  if (Array.isArray(node["enum"])) return node["enum"][0];
  const part = [node["anyOf"], node["oneOf"], node["allOf"]].find(Array.isArray);
  if (node["type"] === undefined && part !== undefined) return sampleOf(part[0], depth + 1);
  const type = Array.isArray(node["type"]) ? (node["type"][0] as unknown) : node["type"];
  switch (type) {
    case "string":
      return sampleText(node);
    case "number":
    case "integer":
      return typeof node["minimum"] === "number" ? node["minimum"] : 1;
    case "boolean":
      return false;
    case "array":
      return Array.from({ length: Number(node["minItems"] ?? 0) }, () => sampleOf(node["items"], depth + 1));
    case "object":
    case undefined:
      return sampleObject(node, depth);
    default:
      return null;
  }
}

function sampleText({ format, minLength }: Node): string {
  const known: Readonly<Record<string, string>> = {
    date: "2026-01-02",
    "date-time": "2026-01-02T03:04:05Z",
    email: "a@example.com",
    uri: "https://example.com/",
    url: "https://example.com/",
    uuid: "00000000-0000-4000-8000-000000000000",
  };
  return known[String(format)] ?? "a".repeat(Math.max(1, Math.min(200, Number(minLength ?? 1))));
}

function sampleObject(node: Node, depth: number): unknown {
  const required = Array.isArray(node["required"]) ? node["required"].map(String) : [];
  const properties = (node["properties"] ?? {}) as Node;
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name], depth + 1)]));
}
