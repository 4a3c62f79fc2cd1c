import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlainSchema } from "../../src/schema/plain-schema.ts";

const editions = [new Ajv(), new Ajv2019(), new Ajv2020()];
const isValid = (schema: object) => editions.every((ajv) => ajv.validateSchema(schema, false) === true);

const words = [
  "$comment",
  "title",
  "description",
  "format",
  "type",
  "enum",
  "const",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "uniqueItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
  "properties",
  "additionalProperties",
  "items",
  "anyOf",
  "oneOf",
  "allOf",
  "pattern",
  "$ref",
  "if",
  "not",
  "multipleOf",
];

test("a schema that is plain is one that every edition of ajv accepts", () => {
  const { schema } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("object", "string", "integer", "", "x"),
      fc.constantFrom(true, false, null, 0, 1, -1, 1.5, 2 ** 60),
      fc.array(fc.constantFrom("a", "b", "string", "null", 1, {}), { maxLength: 3 }),
      fc.array(tie("schema"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("schema"), { maxKeys: 2 }),
      tie("schema"),
    ),
    schema: fc.dictionary(fc.constantFrom(...words), tie("value"), { maxKeys: 4 }),
  }));
  let plain = 0;
  fc.assert(
    fc.property(schema, (given) => {
      const one = JSON.parse(JSON.stringify(given)) as object;
      if (!isPlainSchema(one)) return;
      plain += 1;
      expect(isValid(one), JSON.stringify(one)).toBe(true);
    }),
    { numRuns: 20_000 },
  );
  expect(plain).toBeGreaterThan(500);
});

test("the schemas of most tools are plain, and one with a keyword that needs a look is not", () => {
  const path = { type: "string", description: "A file", minLength: 1 };
  expect(
    isPlainSchema({ type: "object", properties: { path }, required: ["path"], additionalProperties: false }),
  ).toBe(true);
  for (const more of [
    { pattern: "(" },
    { $ref: "#/a" },
    { minLength: -1 },
    { required: "path" },
    { type: "text" },
  ])
    expect(isPlainSchema({ type: "object", ...more }), JSON.stringify(more)).toBe(false);
});
