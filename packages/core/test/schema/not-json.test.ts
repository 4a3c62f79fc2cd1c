import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createHost, type StandardSchema } from "../../src/index.ts";
import { prepareSchema } from "../../src/schema/schema.ts";
import { zodSize } from "../../src/schema/zod-parser.ts";
import { tool } from "../world.ts";

/** What a host says of a tool with this schema, or null where it mounts it. */
function refusalOf(schema: unknown): string | null {
  const host = createHost();
  try {
    host.coordinator.mount("tools", tool(undefined, { schema: schema as never }));
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: { tool: string; problem: string } };
    return `${code} ${details.tool}: ${details.problem}`;
  }
}

/** A schema of another library: what it prints for arguments and for results, and how it parses. */
function standard(input: object, output: object, validate: (value: never) => unknown): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: validate as never,
      jsonSchema: { input: () => ({ ...input }), output: () => ({ ...output }) },
    },
  };
}

const text = { type: "object", properties: { a: { type: "string" } } };
const same = (value: unknown) => ({ value });
/** Takes a text as `a`, and no other kind of value. */
const strict = (value: { a?: unknown }) =>
  ["string", "undefined"].includes(typeof value.a) ? { value } : { issues: [{ message: "no", path: ["a"] }] };

/** Types other than JSON's, and arguments that parsing changes, cannot be described to a model. */
describe("a schema of Zod is refused", () => {
  test.each<[string, () => z.ZodType, string]>([
    [
      "a number from a text",
      () => z.object({ a: z.coerce.number() }),
      '"a" is declared as number but accepts the string "1"',
    ],
    [
      "a boolean from a text",
      () => z.object({ a: z.coerce.boolean() }),
      '"a" is declared as boolean but accepts the string "true"',
    ],
    [
      "a text from a number",
      () => z.object({ a: z.coerce.string() }),
      '"a" is declared as string but accepts the number 1',
    ],
    [
      "a number from a text, deep inside",
      () => z.object({ a: z.object({ b: z.object({ c: z.coerce.number().int() }) }) }),
      '"a.b.c" is declared as integer but accepts the string "1"',
    ],
    [
      "a number from a text, beside others",
      () => z.object({ a: z.string(), b: z.object({ c: z.string() }), d: z.coerce.number() }),
      '"d" is declared as number but accepts the string "1"',
    ],
    [
      "another type in the result",
      () => z.object({ a: z.string().transform(Number).pipe(z.number()) }),
      '"a" takes string and returns number',
    ],
    [
      "another type deep in the result",
      () => z.object({ a: z.object({ b: z.array(z.string().transform(Number).pipe(z.number())) }) }),
      '"a.b.[]" takes string and returns number',
    ],
    [
      "a text that grows",
      () => z.object({ a: z.string().overwrite((given) => `${given}!`) }),
      "parsing its output again changes it",
    ],
    [
      "a number that grows",
      () => z.object({ a: z.number().overwrite((given) => given + 1) }),
      "parsing its output again changes it",
    ],
  ])("%s", (_, schema, problem) => {
    expect(refusalOf(schema())).toBe(`SCHEMA_NOT_JSON probe: ${problem}`);
  });

  test("because its type is not that of arguments", () => {
    expect(refusalOf(z.array(z.string()))).toBe(
      'TOOL_INVALID probe: its schema is of type "array"; arguments are an object',
    );
    expect(refusalOf(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))).toBeNull();
  });

  test("because it would print more parts than a program can hold", () => {
    const doubled = (times: number) => {
      let schema: z.ZodType = z.string();
      for (let level = 0; level < times; level++) schema = z.object({ a: schema, b: schema });
      return schema;
    };

    expect(zodSize(doubled(3))).toBe(15);
    expect(zodSize(doubled(15))).toBe(65_535);
    expect(refusalOf(doubled(15))).toBeNull();
    expect(refusalOf(doubled(16))).toBe(
      "TOOL_INVALID probe: its schema prints as more than 100000 parts: a part that is used twice is printed twice",
    );
  });
});

describe("a schema of another library", () => {
  test.each<[string, StandardSchema, string | null]>([
    ["that keeps values as they are", standard(text, text, strict), null],
    ["that refuses every value", standard(text, text, () => ({ issues: [{ message: "no" }] })), null],
    [
      "that throws for every value",
      standard(text, text, () => {
        throw new Error("no");
      }),
      null,
    ],
    ["whose parser is asynchronous", standard(text, text, async (value) => ({ value })), null],
    ["whose asynchronous parser fails", standard(text, text, () => Promise.reject(new Error("no"))), null],
    [
      "that returns a date",
      standard({ type: "object" }, { type: "object" }, () => ({ value: { at: new Date(0) } })),
      "its output is a Date, not JSON (write its toISOString())",
    ],
    [
      "that takes one type and returns another",
      standard({ type: "object" }, { type: "string" }, same),
      "it takes object and returns string",
    ],
    [
      "of a list whose items change their type",
      standard(
        { type: "object", items: { type: "string" } },
        { type: "object", items: { type: "number" } },
        same,
      ),
      '"[]" takes string and returns number',
    ],
    [
      "that counts up",
      standard(
        { type: "object", properties: { a: { type: "integer", minimum: 3 } } },
        { type: "object", properties: { a: { type: "integer" } } },
        ({ a }: { a: number }) =>
          typeof a === "number" ? { value: { a: a + 1 } } : { issues: [{ message: "no", path: ["a"] }] },
      ),
      "parsing its output again changes it",
    ],
  ])("%s", (_, schema, problem) => {
    expect(refusalOf(schema)).toBe(problem === null ? null : `SCHEMA_NOT_JSON probe: ${problem}`);
  });

  test("that cannot print itself is refused, with the library's words where it has some", () => {
    const { validate } = standard(text, text, same)["~standard"];
    const silent = { "~standard": { version: 1, vendor: "test", validate } };
    const failing = {
      "~standard": {
        ...silent["~standard"],
        jsonSchema: {
          input: () => {
            throw new Error("no printer for dates");
          },
        },
      },
    };

    expect(() => prepareSchema("probe", silent as never, null)).toThrow(
      expect.objectContaining({ code: "EXTENSION_MISSING" }),
    );
    const compiler = { compile: () => () => ({ ok: true as const, value: {} }), print: () => undefined };
    expect(() => prepareSchema("probe", silent as never, compiler)).toThrow(
      "its library (test) cannot print JSON Schema",
    );
    expect(refusalOf(failing)).toBe("SCHEMA_NOT_JSON probe: no printer for dates");
  });

  test("is printed in the draft of 2020-12, without $schema and without the bounds of safe integers", () => {
    const asked: unknown[] = [];
    const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: most } = Number;
    const bounds = { minimum: least, maximum: most };
    const printed = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "integer", ...bounds } },
      anyOf: [{ ...bounds }, { minimum: least + 1, maximum: most - 1 }, null, [{ ...bounds, title: "t" }]],
    };
    const schema = standard(printed, printed, same);
    const { jsonSchema } = schema["~standard"];
    Object.assign(jsonSchema!, {
      input: (options: unknown) => (asked.push(options), structuredClone(printed)),
    });

    expect(prepareSchema("probe", schema, null).json).toEqual({
      type: "object",
      properties: { a: { type: "integer" } },
      anyOf: [{}, { minimum: least + 1, maximum: most - 1 }, null, [{ title: "t" }]],
    });
    expect(asked).toEqual([{ target: "draft-2020-12" }]);
  });
});
