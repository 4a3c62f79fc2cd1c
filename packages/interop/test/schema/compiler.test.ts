import { existsSync, readFileSync } from "node:fs";
import { createSchemaCompiler } from "@toolmount/interop";
import { withAptixBinding } from "../../src/schema/aptix-binding.ts";
import { repairSchema } from "../../src/schema/repair.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const compile = (schema: Record<string, unknown>) => createSchemaCompiler().compile(schema);
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});

test("FORGE-N4: a schema accepts what fits and names what does not", () => {
  const parse = compile(
    object({ path: { type: "string" }, limit: { type: "integer" } }, { required: ["path"] }),
  );

  expect(parse({ path: "a", limit: 3 })).toEqual({ ok: true, value: { path: "a", limit: 3 } });
  expect(parse({ limit: 1.5 })).toEqual({
    ok: false,
    issues: [
      { path: [], message: '"path" is required' },
      { path: ["limit"], message: "must be an integer" },
    ],
  });
});

test.each([
  {
    title: "draft-07 by name",
    schema: { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] },
  },
  {
    title: "draft-07 by its tuples",
    schema: object({ pair: { type: "array", items: [{ type: "string" }] } }),
  },
  {
    title: "2019-09",
    schema: { $schema: "https://json-schema.org/draft/2019-09/schema", unevaluatedProperties: false },
  },
  {
    title: "2020-12",
    schema: { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "string" }] },
  },
  { title: "none said", schema: object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { type: "string" } } }) },
])("a schema of $title compiles", ({ schema }) => {
  expect(compile(schema)({})).toMatchObject({ ok: true });
});

test("an $id of one schema is unknown to the next", () => {
  const compiler = createSchemaCompiler();
  compiler.compile({ $id: "https://a.test/one", type: "object" });

  expect(compiler.compile({ $id: "https://a.test/one", type: "object" })({})).toMatchObject({ ok: true });
  expect(() => compiler.compile({ properties: { a: { $ref: "https://a.test/one" } } })).toThrow(
    expect.objectContaining({ message: "can't resolve reference https://a.test/one from id #" }),
  );
});

test("a hostile pattern is matched in linear time", () => {
  const parse = compile(object({ a: { type: "string", pattern: "^(a+)+$" } }));

  expect(parse({ a: `${"a".repeat(50_000)}!` })).toMatchObject({ ok: false });
});

test.each([
  { title: "a look-ahead that hides an exponential group", pattern: "^(?=(\\w+\\s?)+$)" },
  { title: "a harmless look-ahead", pattern: "^(?=.*[A-Z]).{8,}$" },
  { title: "a look-behind", pattern: "(?<=a)b" },
  { title: "more places than RE2 counts", pattern: "^.{1001}(a+)+$" },
  { title: "a back-reference", pattern: "^(a+)\\1$" },
])("a pattern with $title is refused by name, since only RE2 runs patterns from outside", ({ pattern }) => {
  expect(() => compile(object({ a: { type: "string", pattern } }))).toThrow(
    `RE2 cannot compile the pattern ${JSON.stringify(pattern)}`,
  );
  expect(() => compile({ patternProperties: { [pattern]: { type: "string" } } })).toThrow(
    "RE2 cannot compile",
  );
});

test("no pattern that compiles takes more than linear time", () => {
  const compiler = createSchemaCompiler();
  const part = fc.constantFrom(
    "(a+)+",
    "(a|a)*",
    "(a|aa)+",
    "(a*)*b?",
    "(?:a|b|ab)*",
    "a{1,200}",
    "(?=a)",
    "\\w*",
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      try {
        const parse = compiler.compile(object({ a: { pattern: `^${parts.join("")}$` } }));
        expect(parse({ a: `${"a".repeat(2_000)}!` })).toMatchObject({ ok: false });
      } catch (error) {
        expect(String(error)).toContain("RE2 cannot compile");
      }
    }),
    { numRuns: 30 },
  );
});

describe("what every object inherits is not an argument", () => {
  const parse = compile(
    object(
      { constructor: { type: "string" }, toString: { type: "string", default: "x" } },
      { additionalProperties: false },
    ),
  );

  test("a declared name is absent when it was not sent", () => {
    const parsed = parse({});

    expect(parsed.ok && parsed.value["constructor"]).toBeUndefined();
    expect(parsed.ok && parsed.value["toString"]).toBe("x");
  });

  test("__proto__ is an unknown argument, and does not satisfy what is required", () => {
    expect(
      compile(object({ a: {} }, { additionalProperties: false }))(JSON.parse('{"__proto__":{"a":1}}')),
    ).toMatchObject({ ok: false });
    expect(compile({ required: ["a"] })(JSON.parse('{"__proto__":{"a":1}}'))).toMatchObject({ ok: false });
    expect(compile({ required: ["toString"] })({})).toMatchObject({ ok: false });
  });
});

