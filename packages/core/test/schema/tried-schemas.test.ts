import { expect, test } from "vitest";
import type { JsonSchema } from "../../src/index.ts";
import { requireJsonSchema } from "../../src/schema/require-json-schema.ts";

/** The values that a schema is tried with: one of each kind, within its bounds. */
test("one sample of a schema has each default, constant, first choice and least value", () => {
  const seen: unknown[] = [];
  const json: JsonSchema = {
    type: "object",
    properties: {
      given: { default: "d", const: "c" },
      constant: { const: "c", enum: ["e"] },
      choice: { enum: ["first", "second"], type: "string" },
      word: { type: "string" },
      long: { type: "string", minLength: 3 },
      endless: { type: "string", minLength: 1000 },
      none: { type: "string", minLength: 0 },
      number: { type: "number" },
      least: { type: "integer", minimum: 7 },
      flag: { type: "boolean" },
      list: { type: "array", items: { type: "boolean" } },
      empty: { type: "array" },
      inner: { type: "object", properties: { a: { type: "number" }, b: true } },
      bare: { type: "object" },
      nothing: {},
      odd: true,
    },
  };
  const parse = (value: unknown) => {
    seen.push(value);
    return { ok: true, value } as never;
  };
  expect(() => requireJsonSchema("probe", { json, parse, isPlain: false })).toThrow(
    expect.objectContaining({ code: "SCHEMA_NOT_JSON" }),
  );
  seen.length = 0;
  const strict = (value: unknown) => {
    seen.push(value);
    const { length } = Object.keys(value as object);
    return length < 2 ? ({ ok: false, issues: [{ path: [], message: "no" }] } as never) : parse(value);
  };
  requireJsonSchema("probe", { json, parse: strict, isPlain: false });

  expect(seen.at(-1)).toEqual({
    given: "d",
    constant: "c",
    choice: "first",
    word: "a",
    long: "aaa",
    endless: "a".repeat(64),
    none: "a",
    number: 1,
    least: 7,
    flag: true,
    list: [true],
    empty: [],
    inner: { a: 1, b: null },
    bare: {},
    nothing: null,
    odd: null,
  });
});

test("nesting ends the sample after eight levels, and a schema that is known to be plain is not tried", () => {
  const nested = (levels: number): JsonSchema =>
    levels === 0
      ? { type: "string" }
      : {
          type: "object",
          properties: { a: nested(levels - 1), b: { type: "array", items: nested(levels - 1) } },
        };
  const seen: unknown[] = [];
  const parse = (value: unknown) => {
    seen.push(value);
    return { ok: false, issues: [{ path: [], message: "no" }] } as never;
  };
  requireJsonSchema("probe", { json: nested(10), parse, isPlain: true });
  expect(seen).toEqual([]);

  requireJsonSchema("probe", { json: nested(10), parse, isPlain: false });
  let node = seen.at(-1) as Record<string, never>;
  for (let level = 0; level < 7; level++) node = node["a"]!;
  expect(node).toEqual({ a: {}, b: [] });
});

test("a schema with many members is tried at the first two hundred of them, seven levels deep", () => {
  const accepted = (at: number) =>
    Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`a${index}`, { type: index === at ? "number" : "null" }]),
    );
  const parse = () => ({ ok: true, value: {} }) as never;
  const tried = (properties: JsonSchema) => () =>
    requireJsonSchema("probe", { json: { type: "object", properties }, parse, isPlain: false });

  expect(tried(accepted(199))).toThrow('"a199" is declared as number but accepts the string "1"');
  expect(tried(accepted(200))).not.toThrow();

  const deep = (levels: number): JsonSchema =>
    levels === 0 ? { type: "boolean" } : { type: "object", properties: { a: deep(levels - 1) } };
  expect(tried({ a: deep(6) })).toThrow(
    '"a.a.a.a.a.a.a" is declared as boolean but accepts the string "true"',
  );
  expect(tried({ a: deep(7) })).not.toThrow();
});

test.each<[type: string, accepts: unknown, shown: string]>([
  ["number", true, "the boolean true"],
  ["integer", "1", 'the string "1"'],
  ["integer", true, "the boolean true"],
  ["boolean", 1, "the number 1"],
  ["string", true, "the boolean true"],
])("a member declared as %s that accepts %j is refused", (type, accepts, shown) => {
  const refuse = (path: readonly string[]) => ({ ok: false, issues: [{ path, message: "no" }] }) as never;
  const given: unknown[] = [];
  const parse = (value: unknown) => {
    const { a } = value as { a: { b: unknown } };
    given.push(a?.b);
    // What is wrong elsewhere, or below the member, says nothing of the member itself.
    return a?.b === accepts ? refuse(["a", "c"]) : refuse(["a", "b"]);
  };
  const json = { type: "object", properties: { a: { type: "object", properties: { b: { type } } } } };

  expect(() => requireJsonSchema("probe", { json, parse, isPlain: false })).toThrow(
    `"a.b" is declared as ${type} but accepts ${shown}`,
  );
  expect(given).toContain(accepts);
  for (const path of [["a"], []])
    requireJsonSchema("probe", { json, parse: () => refuse(path), isPlain: false });
  expect(() =>
    requireJsonSchema("probe", { json, parse: () => refuse(["a", "b", "c"]), isPlain: false }),
  ).toThrow("is declared as");
});
