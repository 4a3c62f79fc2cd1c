import { expect, test } from "vitest";
import { createSchemaCompiler } from "@toolmount/interop";
import { dropOptionalNulls } from "../../src/schema/optional-nulls.ts";

function issuesOf(properties: object, value: object, more: object = {}) {
  const read = createSchemaCompiler().compile({ type: "object", properties, ...more })(value);
  return read.ok ? [] : read.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test.each<[object, unknown, string]>([
  [{ enum: ["a", 1, null] }, "b", 'must be one of "a", 1, null'],
  [{ const: "x" }, "y", 'must be "x"'],
  [{ type: "string" }, 1, "must be a string"],
  [{ type: "integer" }, "1", "must be an integer"],
  [{ type: ["string", "null"] }, 1, "must be a string or null"],
  [{ type: "array" }, 1, "must be an array"],
  [{ minimum: 3 }, 1, "must be >= 3"],
  [{ type: "array", uniqueItems: true }, [1, 1], "must not have the same item twice"],
])("a value that is not of %j: %j", (schema, value, message) => {
  expect(issuesOf({ a: schema }, { a: value })).toEqual([`a: ${message}`]);
});

test("a missing and an unknown member are named, at the object that lacks or has them", () => {
  const inner = { type: "object", properties: { b: {} }, required: ["b"], additionalProperties: false };

  expect(issuesOf({ a: inner }, { a: { "c/d": 1 } }).toSorted()).toEqual([
    'a: "b" is required',
    'a: "c/d" is not a known argument',
  ]);
  expect(issuesOf({ a: {} }, { z: 1 }, { unevaluatedProperties: false })).toEqual([
    ': "z" is not a known argument',
  ]);
});

test("a path has numbers for items, and its names as they are written", () => {
  const list = { type: "array", items: { type: "object", properties: { "x/y~z": { type: "string" } } } };
  const read = createSchemaCompiler().compile({ type: "object", properties: { list } })({
    list: [{ "x/y~z": "a" }, { "x/y~z": 1 }],
  });

  expect(read).toMatchObject({ ok: false, issues: [{ path: ["list", 1, "x/y~z"] }] });
});

test("a condition that fails shows the faults of its branch", () => {
  const when = {
    if: { properties: { kind: { const: "a" } } },
    then: { required: ["path"] },
    else: { required: ["url"] },
  };

  expect(issuesOf({ kind: {} }, { kind: "a" }, when)).toEqual([': "path" is required']);
  expect(issuesOf({ kind: {} }, { kind: "b" }, when)).toEqual([': "url" is required']);
});

test("twenty issues and twenty allowed values are shown, and more are counted", () => {
  const many = (count: number) => ({ a: { type: "array", items: { type: "string" } }, count });
  const bad = (count: number) =>
    issuesOf({ a: many(count).a }, { a: Array.from({ length: count }, () => 1) });
  const values = (count: number) =>
    issuesOf({ a: { enum: Array.from({ length: count }, (_, at) => at) } }, { a: "x" })[0];

  expect([bad(20).length, bad(21).length, bad(21).at(-1)]).toEqual([20, 21, ": and 1 more"]);
  expect(values(20)).toMatch(/, 18, 19$/);
  expect(values(22)).toMatch(/, 18, 19 and 2 more$/);
});

const text = { type: "string" };
const strict = {
  type: "object",
  properties: {
    plain: text,
    needed: text,
    typed: { type: ["string", "null"] },
    listed: { enum: ["a", null] },
    other: { enum: ["a"] },
    only: { const: null },
    nullable: { type: "string", nullable: true },
    choice: { anyOf: [text, { type: "null" }] },
    one: { oneOf: [text] },
    far: { $ref: "#/x" },
    any: {},
    inner: { type: "object", properties: { plain: text } },
    list: { type: "array", items: { type: "object", properties: { plain: text } } },
  },
  required: ["needed"],
};

test("a null that an optional member does not allow is absence, and every other null stays", () => {
  const names = Object.keys(strict.properties);
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  const kept = dropOptionalNulls({ ...nulls, unknown: null }, strict) as object;

  expect(Object.keys(kept)).toEqual([
    "needed",
    "typed",
    "listed",
    "only",
    "nullable",
    "choice",
    "any",
    "unknown",
  ]);
});

test("nulls in members and in items are absence, too, and values without a schema stay as they are", () => {
  expect(dropOptionalNulls({ inner: { plain: null, x: 1 }, list: [{ plain: null }, 2] }, strict)).toEqual({
    inner: { x: 1 },
    list: [{}, 2],
  });
  expect(dropOptionalNulls({ a: null }, { type: "object", required: "a" })).toEqual({ a: null });
  expect(dropOptionalNulls({ a: null }, { properties: { a: text }, required: "none" })).toEqual({});
  expect(dropOptionalNulls({ a: null }, true)).toEqual({ a: null });
  expect(dropOptionalNulls("text", strict)).toBe("text");
  expect(dropOptionalNulls(null, strict)).toBeNull();
});