test.each([Infinity, -Infinity, NaN])("%s is no number", (value) => {
  expect(compile(object({ a: { type: "number" } }))({ a: value })).toMatchObject({ ok: false });
  expect(compile(object({ a: { type: "integer" } }))({ a: value })).toMatchObject({ ok: false });
});

describe("a schema does not reach others by its ids", () => {
  const meta = "https://json-schema.org/draft/2020-12/schema";
  const other = { ...object({ a: { type: "string", minLength: 2 } }), $comment: "checked", $defs: {} };

  test.each<[string, Record<string, unknown>]>([
    ["of the whole", { $id: meta, ...object({}) }],
    ["of a part", object({ a: { $id: meta, type: "string" } })],
    ["beside a reference", object({ a: { $id: meta, type: "string" }, b: { $ref: "#/properties/a" } })],
    ["in the older word", { id: meta, ...object({ a: { id: "x", type: "string" } }) }],
  ])("%s: those of JSON Schema still check the next one", (_, schema) => {
    const { compile: shared } = createSchemaCompiler();
    // A schema that takes the id of its own edition may be refused, but only itself.
    try {
      shared(schema);
    } catch {}

    expect(shared(other)({ a: "x" })).toMatchObject({ ok: false, issues: [{ path: ["a"] }] });
    expect(() => shared(object({ a: { minLength: "long" } }, { $defs: {} }))).toThrow("minLength");
  });

  test("and finds no part of another one", () => {
    const { compile: shared } = createSchemaCompiler();
    shared(
      object({
        a: { $id: "https://one.example/part", type: "string" },
        b: { $ref: "https://one.example/part" },
      }),
    );

    expect(() => shared(object({ a: { $ref: "https://one.example/part" } }))).toThrow(
      "https://one.example/part",
    );
  });

  test("its own parts find each other", () => {
    const parse = compile({
      $id: "https://one.example/whole",
      ...object({ a: { $ref: "part" }, b: { $ref: "#/$defs/n" } }),
      $defs: { n: { type: "number" }, part: { $id: "part", type: "string" } },
    });

    expect(parse({ a: 1, b: "x" })).toMatchObject({ ok: false, issues: [{ path: ["a"] }, { path: ["b"] }] });
  });
});

describe("a default is written only where its own schema takes it", () => {
  const $defs = { color: { enum: ["red"] } };
  const argumentOf = (schema: object, value: object = {}) => {
    const parse = compile({ ...object({ "a/b %": schema, good: { default: "yes" } }), $defs });
    return parse(value);
  };

  test.each<[string, object]>([
    ["null, as Python writes for an optional text", { type: "string", default: null }],
    ["null for an optional choice", { $ref: "#/$defs/color", default: null }],
    ["null beside a part of a schema", { allOf: [{ $ref: "#/$defs/color" }], default: null }],
    ["a text beside the choices", { enum: ["x"], default: "" }],
    ["a number that is too small", { type: "integer", minimum: 1, default: 0 }],
    ["a wrong item of a list", { type: "array", items: { type: "string" }, default: [1] }],
    ["an object without what it needs", object({}, { required: ["b"], default: {} })],
  ])("%s: the argument stays absent", (_, schema) => {
    expect(argumentOf(schema)).toEqual({ ok: true, value: { good: "yes" } });
  });

  test.each<[string, object, unknown]>([
    ["null where it is allowed", { type: ["string", "null"], default: null }, null],
    ["null where there is no type", { default: null }, null],
    ["a choice", { $ref: "#/$defs/color", default: "red" }, "red"],
    ["a whole number", { type: "integer", minimum: 1, default: 2 }, 2],
    [
      "an object whose part has a wrong default",
      object({ c: { type: "string", default: 5 }, d: { default: 1 } }, { default: {}, required: ["d"] }),
      { d: 1 },
    ],
  ])("%s is written", (_, schema, written) => {
    expect(argumentOf(schema)).toEqual({ ok: true, value: { "a/b %": written, good: "yes" } });
  });
});

test("null for an argument that has it as its default and does not take it is as good as nothing", () => {
  const text = { type: "string", default: null };
  const parse = compile(
    object({ a: text, b: object({ c: text, d: { type: "string" } }), e: text }, { required: ["e"] }),
  );

  expect(parse({ a: null, b: { c: null }, e: "x" })).toEqual({ ok: true, value: { b: {}, e: "x" } });
  expect(parse({ a: null, b: { d: null }, e: null })).toMatchObject({
    ok: false,
    issues: [{ path: ["a"] }, { path: ["b", "d"] }, { path: ["e"] }],
  });
});

