import { inNewestEdition, refusedAtRoot, withFlatRoot } from "@toolmount/core/schemas";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

type Schema = Readonly<Record<string, unknown>>;

const draft7 = "http://json-schema.org/draft-07/schema#";
const text = { type: "string" };
const loosely = { strict: false, logger: false } as const;
const [before, now] = [new Ajv(loosely), new Ajv2020(loosely)];

describe("a schema of an older edition is one of 2020-12", () => {
  test.each<[string, Schema, Schema]>([
    ["its address goes", { $schema: draft7, type: "object" }, { type: "object" }],
    [
      "a tuple",
      { items: [text, { items: [text] }], additionalItems: false },
      { prefixItems: [text, { prefixItems: [text] }], items: false },
    ],
    ["a rest without a tuple", { items: text, additionalItems: text }, { items: text }],
    ["a rest alone", { additionalItems: false }, {}],
    [
      "dependencies of both kinds",
      { dependencies: { a: ["b"], c: { required: ["d"], items: [text] } } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"], prefixItems: [text] } } },
    ],
    ["no dependencies", { dependencies: {} }, {}],
    ["limits of draft-04", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ["limits that are included", { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    ["a flag without a limit", { exclusiveMaximum: true }, {}],
    ["an anchor", { definitions: { a: { $id: "#a" } } }, { definitions: { a: { $anchor: "a" } } }],
    [
      "a reference into a tuple",
      { $ref: "#/properties/a/items/0" },
      { $ref: "#/properties/a/prefixItems/0" },
    ],
    [
      "a pattern that looks around, and the name that Zod gives a part",
      {
        pattern: "^(?!undefined$)",
        items: { id: "Item", pattern: "^a" },
        properties: { id: { type: "string" } },
      },
      { items: { pattern: "^a" }, properties: { id: { type: "string" } } },
    ],
    [
      "a list without items",
      { type: "array", anyOf: [{ type: ["array", "null"], prefixItems: [text] }] },
      { type: "array", items: {}, anyOf: [{ type: ["array", "null"], prefixItems: [text], items: {} }] },
    ],
    ["2019-09", { $recursiveAnchor: true, items: { $recursiveRef: "#" } }, { items: { $ref: "#" } }],
  ])("%s", (_, given, read) => {
    expect(inNewestEdition(given)).toEqual(read);
  });

  test("what needs no change is the same object, also data and names that look like keywords", () => {
    const whole = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://a.example/s",
      properties: { items: { const: { items: [1], dependencies: {} } }, dependencies: text, $id: text },
      default: { additionalItems: 1 },
      enum: [{ items: [text] }],
    };
    expect(inNewestEdition(whole)).toBe(whole);
    expect(inNewestEdition({ $schema: "https://a.example/own" })).toHaveProperty("$schema");
    const given = { $schema: draft7 };
    expect(inNewestEdition(given)).toBe(inNewestEdition(given));
  });

  test("both editions take the same values", () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const leaf = fc.constantFrom<unknown>(true, { type: "string" }, { type: "number" }, { minimum: 2 });
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        leaf,
        fc.record({
          items: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
          additionalItems: tie("schema"),
        }),
        fc.record({
          dependencies: fc.dictionary(fc.constantFrom("a", "b"), fc.oneof(tie("schema"), fc.constant(["c"]))),
        }),
        fc.record({ properties: fc.dictionary(fc.constantFrom("a", "b", "items"), tie("schema")) }),
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
      ),
    }));
    fc.assert(
      fc.property(schema, fc.array(value, { maxLength: 6 }), (given, values) => {
        const older = before.compile({ $schema: draft7, allOf: [given] });
        const newest = now.compile(inNewestEdition({ $schema: draft7, allOf: [given] }));
        for (const one of [...values, [1, "x", 3], { a: 1 }, { items: "x", b: 2 }])
          expect(newest(one)).toBe(older(one));
      }),
      { numRuns: 60 },
    );
  });
});

