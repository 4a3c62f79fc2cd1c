import { describe, expect, test } from "vitest";
import { bindAsAptix, hasAptixBinding, withAptixBinding } from "../../src/schema/aptix-binding.ts";
import { issuesOf } from "../../src/schema/issues.ts";
import { repairSchema } from "../../src/schema/repair.ts";
import { countMembers } from "../../src/schema/step-budget.ts";
import { prepareUndeclared } from "../../src/schema/undeclared.ts";

test.each([
  ["dict", "object"],
  ["Map", "object"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["int", "integer"],
  ["long", "integer"],
  ["bool", "boolean"],
  ["str", "string"],
  ["char", "string"],
  ["list", "array"],
  ["tuple", "array"],
  ["STRING", "string"],
  ["Null", "null"],
])("the type %s is written %s", (given, type) => {
  expect(repairSchema({ type: given })).toEqual({
    schema: { type },
    changes: [`the schema: ${given} is written ${type}`],
  });
});

test("each place is named, any has no type, and what is not a type stays", () => {
  const schema = {
    type: "dict",
    properties: {
      a: { type: "any", enum: ["dict"], default: { type: "dict" }, const: "int", examples: ["int"] },
      type: { type: "array", items: [{ type: "float" }, { type: "string" }] },
    },
    anyOf: [{ type: "toString" }, { type: ["int", "null"] }],
  };

  expect(repairSchema(schema)).toEqual({
    schema: {
      type: "object",
      properties: {
        a: { enum: ["dict"], default: { type: "dict" }, const: "int", examples: ["int"] },
        type: { type: "array", items: [{ type: "number" }, { type: "string" }] },
      },
      anyOf: [{ type: "toString" }, { type: ["int", "null"] }],
    },
    changes: [
      "the schema: dict is written object",
      "properties.a: any is written without a type",
      "properties.type.items[0]: float is written number",
    ],
  });
});

describe("arguments that a schema does not declare", () => {
  const undeclared = (schema: object, value: object) => prepareUndeclared(schema as never)?.(value) ?? null;
  const warning = (key: string) => `the argument "${key}" is not declared; it was passed on as it is`;
  const names = (...keys: string[]) => ({ properties: Object.fromEntries(keys.map((key) => [key, {}])) });

  test.each<[object, readonly string[] | null]>([
    [names("a"), ["b", "c"]],
    [names("a", "b", "c"), []],
    [{}, null],
    [{ properties: {} }, null],
    [{ ...names("a"), additionalProperties: true }, null],
    [{ ...names("a"), unevaluatedProperties: false }, null],
    [{ ...names("a"), patternProperties: {} }, null],
    [{ ...names("a"), propertyNames: {} }, null],
    [{ ...names("a"), allOf: [names("b")] }, ["c"]],
    [{ ...names("a"), anyOf: [names("b"), true] }, ["c"]],
    [{ ...names("a"), oneOf: [names("b"), { additionalProperties: false }] }, null],
    [{ ...names("a"), if: names("b"), then: names("c") }, []],
    [{ ...names("a"), else: names("b") }, ["c"]],
    [{ ...names("a"), dependentSchemas: { a: names("b") } }, ["c"]],
    [{ ...names("a"), $ref: "#/$defs/more~1b", $defs: { "more/b": names("b") } }, ["c"]],
    [{ ...names("a"), $ref: "#/$defs/t~0", $defs: { "t~": names("b") } }, ["c"]],
    [{ ...names("a"), $ref: "#/$defs/gone", $defs: {} }, ["b", "c"]],
    [{ ...names("a"), $ref: "https://a.test" }, ["b", "c"]],
    [{ ...names("a"), $ref: "#" }, ["b", "c"]],
  ])("of %j are warned of: %j", (schema, keys) => {
    expect(undeclared(schema, { a: 1, b: 1, c: 1 })).toEqual(keys?.map(warning) ?? null);
  });

  test("are at most twenty, each by the beginning of its name; a schema without an end is silent", () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, 1]));
    expect(undeclared(names("a"), many)).toHaveLength(20);
    expect(undeclared(names("a"), { ["x".repeat(200)]: 1 })).toEqual([warning("x".repeat(100))]);
    expect(undeclared({ ...names("a"), $ref: "#/" }, { b: 1 })).toEqual([warning("b")]);
    expect(
      undeclared({ $defs: { a: { ...names("a"), $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }, { b: 1 }),
    ).toBeNull();
  });
});

