import { createSchemaCompiler } from "@toolmount/interop";
import { expect, test } from "vitest";

const compile = (schema: Record<string, unknown>) => createSchemaCompiler().compile(schema);
const object = (properties: Record<string, unknown>) => ({ type: "object", properties });

const types = (at: string) =>
  `schema is invalid: data${at}/type must be equal to one of the allowed values, ` +
  `data${at}/type must be array, data${at}/type must match a schema in anyOf`;

test.each<[string, Record<string, unknown>, string]>([
  [
    "a reference out of it",
    object({ a: { $ref: "https://a.test/x.json" } }),
    "can't resolve reference https://a.test/x.json from id #",
  ],
  [
    "a reference to a file",
    object({ a: { $ref: "file:///etc/passwd" } }),
    "can't resolve reference file:///etc/passwd from id #",
  ],
  [
    "a reference to nothing",
    object({ a: { $ref: "#/$defs/gone" } }),
    "can't resolve reference #/$defs/gone from id #",
  ],
  [
    "an unknown edition",
    { $schema: "https://a.test/schema" },
    '"$schema" is "https://a.test/schema"; known are draft-07, 2019-09 and 2020-12',
  ],
  [
    "an edition with a long name",
    { $schema: "x".repeat(101) },
    `"$schema" is "${"x".repeat(100)}"; known are draft-07, 2019-09 and 2020-12`,
  ],
  ["an unknown type", object({ a: { type: "dict" } }), types("/properties/a")],
  ["a type that is no text", { type: 7 }, types("")],
  [
    "a property that is no schema",
    object({ a: 5 }),
    "schema is invalid: data/properties/a must be object,boolean",
  ],
  ["asynchronous checks", { $async: true }, '"$async" is not taken'],
  [
    "an invalid pattern",
    object({ a: { pattern: "(" } }),
    'RE2 cannot compile the pattern "(": look-around, back-references and counts above 1000 are not supported; remove or rewrite the pattern',
  ],
])("%s is refused", (_, schema, message) => {
  expect(() => compile(schema)).toThrow(expect.objectContaining({ message }));
});

test.each<[string, Record<string, unknown>, unknown, boolean]>([
  [
    "draft-07 by name",
    { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] },
    [1],
    false,
  ],
  [
    "draft-04 by name",
    { $schema: "http://json-schema.org/draft-04/schema#", items: [{ type: "string" }] },
    ["a", 1],
    true,
  ],
  ["draft-07 by a tuple inside of it", object({ a: { items: [{ type: "string" }] } }), { a: [1] }, false],
  [
    "no edition by its old address",
    { $schema: "http://json-schema.org/schema#", prefixItems: [{ type: "string" }] },
    [1],
    false,
  ],
  [
    "2020-12 by name",
    { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "string" }] },
    [1],
    false,
  ],
  ["2020-12 where nothing says otherwise", { prefixItems: [{ type: "string" }] }, [1], false],
  [
    "2019-09 by name",
    {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      properties: { a: {} },
      unevaluatedProperties: false,
    },
    { a: 1, b: 2 },
    false,
  ],
])("%s is read as that edition", (_, schema, value, isValid) => {
  expect(compile(schema)(value).ok).toBe(isValid);
});

test("every fault of a value is said, and of a value with very many members the first", () => {
  const parse = compile({ type: "array", items: { type: "integer" } });
  const fault = (at: number) => ({ path: [at], message: "must be an integer" });
  const values = (count: number) => Array.from({ length: count }, () => "x");

  expect(parse(values(2))).toEqual({ ok: false, issues: [fault(0), fault(1)] });
  const few = parse(values(1_998)) as { issues: readonly unknown[] };
  const many = parse(values(2_001)) as { issues: readonly unknown[] };
  expect(few.issues.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, at) => fault(at)));
  expect(few.issues.slice(20)).toEqual([{ path: [], message: "and 1978 more" }]);
  expect(many.issues).toEqual([fault(0)]);
});

test.each<[unknown, boolean]>([
  [[1, 2, 1], false],
  [
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    false,
  ],
  [[1, "1", true, null], true],
  [[], true],
])("a list without the same item twice: %j is %s", (value, isValid) => {
  expect(compile({ type: "array", uniqueItems: true })(value)).toEqual(
    isValid
      ? { ok: true, value }
      : { ok: false, issues: [{ path: [], message: "must not have the same item twice" }] },
  );
  expect(compile({ type: "array", uniqueItems: false })(value).ok).toBe(true);
});
