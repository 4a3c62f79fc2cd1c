import { expect, test } from "vitest";
import { argumentRows, exampleArguments, typeOf } from "../../src/render/arguments.ts";

test("arguments are rows with the required ones first, in the order of the schema", () => {
  const schema = {
    required: ["path", "mode"],
    properties: {
      limit: { type: "integer", description: "Most lines", minimum: 1, maximum: 9, default: 5 },
      path: { type: "string", description: "The file" },
      text: { minLength: 0, maxLength: 10, pattern: "^a", format: "uri" },
      tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
      mode: { enum: ["a", 1] },
      any: {},
    },
  };

  expect(argumentRows(schema)).toEqual([
    { name: "path", type: "string", required: true, text: "The file" },
    { name: "mode", type: '"a" | 1', required: true, text: "" },
    {
      name: "limit",
      type: "number",
      required: false,
      text: "Most lines (a whole number, minimum 1, maximum 9, default 5)",
    },
    { name: "text", type: "any", required: false, text: "minLength 0, maxLength 10, pattern ^a, format uri" },
    { name: "tags", type: "string[]", required: false, text: "minItems 1, maxItems 2" },
    { name: "any", type: "any", required: false, text: "" },
  ]);
});

test.each([{}, { properties: null }, { properties: "x", required: "x" }])("%j has no arguments", (schema) => {
  expect(argumentRows(schema)).toEqual([]);
  expect(exampleArguments(schema)).toEqual({});
});

test.each<[object, string, string]>([
  [{ type: "array", items: true }, "any[]", "any[]"],
  [{ type: "array", items: false }, "never[]", "never[]"],
  [
    { type: "array", prefixItems: [{ type: "string" }, true], items: false },
    "[string, any]",
    "[string, any]",
  ],
  [{ type: "array", prefixItems: [{ type: "integer" }] }, "[number, ...any[]]", "[number, ...any[]]"],
  [
    { type: "array", prefixItems: [{ type: "string" }], items: { enum: ["a", "b"] } },
    '[string, ...("a" | "b")[]]',
    '[string, ...("a" | "b")[]]',
  ],
  [{ anyOf: [{ type: "string" }, false] }, "string | never", "string | never"],
  [{ type: "string" }, "string", "string"],
  [{ type: "integer" }, "number", "number"],
  [{ type: ["string", "null"] }, "string | null", "string | null"],
  [{ const: "a" }, '"a"', '"a"'],
  [{ enum: ["a", null] }, '"a" | null', '"a" | null'],
  [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "string | number", "string | number"],
  [{ oneOf: [{ type: "string" }, { const: 1 }] }, "string | 1", "string | 1"],
  [{ type: "array" }, "any[]", "any[]"],
  [{ type: "array", items: { type: "number" } }, "number[]", "number[]"],
  [{ type: "array", items: { enum: ["a", "b"] } }, '("a" | "b")[]', '("a" | "b")[]'],
  [{ type: "array", items: { type: "object", properties: { a: {} } } }, "object[]", "{ a?: any }[]"],
  [
    {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string" }, "b-c": {}, $d: { type: "array" } },
    },
    "object",
    '{ a: string; "b-c"?: any; $d?: any[] }',
  ],
  [
    {
      anyOf: [
        { type: "object", properties: { a: { type: "object", properties: { b: {} } } } },
        { type: "null" },
      ],
    },
    "object | null",
    "{ a?: { b?: any } } | null",
  ],
  [{ type: "object", required: "a", properties: { a: {} } }, "object", "{ a?: any }"],
])("the type of %j is %s in a row, and %s with its members", (schema, short, whole) => {
  expect(argumentRows({ properties: { x: schema } })[0]!.type).toBe(short);
  expect(typeOf(schema as Record<string, unknown>)).toBe(whole);
});

test("an example is the schema's own, else a value for each required argument", () => {
  expect(exampleArguments({ examples: [{ a: 1 }, { a: 2 }], required: ["b"] })).toEqual({ a: 1 });
  expect(exampleArguments({ examples: "x", required: ["b"] })).toEqual({ b: "…" });
  expect(exampleArguments({ examples: [null], required: ["b"] })).toEqual({ b: "…" });
  const properties = {
    default: { default: 0, const: 1, type: "string" },
    const: { const: 1, examples: [2] },
    example: { examples: ["e", "f"], enum: ["g"] },
    noExample: { examples: [], enum: ["g", "h"], type: "object" },
    object: { type: "object", required: ["a"], properties: { a: { type: "boolean" } } },
    array: { type: "array", items: {} },
    number: { type: "number" },
    least: { type: "integer", minimum: 7 },
    boolean: { type: "boolean" },
    text: { type: "string", minimum: 7 },
    optional: { type: "string" },
  };
  const { optional: _, ...required } = properties;

  expect(exampleArguments({ properties, required: Object.keys(required) })).toEqual({
    default: 0,
    const: 1,
    example: "e",
    noExample: "g",
    object: { a: true },
    array: [],
    number: 1,
    least: 7,
    boolean: true,
    text: "…",
  });
});

test("a parameter of any value, or of none, is shown as one", () => {
  const schema = { properties: { any: true, none: false }, required: ["any"] };

  expect(argumentRows(schema)).toEqual([
    { name: "any", type: "any", required: true, text: "" },
    { name: "none", type: "never", required: false, text: "" },
  ]);
  expect(exampleArguments(schema)).toEqual({ any: "…" });
  expect(typeOf(schema)).toBe("{ any: any; none?: never }");
});
