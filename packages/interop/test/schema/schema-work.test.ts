import type { JsonSchema } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { createSchemaCompiler } from "../../src/index.ts";

const { compile } = createSchemaCompiler();

type Level = (next: object) => object;

/** A schema of some levels, each of which refers to the next one; the last one is an object with a name. */
function levels(
  count: number,
  level: Level,
  refer = (at: number): object => ({ $ref: `#/$defs/l${at}` }),
): JsonSchema {
  const $defs: Record<string, object> = {
    [`l${count}`]: {
      $dynamicAnchor: `l${count}`,
      $anchor: `a${count}`,
      properties: { name: { type: "string" } },
    },
  };
  for (let at = 0; at < count; at++)
    $defs[`l${at}`] = { $dynamicAnchor: `l${at}`, $anchor: `a${at}`, ...level(refer(at + 1)) };
  return { type: "object", ...refer(0), $defs };
}

const twice: readonly (readonly [string, Level])[] = [
  ["anyOf", (next) => ({ anyOf: [next, next] })],
  ["oneOf", (next) => ({ oneOf: [next, next] })],
  ["allOf", (next) => ({ allOf: [next, next] })],
  ["allOf and not", (next) => ({ allOf: [next], not: next })],
  ["if and then", (next) => ({ if: next, then: next })],
  ["if and else", (next) => ({ if: next, else: next })],
  ["dependentSchemas", (next) => ({ dependentSchemas: { name: next, other: next } })],
  ["a reference beside anyOf", (next) => ({ ...next, anyOf: [next] })],
];

const saying = (message: string) => expect.objectContaining({ message }) as Error;
const tooMany = saying("its references expand to more than 10000 parts for one value");

describe("a schema whose parts double at each of 24 levels", () => {
  test.each(twice)("is refused when they double by %s", (_, level) => {
    expect(() => compile(levels(24, level))).toThrow(tooMany);
  });

  test.each<[string, (at: number) => object]>([
    ["an anchor", (at) => ({ $ref: `#a${at}` })],
    ["a dynamic anchor", (at) => ({ $dynamicRef: `#l${at}` })],
    ["an escaped pointer", (at) => ({ $ref: `#/%24defs/l${at}` })],
  ])("is refused when they refer by %s", (_, refer) => {
    expect(() => compile(levels(24, (next) => ({ anyOf: [next, next] }), refer))).toThrow(tooMany);
  });

  test("is refused when each level is a document of its own", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 24 }, (_, at) => {
        const next = at === 23 ? { type: "string" } : { $ref: `l${at + 1}.json` };
        return [`l${at}`, { $id: `https://schemas.example/l${at}.json`, anyOf: [next, next] }];
      }),
    );

    expect(() => compile({ type: "object", $ref: "https://schemas.example/l0.json", $defs })).toThrow(
      tooMany,
    );
  });

  test("is refused when a program builds it of few objects", () => {
    let node: object = { type: "string" };
    for (let at = 0; at < 40; at++) node = { anyOf: [node, node] };

    expect(() => compile({ type: "object", properties: { a: node } })).toThrow(
      saying("it has more than 200000 values"),
    );
  });

  test("mounts when the next level is for another value, and is checked once for each", () => {
    const parse = compile(levels(24, (next) => ({ properties: { a: next, b: next } })));

    expect(parse({ a: { b: { a: {} } } })).toMatchObject({ ok: true });
  });
});

test("a schema that refers to itself for the same value is refused", () => {
  expect(() =>
    compile({ type: "object", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" }),
  ).toThrow(saying("one of its parts refers to itself for the same value"));
});

test("a schema nested deeper than the stack is refused", () => {
  let node: object = { type: "string" };
  for (let at = 0; at < 5_000; at++) node = { properties: { a: node } };

  expect(() => compile({ type: "object", properties: { a: node } })).toThrow(
    saying("it is nested deeper than 200 levels"),
  );
});

test("a schema may be nested 200 levels deep", () => {
  // A level of properties is two levels of values.
  const nested = (depth: number) => {
    let node: object = { type: "string" };
    for (let at = 0; at < depth; at += 2) node = { properties: { a: node } };
    return () => compile({ type: "object", ...node });
  };

  expect(nested(200)).not.toThrow();
  expect(nested(202)).toThrow(saying("it is nested deeper than 200 levels"));
});

test("references in data are data", () => {
  const circle = { a: { $ref: "#" }, b: { $id: "x" } };
  const parse = compile({
    type: "object",
    properties: {
      schema: { type: "object", default: circle, examples: [circle] },
      default: { const: circle },
    },
  });

  expect(parse({ schema: circle, default: circle })).toMatchObject({ ok: true });
});

describe("a recursive schema of which two parts go down the same way", () => {
  const node = {
    anyOf: [
      { type: "object", required: ["a"], properties: { a: { $ref: "#/$defs/node" } } },
      { type: "object", required: ["a"], properties: { a: { $ref: "#/$defs/node" }, b: {} } },
      { const: "leaf" },
    ],
  };
  const parse = compile({ type: "object", properties: { tree: { $ref: "#/$defs/node" } }, $defs: { node } });
  const nested = (depth: number, leaf: unknown) =>
    Array.from({ length: depth }).reduce((inner) => ({ a: inner }), leaf);

  test("accepts a deep value", () => {
    expect(parse({ tree: nested(60, "leaf") })).toMatchObject({ ok: true });
  });

  test("says what is wrong with a value", () => {
    expect(parse({ tree: nested(3, "no leaf") })).toMatchObject({ ok: false });
  });

  test("refuses a deep value that is wrong, after a bounded number of steps", () => {
    const issues = [{ path: [], message: expect.stringContaining("its schema refers to itself too often") }];

    expect(parse({ tree: nested(60, "no leaf") })).toEqual({ ok: false, issues });
    expect(parse({ tree: nested(60, "leaf") })).toMatchObject({ ok: true });
  });
});

test("a long list of parts that are referred to is checked to its end", () => {
  const parse = compile({
    type: "object",
    properties: { items: { type: "array", items: { $ref: "#/$defs/item" } } },
    $defs: { item: { anyOf: [{ $ref: "#/$defs/name" }, { type: "number" }] }, name: { type: "string" } },
  });
  const items = Array.from({ length: 200_000 }, (_, at) => at);

  expect(parse({ items })).toMatchObject({ ok: true });
  expect(parse({ items: [...items, true] })).toMatchObject({ ok: false });
});

test("a large part that is referred to often is compiled once", () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, { type: "string" }]));
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`p${at}`, { $ref: "#/$defs/big" }]),
  );
  const parse = compile({
    type: "object",
    properties,
    $defs: { big: { type: "object", properties: fields } },
  });

  expect(parse({ p7: { f9: "x" } })).toMatchObject({ ok: true });
  expect(parse({ p7: { f9: 1 } })).toMatchObject({ ok: false });
});
