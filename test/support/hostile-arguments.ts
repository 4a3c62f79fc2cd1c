import { z } from "zod";

/** What may come of a call: `a-or-b` where either is right. */
export type Outcome = "valid" | "invalid" | "malformed" | "limit" | "consistent" | "no-pollution";

interface HostileCase {
  readonly name: string;
  readonly schema: keyof typeof schemas;
  /** A function where the text is too long to stand in a title. */
  readonly raw: string | (() => string);
  readonly outcome: string;
}

/** The same arguments by a plain JSON Schema and by Zod, so that both parsers stand the same table. */
export const schemas = {
  file_json: {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, maxLength: 4096 },
      offset: { type: "integer", minimum: 0 },
      tags: { type: "array", items: { type: "string", maxLength: 50 }, maxItems: 10 },
      deep: { type: "object", additionalProperties: { type: ["string", "number", "boolean", "null"] } },
    },
    required: ["path"],
    additionalProperties: false,
  },
  file_zod: z.strictObject({
    path: z.string().min(1).max(4096),
    offset: z.int().min(0).optional(),
    tags: z.array(z.string().max(50)).max(10).optional(),
    deep: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  }),
  open_json: { type: "object", properties: {} },
  open_zod: z.looseObject({}),
} as const;

const both = (name: string, raw: HostileCase["raw"], outcome: string): HostileCase[] => [
  { name: `${name} (JSON Schema)`, schema: "file_json", raw, outcome },
  { name: `${name} (Zod)`, schema: "file_zod", raw, outcome },
];

const open = (name: string, raw: HostileCase["raw"], outcome: string): HostileCase[] => [
  { name: `${name} (open JSON Schema)`, schema: "open_json", raw, outcome },
  { name: `${name} (open Zod)`, schema: "open_zod", raw, outcome },
];

const named = (value: unknown) => JSON.stringify(value);

/** Values of every type, for every place that wants another one. */
const values: readonly (readonly [string, string])[] = [
  ["a text", '"x"'],
  ["a number", "1"],
  ["a fraction", "0.5"],
  ["a negative number", "-1"],
  ["true", "true"],
  ["null", "null"],
  ["a list", "[]"],
  ["an object", "{}"],
  ["a number as text", '"1"'],
  ["infinity by overflow", "1e400"],
];

const fits: Readonly<Record<string, readonly string[]>> = {
  path: ["a text", "a number as text"],
  offset: ["a number"],
  tags: ["a list"],
  deep: ["an object"],
};

const wrongTypes = Object.entries(fits).flatMap(([key, good]) =>
  values.flatMap(([what, value]) =>
    both(
      `${key} is ${what}`,
      `{${key === "path" ? "" : '"path":"a",'}"${key}":${value}}`,
      good.includes(what) ? "valid" : "invalid",
    ),
  ),
);

const broken = [
  "{",
  "}",
  "{}}",
  '{"path"}',
  '{"path":}',
  '{"path":"a",}',
  '{path:"a"}',
  "{'path':'a'}",
  "[",
  "[]",
  "[{}]",
  "null",
  "true",
  "1",
  '"{}"',
  "NaN",
  "Infinity",
  "undefined",
  '{"path":"a"} x',
  '{"path":"a"}{"path":"b"}',
  "// a\n{}",
  '{"path":"\n"}',
  '{"path":"\\x41"}',
  '{"path":"\\u12"}',
  "\u0000",
  '{"path":"a\u0000',
  "0x10",
  '{"offset":01}',
  '{"offset":+1}',
  '{"offset":.5}',
  '```json\n{"path":"a"}\n```',
  "<tool>{}</tool>",
].flatMap((raw) => both(`not an object in JSON: ${named(raw)}`, raw, "malformed"));

const prototypeNames = [
  "toString",
  "constructor",
  "hasOwnProperty",
  "valueOf",
  "isPrototypeOf",
  "__defineGetter__",
  "prototype",
];

