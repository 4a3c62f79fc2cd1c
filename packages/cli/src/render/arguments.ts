import type { JsonObject } from "@toolmount/core";

/** One argument of a tool, as a row of a table. */
interface ArgumentRow {
  readonly name: string;
  /** The type in TypeScript: `string`, `"a" | "b"`, `number[]`. */
  readonly type: string;
  readonly required: boolean;
  /** Its description, default and bounds. */
  readonly text: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** A part of a schema. `true` accepts every value, and `false` accepts none. */
type SubSchema = Schema | boolean;

/** Returns the arguments that a tool's schema describes, the required ones first. */
export function argumentRows(schema: Schema): ArgumentRow[] {
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
  const rows = Object.entries(propertiesOf(schema)).map(([name, member]) => ({
    name,
    type: typeText(member),
    required: required.has(name),
    text: textOf(member),
  }));
  return [...rows.filter((row) => row.required), ...rows.filter((row) => !row.required)];
}

/** Returns arguments for an example call: the first example of the schema or, without one, a value for each required argument. */
export function exampleArguments(schema: Schema): JsonObject {
  const own = Array.isArray(schema["examples"]) ? (schema["examples"] as unknown[])[0] : undefined;
  if (typeof own === "object" && own !== null) return own as JsonObject;
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  const members = propertiesOf(schema);
  return Object.fromEntries(required.map((name) => [name, exampleValue(members[name] ?? {})])) as JsonObject;
}

function propertiesOf(schema: SubSchema): Readonly<Record<string, SubSchema>> {
  const { properties } = schema as { readonly properties?: unknown };
  return typeof properties === "object" && properties !== null ? (properties as Record<string, Schema>) : {};
}

function exampleValue(schema: SubSchema): unknown {
  if (typeof schema === "boolean") return "…";
  const { examples, enum: values, type, minimum } = schema;
  if ("default" in schema) return schema["default"];
  if ("const" in schema) return schema["const"];
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as unknown;
  if (Array.isArray(values)) return values[0] as unknown;
  if (type === "object") return exampleArguments(schema);
  if (type === "array") return [];
  if (type === "number" || type === "integer") return typeof minimum === "number" ? minimum : 1;
  return type === "boolean" ? true : "…";
}

/** Returns a schema as a TypeScript type, with the members of objects. */
export function typeOf(schema: SubSchema): string {
  const members = Object.entries(propertiesOf(schema));
  if (typeof schema === "boolean" || members.length === 0) return typeText(schema, typeOf);
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
  const texts = members.map(([name, member]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${key}${required.has(name) ? "" : "?"}: ${typeOf(member)}`;
  });
  return `{ ${texts.join("; ")} }`;
}

/** Returns a schema as a TypeScript type. `inner` prints its parts; by default an object's members are not shown. */
function typeText(schema: SubSchema, inner: (schema: SubSchema) => string = typeText): string {
  if (typeof schema === "boolean") return schema ? "any" : "never";
  const { type, enum: values, items = true, prefixItems, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) return variants.map((one) => inner(one as SubSchema)).join(" | ");
  if (type === "array") {
    const item = inner(items as SubSchema);
    const isOne = !item.includes(" ") || Object.hasOwn(items as object, "properties");
    const rest = isOne ? `${item}[]` : `(${item})[]`;
    if (!Array.isArray(prefixItems)) return rest;
    const first = prefixItems.map((one) => inner(one as SubSchema));
    return `[${[...first, ...(items === false ? [] : [`...${rest}`])].join(", ")}]`;
  }
  if (Array.isArray(type)) return type.join(" | ");
  if (type === "integer") return "number";
  return typeof type === "string" ? type : "any";
}

const bounds = ["minimum", "maximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems"];

function textOf(schema: SubSchema): string {
  if (typeof schema === "boolean") return "";
  const { description } = schema;
  const facts = bounds.flatMap((name) => (name in schema ? `${name} ${String(schema[name])}` : []));
  if (schema["type"] === "integer") facts.unshift("a whole number");
  if ("default" in schema) facts.push(`default ${JSON.stringify(schema["default"])}`);
  const text = typeof description === "string" ? description : "";
  if (facts.length === 0) return text;
  return text === "" ? facts.join(", ") : `${text} (${facts.join(", ")})`;
}
