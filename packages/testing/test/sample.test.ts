import { sampleArguments } from "@toolmount/testing";
import { expect, test } from "vitest";
import { sampleOf } from "../src/trial/sample.ts";

const deep = (levels: number): object =>
  levels === 0
    ? { type: "string" }
    : { type: "object", required: ["a"], properties: { a: deep(levels - 1) } };
const nested = (levels: number): unknown => (levels === 0 ? "a" : { a: nested(levels - 1) });

test.each<[unknown, unknown]>([
  [null, null],
  [true, null],
  [{ default: 5, const: 6 }, 5],
  [{ const: 6, enum: [7] }, 6],
  [{ enum: [7, 8], type: "string" }, 7],
  [{ anyOf: [{ type: "boolean" }, { type: "string" }] }, false],
  [{ oneOf: [{ const: 1 }] }, 1],
  [{ allOf: [{ const: 2 }] }, 2],
  [{ type: "string", anyOf: [{ const: 1 }] }, "a"],
  [{ type: ["integer", "null"] }, 1],
  [{ type: "string" }, "a"],
  [{ type: "string", minLength: 3 }, "aaa"],
  [{ type: "string", minLength: 0 }, "a"],
  [{ type: "string", minLength: 500 }, "a".repeat(200)],
  [{ type: "string", format: "date" }, "2026-01-02"],
  [{ type: "string", format: "date-time" }, "2026-01-02T03:04:05Z"],
  [{ type: "string", format: "email" }, "a@example.com"],
  [{ type: "string", format: "uri" }, "https://example.com/"],
  [{ type: "string", format: "url" }, "https://example.com/"],
  [{ type: "string", format: "uuid" }, "00000000-0000-4000-8000-000000000000"],
  [{ type: "string", format: "other", minLength: 2 }, "aa"],
  [{ type: "number" }, 1],
  [{ type: "integer", minimum: 5 }, 5],
  [{ type: "number", minimum: 0 }, 0],
  [{ type: "number", minimum: "x" }, 1],
  [{ type: "boolean" }, false],
  [{ type: "null" }, null],
  [{ type: "other" }, null],
  [{ type: "array" }, []],
  [{ type: "array", minItems: 2, items: { type: "boolean" } }, [false, false]],
  [{ type: "object" }, {}],
  [{}, {}],
  [
    { required: ["a", "b"], properties: { a: { type: "string" }, c: {} } },
    { a: "a", b: null },
  ],
  [{ type: "object", required: "a" }, {}],
  [deep(8), nested(8)],
  [{ type: "array", minItems: 1, items: { type: "array", minItems: 1, items: {} } }, [[{}]]],
])("a sample of %j is %j", (schema, sample) => {
  expect(sampleOf(schema)).toEqual(sample);
});

test("a schema is followed for eight levels", () => {
  expect(JSON.stringify(sampleOf(deep(9)))).toBe(JSON.stringify(nested(9)).replace('"a":"a"', '"a":null'));
});

test.each<[object, object]>([
  [{ type: "object", required: ["a"], properties: { a: { type: "integer" } } }, { a: 1 }],
  [{ type: "array", minItems: 1 }, {}],
  [{ type: "string" }, {}],
  [{ type: "null" }, {}],
])("sample arguments for %j are %j", (schema, sample) => {
  expect(sampleArguments(schema as never)).toEqual(sample);
});
