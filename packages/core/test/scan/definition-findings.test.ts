import { scanDefinition } from "@toolmount/core/scan";
import { expect, test } from "vitest";
import { injectionCases } from "../scan-cases.ts";

const noWidth = "holds characters without width (U+200B)";

/** The path leads to the member with the finding, and hidden characters of a path are written out. */
const found = (path: string, kind: string, message: string, excerpt: string) => ({
  path,
  kind,
  message,
  excerpt,
  severity: "warning",
  at: 0,
});
const inherited = "is the name of a member of every JavaScript object";

test.each([
  ["toString", inherited],
  ["r\u00e9ad", "has letters outside ASCII, which may look like ASCII letters"],
  ["a\u007f", "has letters outside ASCII, which may look like ASCII letters"],
  ["a b", "is not of 1 to 128 letters, digits, _ . / : and -"],
  ["a~", "is not of 1 to 128 letters, digits, _ . / : and -"],
  ["", "is not of 1 to 128 letters, digits, _ . / : and -"],
  ["a".repeat(129), "is not of 1 to 128 letters, digits, _ . / : and -"],
])("the name %j %s", (name, message) => {
  const excerpt = name.slice(0, 120).replace("\u007f", "\\u{7f}");
  expect(scanDefinition({ name }).filter(({ kind }) => kind === "name")).toEqual([
    found("name", "name", message, excerpt),
  ]);
});

test.each(["a", "a".repeat(128), "srv:read/notes.v1-b_2"])("the name %s has no finding", (name) => {
  expect(scanDefinition({ name })).toEqual([]);
  expect(scanDefinition({ name: 7 })).toEqual([]);
});

test("names of arguments have their findings at their place, and keywords are no names", () => {
  const properties = {
    constructor: { type: "string" },
    "p\u0430th": {},
    "п\u0430рт": {},
    "a\u0430-b": {},
    "b-\u0430": {},
    "ok\u200b": { description: "x\u200by", toString: "a" },
  };
  const inputSchema = {
    type: "object",
    properties,
    patternProperties: { toString: {}, "^k\u200b": {} },
    $defs: { valueOf: { properties: { properties: { type: "object" } } } },
  };

  expect(scanDefinition({ name: "a", inputSchema })).toEqual([
    found("inputSchema.properties.constructor", "name", inherited, "constructor"),
    found(
      "inputSchema.properties.p\u0430th",
      "name",
      "mixes letters of several scripts that look alike",
      "p\u0430th",
    ),
    found(
      "inputSchema.properties.a\u0430-b",
      "name",
      "mixes letters of several scripts that look alike",
      "a\u0430-b",
    ),
    {
      ...found("inputSchema.properties.ok\\u{200b}", "zero-width", noWidth, "ok\\u{200b}"),
      severity: "error",
      at: 2,
    },
    {
      ...found("inputSchema.properties.ok\\u{200b}.description", "zero-width", noWidth, "x\\u{200b}y"),
      severity: "error",
      at: 1,
    },
    {
      ...found("inputSchema.patternProperties.^k\\u{200b}", "zero-width", noWidth, "^k\\u{200b}"),
      severity: "error",
      at: 2,
    },
  ]);
});

test("references that lead outside, nowhere or to themselves are found", () => {
  const properties = {
    a: { $ref: "http://x" },
    b: { $ref: "#/properties/zz" },
    c: { $ref: "#/properties/c" },
    d: { $ref: "#" },
    e: { $ref: "#anchor" },
    f: { $dynamicRef: "x.json" },
    g: { $recursiveRef: "#/no" },
    h: { $ref: "#/properties/a~1b" },
    "a/b": {},
    "i%20j": {},
    "k~": { $ref: "#/properties/i%2520j" },
    l: { $ref: "#/properties/%E0%A4%A" },
    m: { $ref: "#/properties/n" },
    n: { $ref: "#/properties/m" },
    o: { $ref: "#/properties/k~0" },
    p: { $ref: "#/properties/a/type/x" },
    $ref: { description: "A property of this name" },
  };
  const outside = "refers to a schema outside of the definition";
  const missing = "refers to a part of the schema that does not exist";
  const refs = [
    ["a", "$ref", outside, "http://x"],
    ["b", "$ref", missing, "#/properties/zz"],
    ["c", "$ref", "refers only to itself", "#/properties/c"],
    ["f", "$dynamicRef", outside, "x.json"],
    ["g", "$recursiveRef", missing, "#/no"],
    ["l", "$ref", missing, "#/properties/%E0%A4%A"],
    ["m", "$ref", "refers only to itself", "#/properties/n"],
    ["n", "$ref", "refers only to itself", "#/properties/m"],
    ["p", "$ref", missing, "#/properties/a/type/x"],
  ] as const;

  expect(scanDefinition({ name: "a", inputSchema: { properties } })).toEqual(
    refs.map(([key, word, message, ref]) =>
      found(`inputSchema.properties.${key}.${word}`, "ref", message, ref),
    ),
  );
  // Beside the schemas, a member of this name is no reference.
  expect(scanDefinition({ name: "a", $ref: "http://x" })).toEqual([]);
});

test("a usage text may be long, a description may not", () => {
  const long = "a b ".repeat(5000);

  expect(scanDefinition({ name: "a", usage: long })).toEqual([]);
  expect(scanDefinition({ name: "a", usage: `${long}a` }).map(({ message }) => message)).toEqual([
    "has 20001 characters, more than 20000",
  ]);
  expect(scanDefinition({ name: "a", description: long, inputSchema: { usage: long } })).toMatchObject([
    { path: "description", kind: "too-long" },
    { path: "inputSchema.usage", kind: "too-long" },
  ]);
});

test("a definition has at most a hundred findings, is read forty levels deep, and each object once", () => {
  const items = Array.from({ length: 150 }, () => injectionCases[0]!);
  const nested = (levels: number): object =>
    levels === 0 ? { title: "a\u200bb" } : { a: nested(levels - 1) };
  const shared = { title: "a\u200bb" };

  expect(scanDefinition({ name: "a", items })).toHaveLength(100);
  expect(scanDefinition({ name: "a", schema: nested(39) })).toHaveLength(1);
  expect(scanDefinition({ name: "a", schema: nested(40) })).toEqual([]);
  expect(scanDefinition({ name: "a", one: shared, other: shared }).map(({ path }) => path)).toEqual([
    "one.title",
  ]);
  expect(scanDefinition({ name: "a", list: [{}, [null, 7, "a\u200bb"]] })).toMatchObject([
    { path: "list[1][2]" },
  ]);
});