const foreignKeys = [
  ...prototypeNames.flatMap((key) =>
    both(`an extra key ${key}`, `{"path":"a",${named(key)}:"x"}`, "invalid"),
  ),
  ...prototypeNames.flatMap((key) =>
    open(`an open schema takes ${key} as its own`, `{${named(key)}:"x"}`, "valid"),
  ),
  ...both("a missing key found on a prototype", '{"__proto__":{"path":"a"}}', "invalid"),
  ...both("__proto__ beside a good key", '{"path":"a","__proto__":{"polluted":1}}', "invalid"),
  ...both("__proto__ in escapes", '{"path":"a","\\u005f_proto__":{"polluted":1}}', "invalid"),
  ...both("__proto__ deeper", '{"path":"a","deep":{"__proto__":{"polluted":1}}}', "invalid"),
  ...open("__proto__ where all is allowed", '{"__proto__":{"polluted":1}}', "invalid-or-no-pollution"),
  ...open("constructor.prototype", '{"constructor":{"prototype":{"polluted":1}}}', "valid"),
  ...both("an empty key", '{"path":"a","":1}', "invalid"),
  ...both("a key with a NUL", '{"path":"a","offset\\u0000":1}', "invalid"),
  ...both("a key in another case", '{"Path":"a"}', "invalid"),
  ...both("a key twice", '{"path":"a","path":"b"}', "consistent"),
  ...both("a key twice, once in escapes", '{"path":"a","p\\u0061th":"b"}', "consistent"),
];

const sizes = [
  ...both("exactly the longest text", () => named({ path: "x".repeat(4096) }), "valid"),
  ...both("a text one too long", () => named({ path: "x".repeat(4097) }), "invalid"),
  ...both("an empty text", '{"path":""}', "invalid"),
  ...both("a lone surrogate", '{"path":"\\udfff"}', "valid-or-invalid"),
  ...both("a NUL in a text", '{"path":"a\\u0000b"}', "valid"),
  ...both(
    "a list with too many items",
    named({ path: "a", tags: Array.from({ length: 11 }, () => "t") }),
    "invalid",
  ),
  ...both("one bad item in a list", named({ path: "a", tags: ["t", 1] }), "invalid"),
  ...both(
    "a hundred thousand bad items",
    () => named({ path: "a", tags: Array.from({ length: 100_000 }, () => 1) }),
    "invalid",
  ),
  ...both(
    "a hundred thousand extra keys",
    () => `{"path":"a",${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join(",")}}`,
    "invalid-or-limit",
  ),
  ...both("a list within a map of scalars", named({ path: "a", deep: { list: [] } }), "invalid"),
  ...open("fifty thousand brackets", () => "[".repeat(50_000), "malformed"),
  ...open("fifty thousand objects in one another, never closed", () => '{"a":'.repeat(50_000), "malformed"),
  ...open(
    "sixty-four levels and more",
    () => `${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
    "limit-or-invalid",
  ),
  ...open("ten thousand levels", () => `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, "limit-or-invalid"),
  ...open(
    "ten thousand lists in one another",
    () => `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
    "limit-or-invalid",
  ),
  ...open("thirty levels", () => `${'{"a":'.repeat(30)}1${"}".repeat(30)}`, "valid"),
  ...open("more than a megabyte", () => named({ a: "x".repeat(1_100_000) }), "limit"),
  ...open("more than a megabyte of three-byte characters", () => named({ a: "€".repeat(400_000) }), "limit"),
  ...open("nearly a megabyte", () => named({ a: "x".repeat(1_000_000) }), "valid"),
  ...open("a number of four hundred digits", `{"a":${"9".repeat(400)}}`, "invalid-or-consistent"),
  ...open("white space without end", () => " ".repeat(500_000), "valid"),
];

const whitespace = ["", " ", "\n\t\r "].flatMap((raw) => [
  ...both(`blank ${named(raw)} misses what is required`, raw, "invalid"),
]);

export const hostileCases: readonly HostileCase[] = [
  ...wrongTypes,
  ...broken,
  ...foreignKeys,
  ...sizes,
  ...whitespace,
];