describe("a schema without unions at its root", () => {
  const part = (name: string, more: Schema = {}) => ({
    properties: { [name]: text },
    required: [name],
    ...more,
  });
  const fits = (rules: Schema) => `The arguments also have to fit ${JSON.stringify(rules)}`;

  test.each<[string, Schema, Schema]>([
    [
      "choices",
      { type: "object", anyOf: [part("a"), part("b")] },
      { properties: { a: text, b: text }, description: fits({ anyOf: [part("a"), part("b")] }) },
    ],
    [
      "what each choice requires",
      {
        description: "D",
        properties: { c: text },
        oneOf: [part("a", { required: ["c"] }), part("b", { required: ["c", "b"] })],
      },
      {
        properties: { c: text, a: text, b: text },
        required: ["c"],
        description: `D\n${fits({ oneOf: [part("a", { required: ["c"] }), part("b", { required: ["c", "b"] })] })}`,
      },
    ],
    [
      "parts that all hold are the whole",
      { required: ["c"], allOf: [part("a"), { type: "object", ...part("b") }] },
      { properties: { a: text, b: text }, required: ["c", "a", "b"] },
    ],
    [
      "a property that parts describe differently",
      {
        anyOf: [
          { properties: { k: { const: 1 } } },
          { properties: { k: { const: 2 } } },
          { properties: { k: { const: 2 } } },
        ],
      },
      {
        properties: { k: { anyOf: [{ const: 1 }, { const: 2 }] } },
        description: expect.any(String) as string,
      },
    ],
    [
      "a reference",
      {
        $ref: "#/$defs/a~1b",
        $defs: { "a/b": part("x", { description: "X", additionalProperties: false }) },
      },
      {
        $defs: { "a/b": part("x", { description: "X", additionalProperties: false }) },
        ...part("x", { additionalProperties: false }),
        description: "X",
      },
    ],
    ["a reference to nothing", { $ref: "#/$defs/a", title: "T" }, { title: "T" }],
    ["a reference elsewhere", { $ref: "https://a.example", title: "T" }, { title: "T" }],
    [
      "values and what must not fit",
      { not: part("a"), enum: [{}] },
      { description: fits({ not: part("a"), enum: [{}] }) },
    ],
    [
      "rules that are long",
      { anyOf: [{ description: "x".repeat(600) }] },
      { description: "Not all of these arguments go together; an error says which do." },
    ],
  ])("%s", (_, given, flat) => {
    expect(withFlatRoot(given)).toEqual({ type: "object", ...flat });
  });

  test("references in circles and unions of unions end", () => {
    const circle = {
      $ref: "#/$defs/a",
      $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }, part("x")] } },
    };
    expect(withFlatRoot(circle)).toMatchObject({ type: "object", properties: { x: text } });
  });

  test("takes all that the whole schema takes, and has no keyword there that models refuse", () => {
    const name = fc.constantFrom("a", "b", "c");
    // A part that says nothing about a property takes any value there, which no model needs.
    const shape = fc.record(
      {
        properties: fc.dictionary(name, fc.constantFrom<object>(text, { minLength: 1 }, {})),
        required: fc.uniqueArray(name, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
      const parts = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
      const union = fc.constantFrom("anyOf", "oneOf", "allOf").chain((word) => fc.record({ [word]: parts }));
      return {
        schema: fc.oneof(
          { maxDepth: 3, depthSize: "small" },
          shape,
          fc.tuple(shape, union).map(([own, more]) => ({ ...own, ...more })),
          fc.constantFrom({ $ref: "#/$defs/d" }, { not: { required: ["c"] } }),
        ),
      };
    });
    const value = fc.dictionary(name, fc.constantFrom("x", "yy"), { maxKeys: 3 });
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 4, maxLength: 8 }), (given, values) => {
        const whole = { ...given, type: "object", $defs: { d: part("b") } };
        const flat = withFlatRoot(whole);
        const takes = (one: Schema) => now.compile(one);
        const [all, loose] = [takes(whole), takes(flat)];
        expect(refusedAtRoot(flat)).toEqual([]);
        for (const one of values) if (all(one)) expect(loose(one)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
