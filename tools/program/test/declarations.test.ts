import type { ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { declare } from "../src/declarations.ts";
import { describeAll, describeNamed, findTools } from "../src/find-tools.ts";

function toolWith(members: Partial<ToolInfo>): ToolInfo {
  return { name: "one", description: "Does it.", inputSchema: { type: "object" }, ...members } as ToolInfo;
}

/** How a property with a schema is declared. */
const typeOf = (schema: unknown, definitions: object = {}) =>
  /^one\(arguments: \{ a: (.*) \}\): Promise<any>;$/s.exec(
    declare([
      toolWith({
        inputSchema: { type: "object", properties: { a: schema as never }, required: ["a"], ...definitions },
      }),
    ]).split("*/\n")[1]!,
  )?.[1];

test.each<[unknown, string]>([
  [{ type: "string" }, "string"],
  [{ type: "number" }, "number"],
  [{ type: "integer" }, "number"],
  [{ type: "boolean" }, "boolean"],
  [{ type: "null" }, "null"],
  [{ type: "other" }, "any"],
  [{}, "any"],
  [true, "any"],
  [null, "any"],
  [{ type: ["string", "null"] }, "string | null"],
  [{ type: ["integer", "number"] }, "number"],
  [{ type: ["array", "null"], items: { type: "string" } }, "Array<string> | null"],
  [{ type: "array" }, "Array<any>"],
  [{ type: "array", items: { type: "array", items: { type: "integer" } } }, "Array<Array<number>>"],
  [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
  [{ enum: ["a", "a"] }, '"a"'],
  [{ const: "a" }, '"a"'],
  [{ const: undefined }, "any"],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
  [{ oneOf: [{ type: "string" }, { const: 5 }] }, "string | 5"],
  [
    { allOf: [{ properties: { b: { type: "string" } } }, { type: "object", properties: { c: {} } }] },
    "{ b?: string } & { c?: any }",
  ],
  [{ type: "object" }, "{ [key: string]: any }"],
  [{ type: "object", additionalProperties: false }, "{}"],
  [{ type: "object", additionalProperties: true }, "{ [key: string]: any }"],
  [{ type: "object", additionalProperties: { type: "number" } }, "{ [key: string]: number }"],
  [
    { type: "object", properties: { b: {} }, additionalProperties: { type: "number" } },
    "{ b?: any; [key: string]: number }",
  ],
  [
    { properties: { b: { type: "string" }, "c-d": {}, $e: {} }, required: ["c-d"] },
    '{ b?: string; "c-d": any; $e?: any }',
  ],
  [{ $ref: "#/$defs/one" }, "string"],
  [{ $ref: "#/$defs/a~1b~0c" }, "number"],
  [{ $ref: "#/$defs/none" }, "any"],
  [{ $ref: "#/$defs/constructor" }, "any"],
  [{ $ref: "#/$defs/one/type/x" }, "any"],
  [{ $ref: "other.json#/a" }, "any"],
])("the schema %j is declared as %s", (schema, type) => {
  expect(typeOf(schema, { $defs: { one: { type: "string" }, "a/b~c": { type: "number" } } })).toBe(type);
});

test("a type that contains itself is shown to its eighth level", () => {
  const type = typeOf(
    { $ref: "#/$defs/list" },
    { $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } } },
  );

  expect(type).toBe("Array<Array<Array<Array<any>>>>");
  const nested = (levels: number): object =>
    levels === 0 ? { type: "string" } : { type: "array", items: nested(levels - 1) };
  const shown = (levels: number) =>
    declare([toolWith({ outputSchema: nested(levels) as never })]).split("Promise<")[1];

  expect(shown(8)).toBe(`${"Array<".repeat(8)}string${">".repeat(9)};`);
  expect(shown(9)).toBe(`${"Array<".repeat(9)}any${">".repeat(10)};`);
});

test("a record shows sixty members, and says that there are more", () => {
  const record = (members: number) =>
    typeOf({
      type: "object",
      properties: Object.fromEntries(Array.from({ length: members }, (_, at) => [`m${at}`, {}])),
    })!;

  expect(record(60).split("; ").at(-1)).toBe("m59?: any }");
  expect(record(61).split("; ").slice(-2)).toEqual(["m59?: any", "[key: string]: any }"]);
});

test.each<[Partial<ToolInfo>, string]>([
  [{}, "/** Does it. */\none(arguments?: { [key: string]: any }): Promise<any>;"],
  [{ summary: "Sums up." }, "/** Sums up. */\none(arguments?: { [key: string]: any }): Promise<any>;"],
  [{ name: "a-b" }, '/** Does it. */\n"a-b"(arguments?: { [key: string]: any }): Promise<any>;'],
  [{ name: "1a" }, '/** Does it. */\n"1a"(arguments?: { [key: string]: any }): Promise<any>;'],
  [
    { description: " Ends\n\n here */ and on. " },
    "/** Ends here * / and on. */\none(arguments?: { [key: string]: any }): Promise<any>;",
  ],
  [
    {
      inputSchema: { type: "object", properties: { a: {} }, required: [] },
      outputSchema: { type: "string" },
    },
    "/** Does it. */\none(arguments?: { a?: any }): Promise<string>;",
  ],
])("a tool with %j is declared as %s", (members, text) => {
  expect(declare([toolWith(members)])).toBe(text);
});

