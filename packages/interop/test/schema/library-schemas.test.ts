import {
  aiSchemaMark,
  ArgumentsRefused,
  isParser,
  isShape,
  readSchema,
} from "../../src/schema/foreign-schema.ts";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const mark = (more: object) => ({ [aiSchemaMark]: true, ...more });

describe("a schema of a library", () => {
  test.each<[string, unknown, object]>([
    ["that is missing", undefined, { type: "object", properties: {} }],
    ["that is null", null, { type: "object", properties: {} }],
    ["in JSON", city, city],
    ["in JSON under a name", { jsonSchema: city }, city],
    ["that a function returns", () => city, city],
    ["of the AI SDK", mark({ jsonSchema: city }), city],
    ["of Zod 3", z3.object({ city: z3.string() }), city],
    ["of Zod 3, as bare members", { city: z3.string() }, city],
    ["of Valibot", v.object({ city: v.string() }), city],
  ])("%s is read as JSON Schema", (_, given, schema) => {
    expect(readSchema("look", given).schema).toMatchObject(schema);
  });

  test("of Zod 4 is kept as it is, and bare members are made one", () => {
    const zod = z.object({ city: z.string() });

    expect(readSchema("look", zod)).toEqual({ schema: zod });
    expect(readSchema("look", { city: z.string() }).schema).toHaveProperty("_zod");
    expect(readSchema("look", { city: z.string() }).parse).toBeUndefined();
  });

  test.each<[string, unknown, unknown, unknown]>([
    ["Zod 3", z3.object({ n: z3.number().default(3) }), {}, { n: 3 }],
    ["Zod 4 that changes its value", z.object({ n: z.string().transform(Number) }), { n: "4" }, { n: 4 }],
    ["Valibot", v.object({ n: v.optional(v.number(), 5) }), {}, { n: 5 }],
    ["ArkType", type({ n: "number = 6" }), {}, { n: 6 }],
    [
      "the AI SDK",
      mark({
        jsonSchema: city,
        validate: (value: object) => ({ success: true, value: { ...value, more: 1 } }),
      }),
      { city: "a" },
      { city: "a", more: 1 },
    ],
  ])("of %s makes the value itself", async (_, given, value, made) => {
    const { parse } = readSchema("look", given);

    // A schema that the host uses itself checks by its own standard member.
    const own = async () => {
      const checked = await (given as z.ZodType)["~standard"].validate(value);
      return "value" in checked ? checked.value : checked.issues;
    };

    expect(await (parse === undefined ? own() : parse(value))).toEqual(made);
  });

  test.each<[string, unknown, unknown, string]>([
    [
      "Zod 3",
      z3.object({ a: z3.object({ b: z3.string() }) }),
      { a: { b: 1 } },
      "a.b: Expected string, received number",
    ],
    ["Zod 3 at the value itself", z3.string(), 1, "Expected string, received number"],
    [
      "Valibot",
      v.object({ a: v.string(), b: v.number() }),
      { a: 1, b: "x" },
      'a: Invalid type: Expected string but received 1; b: Invalid type: Expected number but received "x"',
    ],
    [
      "the AI SDK",
      mark({ jsonSchema: city, validate: () => ({ success: false, error: new Error("no such city") }) }),
      {},
      "no such city",
    ],
  ])("of %s refuses a value in its own words", async (_, given, value, message) => {
    const refused = await Promise.resolve(readSchema("look", given).parse!(value)).catch(
      (error: unknown) => error,
    );

    expect(refused).toBeInstanceOf(ArgumentsRefused);
    expect(refused).toMatchObject({ name: "ArgumentsRefused", message });
  });

  test("of which many members are wrong says ten", async () => {
    const members = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`m${at}`, z3.string()]));
    const { parse } = readSchema("look", z3.object(members));
    const refused = (await Promise.resolve(parse!({})).catch((error: unknown) => error)) as Error;

    expect(refused.message).toBe(Array.from({ length: 10 }, (_, at) => `m${at}: Required`).join("; "));
  });

  const howTo =
    "; print it yourself and export the tool with that JSON Schema, or write the schema with Zod, Valibot or ArkType";

  test.each<[string, unknown, string]>([
    ["a text", "text", `it is a string${howTo}`],
    ["a number", 7, `it is a number${howTo}`],
    [
      "one of the AI SDK without JSON Schema",
      mark({ jsonSchema: 7 }),
      `its jsonSchema is not an object${howTo}`,
    ],
    [
      "one that prints later",
      mark({ jsonSchema: Promise.resolve(city) }),
      "its jsonSchema is a promise, and tools are read without waiting; wait for it in the module, and give the tool jsonSchema(await schema.jsonSchema, schema)",
    ],
    [
      "one of a library that cannot print",
      { "~standard": { version: 1, vendor: "homemade", validate: (value: unknown) => ({ value }) } },
      `its library (homemade) cannot print JSON Schema${howTo}`,
    ],
    [
      "one of a library without a name",
      { "~standard": { version: 1, validate: (value: unknown) => ({ value }) } },
      `its library cannot print JSON Schema${howTo}`,
    ],
    [
      "one with a date of Zod",
      z.object({ at: z.date() }),
      `Date cannot be represented in JSON Schema${howTo}`,
    ],
  ])("that is %s is refused, with what to do", (_, given, problem) => {
    expect(() => readSchema("look", given)).toThrow(
      expect.objectContaining({ code: "SCHEMA_NOT_JSON", details: { tool: "look", problem } }),
    );
  });
});

test.each<[string, unknown, boolean]>([
  ["Zod 3", z3.string(), true],
  ["Zod 4", z.string(), true],
  ["Valibot", v.string(), true],
  ["ArkType", type("string"), true],
  ["the AI SDK", mark({}), true],
  ["JSON Schema", city, false],
  ["a text", "x", false],
  ["null", null, false],
  ["what has a check of Zod 3 without its name", { _def: {} }, false],
  ["what Zod 4 printed", { "~standard": { version: 1, vendor: "zod" }, type: "object" }, false],
])("%s can check a value by itself: %s", (_, given, isOne) => {
  expect(isParser(given)).toBe(isOne);
});

test.each<[object, boolean]>([
  [{ a: z.string() }, true],
  [{ a: z3.string() }, true],
  [{ a: z.string(), b: 7 }, false],
  [{ a: v.string() }, false],
  [{}, false],
  [city, false],
])("bare members of Zod: case %#", (given, isOne) => {
  expect(isShape(given as never)).toBe(isOne);
});
