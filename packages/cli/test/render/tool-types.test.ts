import type { ToolInfo } from "@toolmount/core";
import { expect, test } from "vitest";
import { renderClient, renderTypes } from "../../src/render/tool-types.ts";

const info = (name: string, inputSchema: object, more: object = {}) =>
  ({ name, description: `Does ${name}.`, inputSchema, ...more }) as unknown as ToolInfo;

/** The types of tools, without the first comment and the interface over all. */
async function spaces(...tools: readonly ToolInfo[]): Promise<string> {
  const text = await renderTypes(tools);
  return text.slice(text.indexOf("\n\n") + 2, text.indexOf("/** The arguments of each tool"));
}

/** The lines of the type of the arguments, without blanks around them. */
async function typeOf(schema: object): Promise<string[]> {
  const text = await spaces(info("a", schema));
  const start = text.indexOf("{\n") + 2;
  const lines = text.slice(start, text.indexOf("  export type Data")).split("\n");
  return lines.map((line) => line.trim()).filter(Boolean);
}

const one = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

test("the types of a plan are a namespace for each tool, and an interface over all", async () => {
  const outputSchema = { type: "array", items: { type: "number" } };
  const description = "Reads */\n  a   file. ";
  const text = await renderTypes([info("read.file", one, { description, outputSchema }), info("b", one)]);
  expect(text)
    .toBe(`// Written by \`toolmount types\`. Do not change it: change the plan or its tools, and write it again.

/** Reads * / a file. */
export declare namespace ReadFile {
  export interface Arguments {
  path: string
  }

  export type Data = number[]
}

/** Does b. */
export declare namespace B {
  export interface Arguments {
  path: string
  }

  export type Data = unknown;
}

/** The arguments of each tool, and the data of its result. */
export interface Tools {
  "read.file": { arguments: ReadFile.Arguments; data: ReadFile.Data };
  "b": { arguments: B.Arguments; data: B.Data };
}
`);
});

test.each([
  [["notes.read-one"], ["NotesReadOne"]],
  [
    ["a-b", "a_b", "A.b"],
    ["AB", "AB2", "AB3"],
  ],
  [["tools"], ["Tools2"]],
  [["2d"], ["Tool2d"]],
  [["é"], ["Tool"]],
  [
    ["_x", "x2Y"],
    ["X", "X2Y"],
  ],
])("the tools %j are the namespaces %j", async (names, found) => {
  const text = await spaces(...names.map((name) => info(name, one)));
  expect([...text.matchAll(/namespace (\w+) /g)].map(([, name]) => name)).toEqual(found);
});

test("a description is cut after 1000 characters", async () => {
  const text = await spaces(info("a", one, { description: "x".repeat(1001) }));
  expect(text.startsWith(`/** ${"x".repeat(1000)} */\n`)).toBe(true);
});

const open = { type: "object", additionalProperties: false };

test.each<[string, object, string[]]>([
  [
    "titles and code of TypeScript are left out",
    {
      ...open,
      title: "Evil",
      $id: "http://x/evil",
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: {
        title: { type: "string", title: "Evil", id: "evil" },
        code: { type: "number", tsType: "any; }; const evil = 1; interface X {" },
        kind: { enum: [1, 2], tsEnumNames: ["Evil", "Other"] },
      },
    },
    ["export interface Arguments {", "title?: string", "code?: number", "kind?: (1 | 2)", "}"],
  ],
  [
    "values stay as they are",
    {
      ...open,
      properties: {
        a: { const: { title: "kept" } },
        b: { enum: ["title", "id"] },
        c: { type: "string", default: { title: "x" }, examples: [{ id: 1 }] },
      },
    },
    ["export interface Arguments {", 'a?: {"title":"kept"}', 'b?: ("title" | "id")', "c?: string", "}"],
  ],
  [
    "a comment cannot be ended",
    { ...open, properties: { a: { type: "string", description: "*/ evil" } } },
    ["export interface Arguments {", "/**", "* * / evil", "*/", "a?: string", "}"],
  ],
  [
    "a list with places has a type for each",
    {
      ...open,
      properties: {
        pair: {
          type: "array",
          prefixItems: [{ type: "string", title: "Evil" }, { type: "number" }],
          items: { type: "boolean", title: "Evil" },
        },
        all: { type: "array", items: { type: "string", title: "Evil" } },
      },
    },
    [
      "export interface Arguments {",
      "pair?: []|[string]|[string, number, ...(boolean)[]]",
      "all?: string[]",
      "}",
    ],
  ],
  [
    "definitions keep their names, and lose their titles",
    {
      ...open,
      properties: { item: { $ref: "#/$defs/Item" } },
      $defs: { Item: { type: "object", title: "Evil", properties: {}, additionalProperties: false } },
    },
    ["export interface Arguments {", "item?: Item", "}", "export interface Item {", "}"],
  ],
])("in the types, %s", async (_, schema, lines) => {
  expect(await typeOf(schema)).toEqual(lines);
});

test("a schema that cannot be a type is a record, and the comment says why", async () => {
  const lines = await typeOf({ ...open, properties: { a: { $ref: "#/$defs/none" } } });
  expect(lines).toEqual([
    expect.stringMatching(/^\/\*\* The schema has no type: .+ \*\/$/),
    "export type Arguments = Record<string, unknown>;",
  ]);
});

test("a client has one method for each tool", () => {
  const text = renderClient([info("read.file", one), info('a"b', one)]);
  expect(text).toContain(
    'const names = [\n  "read.file",\n  "a\\"b",\n] as const satisfies readonly (keyof Tools)[];\n',
  );
  expect(text.startsWith("// Written by `toolmount types`.")).toBe(true);
});