test("a comment has at most 500 characters, and each tool its lines", () => {
  expect(declare([toolWith({ description: "x".repeat(600) }), toolWith({})]).split("\n")).toEqual([
    `/** ${"x".repeat(500)} */`,
    "one(arguments?: { [key: string]: any }): Promise<any>;",
    "/** Does it. */",
    "one(arguments?: { [key: string]: any }): Promise<any>;",
  ]);
});

test("named tools are declared in the order of the names, and a missing one is named with those like it", () => {
  const tools = [toolWith({ name: "read_file" }), toolWith({ name: "move_file" })];

  expect(describeNamed(["move_file", "read_file"], tools)).toEqual({ text: declare(tools.toReversed()) });
  expect(describeNamed(["move_file", "read_fil", "x"], tools)).toEqual({
    missing: "read_fil",
    nearest: ["read_file"],
  });
});

test("tools whose declarations have more than 12000 characters are a line each", () => {
  const one = toolWith({ description: `${"x".repeat(50)}\n ${"y".repeat(400)}` });
  const lengthOf = declare([one]).length + 1;
  const many = (count: number) => Array.from({ length: count }, () => one);
  const most = Math.floor((12_000 + 1) / lengthOf);

  expect(describeAll(many(most))).toBe(declare(many(most)));
  expect(describeAll(many(most + 1)).split("\n")).toEqual(
    many(most + 1).map(() => `one: ${"x".repeat(50)} ${"y".repeat(69)}`),
  );
  expect(describeAll([toolWith({ summary: "s" }), ...many(200)]).slice(0, 7)).toBe("one: s\n");
  expect(describeAll(many(200))).toHaveLength(12_000);
  expect(describeAll([])).toBe("");
});

test("an exact limit of 12000 characters is still declared", () => {
  const base = declare([toolWith({ name: "n", description: "d" })]).length;
  const tool = (more: number) => toolWith({ name: "n".repeat(1 + more), description: "d" });

  expect(describeAll([tool(12_000 - base)])).toHaveLength(12_000);
  expect(describeAll([tool(12_001 - base)])).toMatch(/^n+: d$/);
});

test("tools are found by the words of their names and descriptions, rare words first, at most eight", () => {
  const named = (name: string, description = "") => toolWith({ name, description });
  const tools = [
    named("list_files", "Lists the files of a folder."),
    named("read_file", "Reads a file."),
    named("send_mail", "Sends a mail with a file."),
    named("plot", "Draws boxes."),
  ];
  const find = (query: string) => findTools(query, tools).map(({ name }) => name);

  expect(find("file")).toEqual(["list_files", "read_file", "send_mail"]);
  expect(find("mail a file")).toEqual(["send_mail", "list_files", "read_file"]);
  expect(find("BOX")).toEqual(["plot"]);
  expect(find("draws")).toEqual(["plot"]);
  expect(find("a of in")).toEqual([]);
  expect(find("")).toEqual([]);
  expect(
    findTools(
      "one",
      Array.from({ length: 9 }, () => named("one")),
    ),
  ).toHaveLength(8);
});

test("one rare word counts more than two that most tools have", () => {
  const tools = Array.from({ length: 10 }, (_, at) =>
    toolWith({ name: `t${at}`, description: at < 7 ? "Reads pages." : at === 7 ? "Prints." : "Waits." }),
  );
  const find = (query: string) => findTools(query, tools).map(({ name }) => name);

  expect(find("reads pages prints")).toEqual(["t7", "t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
  expect(find("reads pages")).toEqual(["t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
});

test("each kind of nesting is a level", () => {
  const chain = (kind: (inner: object) => object, levels: number): object =>
    levels === 0 ? { type: "string" } : kind(chain(kind, levels - 1));
  const kinds: Readonly<Record<string, (inner: object) => object>> = {
    list: (items) => ({ type: "array", items }),
    member: (a) => ({ type: "object", properties: { a }, required: ["a"] }),
    other: (inner) => ({ type: "object", additionalProperties: inner }),
    any: (inner) => ({ anyOf: [inner] }),
    one: (inner) => ({ oneOf: [inner] }),
    all: (inner) => ({ allOf: [inner] }),
  };
  for (const [name, kind] of Object.entries(kinds)) {
    const shown = (levels: number) =>
      declare([toolWith({ outputSchema: chain(kind, levels) as never })]).split("Promise<")[1];
    expect([name, shown(8)]).toEqual([name, expect.stringContaining("string")]);
    expect([name, shown(9)?.replaceAll("[key: string]", "")]).toEqual([
      name,
      expect.not.stringContaining("string"),
    ]);
  }
  const schemaOf = (at: number) => (at === 0 ? { type: "string" } : { $ref: `#/$defs/n${at - 1}` });
  const $defs = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`n${at}`, schemaOf(at)]));
  const referred = (from: number) =>
    declare([toolWith({ outputSchema: { $ref: `#/$defs/n${from}`, $defs } })]).split("Promise<")[1];
  expect([referred(7), referred(8)]).toEqual(["string>;", "any>;"]);
});