test("names bind without case, where no declared name is given as it is written, and nulls mean absence", () => {
  const schema = { type: "object", properties: { userName: { type: "string" }, age: { type: "integer" } } };
  const bind = (value: unknown) => bindAsAptix(value, schema);

  expect(bind({ USERNAME: "a", Age: 3, Other: 1 })).toEqual({ userName: "a", age: 3, Other: 1 });
  expect(bind({ userName: "a", username: "b" })).toEqual({ userName: "a", username: "b" });
  expect(bind({ UserName: null, age: null, other: null })).toEqual({ other: null });
  expect(bind("text")).toBe("text");
  expect(bindAsAptix({ A: 1 }, { type: "object" })).toEqual({ A: 1 });
  expect(hasAptixBinding(schema)).toBe(false);
  const marked = withAptixBinding(schema);
  expect(hasAptixBinding(marked)).toBe(true);
  expect(JSON.parse(JSON.stringify(marked))).toEqual(schema);
  expect(Object.keys(marked)).toEqual(Object.keys(schema));
});

const fault = (keyword: string, params: object, more: object = {}) =>
  ({ keyword, instancePath: "", params, schemaPath: "", ...more }) as never;

test.each<[string, object, string]>([
  ["required", { missingProperty: "a" }, '"a" is required'],
  ["additionalProperties", { additionalProperty: "a" }, '"a" is not a known argument'],
  ["unevaluatedProperties", { unevaluatedProperty: "b" }, '"b" is not a known argument'],
  ["enum", { allowedValues: ["a", 1, null] }, 'must be one of "a", 1, null'],
  [
    "enum",
    { allowedValues: Array.from({ length: 22 }, (_, at) => at) },
    `must be one of ${Array.from({ length: 20 }, (_, at) => at).join(", ")} and 2 more`,
  ],
  ["enum", {}, "must be one of "],
  ["const", { allowedValue: "a" }, 'must be "a"'],
  ["const", { allowedValue: "x".repeat(200) }, `must be "${"x".repeat(119)}`],
  ["type", { type: "string" }, "must be a string"],
  ["type", { type: "integer" }, "must be an integer"],
  ["type", { type: ["object", "null", "array"] }, "must be an object or null or an array"],
  ["pattern", {}, "is not valid"],
])("a fault of %s with %j: %s", (keyword, params, message) => {
  expect(issuesOf([fault(keyword, params)])).toEqual([{ path: [], message }]);
});

test("a fault has its path and its bounds, and a failed condition says nothing beside others", () => {
  const at = (instancePath: string) =>
    issuesOf([fault("pattern", {}, { instancePath, message: "m".repeat(400) })])[0];

  expect(at("/a~1b/0/c~0/0123456789")).toEqual({
    path: ["a/b", 0, "c~", "0123456789"],
    message: "m".repeat(300),
  });
  expect(at(`/${"k".repeat(200)}`)!.path).toEqual(["k".repeat(100)]);
  expect(at("/a".repeat(60))!.path).toHaveLength(39);
  const condition = fault("if", {}, { message: "must match" });
  expect(issuesOf([condition, fault("type", { type: "string" })])).toEqual([
    { path: [], message: "must be a string" },
  ]);
  expect(issuesOf([condition])).toEqual([{ path: [], message: "must match" }]);
  const many = Array.from({ length: 22 }, () => fault("type", { type: "string" }));
  expect(issuesOf(many.slice(2))).toHaveLength(20);
  expect(issuesOf(many).at(-1)).toEqual({ path: [], message: "and 2 more" });
});

test.each<[unknown, number]>([
  [7, 1],
  [null, 1],
  [[1, [2, 3]], 5],
  [{ a: { b: 1 }, c: "text" }, 4],
])("%j has %s members at all depths", (value, count) => {
  expect(countMembers(value)).toBe(count);
  expect(countMembers(value, count)).toBe(count);
  if (count > 2) expect(countMembers(value, 2)).toBe(2);
});
