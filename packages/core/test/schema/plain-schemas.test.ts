import { describe, expect, test } from "vitest";
import type { SchemaCompiler } from "../../src/index.ts";
import { prepareSchema, requireSchema } from "../../src/schema/schema.ts";

const text = { type: "object", properties: { a: { type: "string" } } };

describe("JSON Schema without a library", () => {
  const parse = Object.assign((value: unknown) => ({ ok: true, value }) as never, { isExact: true });

  test("needs a compiler, which may refuse it", () => {
    expect(() => prepareSchema("probe", text, null)).toThrow(
      expect.objectContaining({
        message:
          'the JSON Schema of "probe" needs @toolmount/interop, which is not installed; install it with: npm install @toolmount/interop',
      }),
    );
    const compiler: SchemaCompiler = {
      compile() {
        throw new Error("no such type");
      },
    };
    expect(() => prepareSchema("probe", text, compiler)).toThrow(
      'tool "probe" cannot be mounted: its schema is not valid: no such type',
    );
  });

  test("is plain only where the compiler says that its parser changes nothing", () => {
    expect(prepareSchema("probe", text, { compile: () => parse })).toEqual({
      json: text,
      parse,
      isPlain: true,
    });
    const loose = (value: unknown) => ({ ok: true, value }) as never;
    expect(prepareSchema("probe", text, { compile: () => loose }).isPlain).toBe(false);
  });

  test.each([
    [undefined, {}, "it has no schema"],
    [undefined, { args: 1, arguments: 1 }, "it has no schema; did you mean schema: …, for args?"],
    [undefined, { arguments: 1 }, "it has no schema; did you mean schema: …, for arguments?"],
    [null, {}, "its schema is not an object"],
    ["text", {}, "its schema is not an object"],
    [[], {}, "its schema is not an object"],
    [
      { a: 1, b: 1, c: 1, d: 1 },
      {},
      'its schema is neither Zod\'s nor JSON Schema: it has only a, b, c; write z.object({ a: z.string() }), or { type: "object", properties: { a: { type: "string" } } }',
    ],
  ])("%o beside %o is refused: %s", (schema, definition, problem) => {
    expect(() => requireSchema("p".repeat(200), schema, definition)).toThrow(
      expect.objectContaining({
        code: "TOOL_INVALID",
        details: { tool: "p".repeat(128), problem },
      }),
    );
  });

  test.each([
    "$ref",
    "x-note",
    "type",
    "anyOf",
    "allOf",
    "not",
    "if",
    "minProperties",
    "dependentRequired",
    "unevaluatedItems",
  ])("with only the keyword %s is one", (key) => {
    const compiler = { compile: () => parse };
    expect(prepareSchema("probe", { [key]: {} }, compiler).json).toEqual({ [key]: {} });
    expect(prepareSchema("probe", { other: {}, [key]: {} }, compiler).json).toHaveProperty(key);
  });
});
