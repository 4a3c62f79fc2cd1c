import type { ToolInfo } from "@toolmount/core";
import { pointed } from "@toolmount/core/text";

type Schema = Readonly<Record<string, unknown>>;

/** Maximum number of levels of a type that are shown, and of members of one object type. */
const maxLevel = 8;
const maxMembers = 60;

/** Declares tools in TypeScript: `read_file(arguments: { path: string }): Promise<{ text: string }>;`. */
export function declare(tools: readonly ToolInfo[]): string {
  return tools.map(declareOne).join("\n");
}

function declareOne({ name, description, summary, inputSchema, outputSchema }: ToolInfo): string {
  const member = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const result = outputSchema === undefined ? "any" : typeOf(outputSchema, outputSchema, 0);
  const given = typeOf(inputSchema, inputSchema, 0);
  const isOptional = !Array.isArray(inputSchema["required"]) || inputSchema["required"].length === 0;
  return `${comment(summary ?? description)}\n${member}(arguments${isOptional ? "?" : ""}: ${given}): Promise<${result}>;`;
}

function comment(text: string): string {
  return `/** ${text.replaceAll("*/", "* /").replaceAll(/\s+/g, " ").slice(0, 500).trim()} */`;
}

function typeOf(schema: unknown, root: Schema, level: number): string {
  if (typeof schema !== "object" || schema === null || level > maxLevel) return "any";
  const one = schema as Schema;
  if (typeof one["$ref"] === "string") return typeOf(pointed(root, one["$ref"]), root, level + 1);
  if ("const" in one) return JSON.stringify(one["const"]) ?? "any";
  if (Array.isArray(one["enum"])) return union(one["enum"].map((value) => JSON.stringify(value)));
  for (const key of ["anyOf", "oneOf"])
    if (Array.isArray(one[key])) return union(one[key].map((part) => typeOf(part, root, level + 1)));
  if (Array.isArray(one["allOf"]))
    return one["allOf"].map((part) => typeOf(part, root, level + 1)).join(" & ");
  if (Array.isArray(one["type"]))
    return union(one["type"].map((type: unknown) => typeOf({ ...one, type }, root, level)));
  return plainType(one, root, level);
}

function plainType(schema: Schema, root: Schema, level: number): string {
  switch (schema["type"]) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema["type"];
    case "integer":
      return "number";
    case "array":
      return `Array<${typeOf(schema["items"], root, level + 1)}>`;
    default:
      return schema["type"] === "object" || "properties" in schema ? recordOf(schema, root, level) : "any";
  }
}

function recordOf(schema: Schema, root: Schema, level: number): string {
  const { properties, required, additionalProperties } = schema;
  const known = Object.entries((properties ?? {}) as Schema);
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const members = known.slice(0, maxMembers).map(([key, value]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${name}${needed.has(key) ? "" : "?"}: ${typeOf(value, root, level + 1)}`;
  });
  const isOpen = members.length === 0 && additionalProperties !== false;
  if (typeof additionalProperties === "object" || isOpen || known.length > maxMembers)
    members.push(`[key: string]: ${typeOf(additionalProperties, root, level + 1)}`);
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}