test("defaults are written into a copy", () => {
  const given = Object.freeze({ inner: Object.freeze({}) });
  const parse = compile(object({ inner: object({ a: { default: 1 } }), b: { default: [] } }));

  expect(parse(given)).toEqual({ ok: true, value: { inner: { a: 1 }, b: [] } });
  expect(given).toEqual({ inner: {} });
});

test("an argument that a silent schema does not declare passes with a warning; an outspoken one decides", () => {
  const silent = object({ a: {} }, { allOf: [{ properties: { b: {} } }] });

  expect(compile(silent)({ a: 1, b: 2, c: 3 })).toEqual({
    ok: true,
    value: { a: 1, b: 2, c: 3 },
    warnings: ['the argument "c" is not declared; it was passed on as it is'],
  });
  expect(compile({ ...silent, additionalProperties: true })({ c: 3 })).toEqual({ ok: true, value: { c: 3 } });
  expect(compile(object({ a: {} }, { additionalProperties: false }))({ c: 3 })).toMatchObject({ ok: false });
  expect(compile({ type: "object" })({ c: 3 })).toEqual({ ok: true, value: { c: 3 } });
});

test("a million bad items make a short list of issues", () => {
  const parse = compile(object({ items: { type: "array", items: { type: "string" } } }));
  const parsed = parse({ items: Array.from({ length: 200_000 }, () => 1) });

  expect(parsed.ok).toBe(false);
  expect(JSON.stringify(parsed).length).toBeLessThan(8_000);
});

test("a hundred thousand items are found to be unique, or not", () => {
  const parse = compile(object({ items: { type: "array", uniqueItems: true } }));
  const items = Array.from({ length: 100_000 }, (_, at) => ({ at }));

  expect(parse({ items })).toMatchObject({ ok: true });
  expect(parse({ items: [...items, { at: 5 }] })).toMatchObject({ ok: false });
});

test("parsing twice gives the same, and writes nothing into what was given", () => {
  const parse = compile(
    object({
      a: { type: "string", default: "x" },
      b: { type: "array", items: { type: "number" } },
      c: object({ d: { default: null } }),
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("a", "b", "c", "e"), fc.jsonValue()), (given) => {
      const before = JSON.stringify(given);
      const first = parse(given);
      const again = first.ok ? parse(first.value) : first;

      expect(again).toEqual(first);
      expect(JSON.stringify(given)).toBe(before);
    }),
  );
});

const fixtures = new URL("../../../../../shared/fixtures/tool-schemas/", import.meta.url);
const functions = existsSync(fixtures) ? readTools("bfcl.json") : [];
const served = existsSync(fixtures)
  ? ["mcp-everything", "mcp-filesystem", "mcp-memory", "mcp-sequential-thinking"].flatMap((name) =>
      readTools(`${name}.json`),
    )
  : [];

test.skipIf(served.length === 0)(
  `the schemas of ${served.length} served tools compile unchanged (needs ../shared)`,
  () => {
    for (const { inputSchema } of served)
      expect(compile(inputSchema as Record<string, unknown>)).toBeTypeOf("function");
  },
);

test.skipIf(functions.length === 0)(
  `the schemas of ${functions.length} functions with types of other languages compile once they are repaired (needs ../shared)`,
  () => {
    const changes = functions.flatMap(({ parameters }) => {
      const repaired = repairSchema(parameters as Record<string, unknown>);
      compile(repaired.schema);
      return repaired.changes;
    });

    expect(changes.length).toBeGreaterThanOrEqual(functions.length);
  },
);

function readTools(file: string): readonly Record<string, unknown>[] {
  return (JSON.parse(readFileSync(new URL(file, fixtures), "utf8")) as { tools: Record<string, unknown>[] })
    .tools;
}

test("a schema of plain keywords needs no probing, and waits for its first value; others are compiled at once", () => {
  const plain = compile(object({ path: { type: "string" } }));
  const marked = withAptixBinding(object({ path: { type: "string" } }));

  expect(plain.isExact).toBe(true);
  expect([{ path: "a" }, { path: 1 }].map((value) => plain(value).ok)).toEqual([true, false]);
  expect(compile(object({ path: { type: "string", pattern: "^a" } })).isExact).toBe(undefined);
  expect(compile(marked).isExact).toBe(undefined);
  expect(() => compile(object({ path: { type: "text" } }))).toThrow(/allowed values/);
});
