import type { ToolInfo } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { expectFound, findingsOf, toolWith, type Row } from "./subjects.ts";

describe("names", () => {
  const longest = "a".repeat(64);
  test.each<Row>([
    [{ name: "read_note" }],
    [{ name: "a" }],
    [{ name: longest }],
    [{ name: "Read-Note_1" }],
    [{ name: `${longest}a` }, `name: "${longest}a" has characters that providers refuse, or too many`],
    [{ name: "read.note" }, 'name: "read.note" has characters that providers refuse, or too many'],
    [{ name: "größe" }, 'name: "größe" has characters that providers refuse, or too many'],
    [{ name: "a b" }, 'name: "a b" has characters that providers refuse, or too many'],
  ])("name_grammar: %j", (...row) => expectFound("name_grammar", row));

  test.each<Row>([
    [{ name: "read_note" }],
    [{ name: "r2_d2" }],
    [{ name: longest }],
    [{ name: "read.note" }],
    [{ name: "readNote" }, 'name: "readNote" is not lower snake case'],
    [{ name: "read-note" }, 'name: "read-note" is not lower snake case'],
    [{ name: "_read" }, 'name: "_read" is not lower snake case'],
    [{ name: "read_" }, 'name: "read_" is not lower snake case'],
    [{ name: "read__note" }, 'name: "read__note" is not lower snake case'],
    [{ name: "2read" }, 'name: "2read" is not lower snake case'],
    [{ name: "Read" }, 'name: "Read" is not lower snake case'],
  ])("name_snake_case: %j", (...row) => expectFound("name_snake_case", row));

  test.each(["name_grammar", "name_snake_case"])(
    "%s says nothing of a tool that the host refused",
    async (rule) => {
      expect(await findingsOf(rule, toolWith({}, { info: null, name: "Read.Note" }))).toEqual([]);
    },
  );
});

describe("descriptions", () => {
  const foreign = { origin: "amplifier" } as const;
  test.each<Row>([
    [{ description: "One. Two. Three." }],
    [{ description: "One. two. three. four. five." }],
    [{ description: "One? Two! Three." }],
    [{ description: "a".repeat(500) }],
    [{ description: "One. Two. Three. Four." }, "description: it has 4 sentences and 22 characters"],
    [{ description: "One? Two! Three.\nFour." }, "description: it has 4 sentences and 22 characters"],
    [{ description: "a".repeat(501) }, "description: it has 1 sentences and 501 characters"],
    [{ ...foreign, description: "a".repeat(501) }],
  ])("description_length: %j", (...row) => expectFound("description_length", row));

  const says = [
    "Use it.",
    "Used for.",
    "Call it.",
    "When asked.",
    "Whenever asked.",
    "If asked.",
    "For notes.",
    "After a.",
    "BEFORE a.",
  ];
  test.each<Row>([
    ...says.map((description): Row => [{ description }]),
    [{ description: "Reads one note." }, "description: it does not say when to use the tool"],
    [{ description: "Reuses afterwards, iffy forms." }, "description: it does not say when to use the tool"],
    [{ ...foreign, description: "Reads one note." }],
  ])("description_when: %j", (...row) => expectFound("description_when", row));

  const excludes = [
    "Not for a.",
    "Never a.",
    "b instead.",
    "ONLY a.",
    "Rather b.",
    "Unless a.",
    "Without a.",
    "No a.",
    "Cannot a.",
    "Except a.",
    "It doesn't a.",
    "Reads; to find, use b.",
    "Reads, for lists use b.",
    "Reads, when lost use b.",
    "Reads; see find_notes.",
  ];
  test.each<Row>([
    ...excludes.map((description): Row => [{ description }]),
    [{ description: "Reads one note." }, "description: it does not say when not to use the tool"],
    [{ description: "Reads to find. Use it." }, "description: it does not say when not to use the tool"],
    [{ description: "Reads; to find. Use it." }, "description: it does not say when not to use the tool"],
    [{ description: "Reads find_notes." }, "description: it does not say when not to use the tool"],
    [{ description: "Notes, nothing, onlyness." }, "description: it does not say when not to use the tool"],
    [{ ...foreign, description: "Reads one note." }],
  ])("description_when_not: %j", (...row) => expectFound("description_when_not", row));
});

describe("schemas", () => {
  const of = (a: object, more: object = {}): Partial<ToolInfo> => ({
    inputSchema: { type: "object", properties: { a: a as never }, ...more },
  });
  const untyped = "inputSchema.properties.a: it has no simple JSON type";
  const typed = ["string", "number", "integer", "boolean", "object", "array", "null"];
  const deep = (levels: number): object =>
    levels === 0 ? {} : { type: "object", description: "d", properties: { a: deep(levels - 1) } };
  const nest = (levels: number): object =>
    levels === 0 ? { type: "string" } : { anyOf: [nest(levels - 1)] };
  const path = (levels: number) => `inputSchema${".properties.a".repeat(levels)}`;
  test.each<Row>([
    ...typed.map((type): Row => [of({ type })]),
    [of({ type: "text" }), untyped],
    [of({ type: ["string", "null"] })],
    [of({ type: ["string", "text"] }), untyped],
    [of({}), untyped],
    [of({ enum: [1] })],
    [of({ const: 1 })],
    [of({ $ref: "#/$defs/a" })],
    [of({ $ref: 1 }), untyped],
    [of({ anyOf: [{ type: "string" }, { const: 1 }] })],
    [of({ oneOf: [{ type: "string" }, {}] }), untyped],
    [of({ allOf: [{ type: "string" }] })],
    [of({ anyOf: [] })],
    [of(nest(6))],
    [of(nest(7)), untyped],
    [
      of({ type: "object", properties: { b: {} } }),
      "inputSchema.properties.a.properties.b: it has no simple JSON type",
    ],
    [
      of({ type: "array", items: { properties: { b: {} } } }),
      "inputSchema.properties.a.items.properties.b: it has no simple JSON type",
    ],
    [of(deep(8)), `${path(9)}: it has no simple JSON type`],
    [of(deep(9))],
    [
      { inputSchema: { type: "object", items: { properties: { b: {} } } } },
      "inputSchema.items.properties.b: it has no simple JSON type",
    ],
    [{ inputSchema: { type: "object", properties: { a: true, b: [] } } }],
    [{ inputSchema: { type: "object", properties: [] } }],
    [{ inputSchema: { type: "object" } }],
    [{ origin: "amplifier", ...of({}) }],
  ])("schema_types: %j", (...row) => expectFound("schema_types", row));

  const undescribed = "inputSchema.properties.a: it has no description";
  test.each<Row>([
    [of({ description: "It is." })],
    [of({}), undescribed],
    [of({ description: " " }), undescribed],
    [of({ description: 1 }), undescribed],
    [
      of({ description: "a", properties: { b: {} } }),
      "inputSchema.properties.a.properties.b: it has no description",
    ],
    [{ origin: "forge", ...of({}) }],
  ])("schema_descriptions: %j", (...row) => expectFound("schema_descriptions", row));

  test.each<Row>([
    [of({ type: "string", pattern: "^[a-z]+$" })],
    [
      of({ type: "string", pattern: "(a+)+$" }),
      'inputSchema.properties.a.pattern: can take exponential time to match: "(a+)+$"',
    ],
    [
      of({ type: "string", pattern: "(" }),
      'inputSchema.properties.a.pattern: is not a regular expression: "("',
    ],
    [
      of({ type: "string", pattern: "a".repeat(2_001) }),
      `inputSchema.properties.a.pattern: has more than 2000 characters, too many to analyze: "${"a".repeat(120)}"`,
    ],
    [
      of({ type: "object", patternProperties: { "(": {} } }),
      'inputSchema.properties.a.patternProperties.(: is not a regular expression: "("',
    ],
    [
      { inputSchema: { type: "object", properties: { pattern: { type: "string", pattern: "(" } } } },
      'inputSchema.properties.pattern.pattern: is not a regular expression: "("',
    ],
    [{ inputSchema: { type: "object", properties: { pattern: "(" } } }],
    [
      { inputSchema: { type: "object", properties: { properties: { pattern: "(" } } } },
      'inputSchema.properties.properties.pattern: is not a regular expression: "("',
    ],
    [of({ pattern: 1 })],
    [
      { outputSchema: { type: "string", pattern: "(" } },
      'outputSchema.pattern: is not a regular expression: "("',
    ],
  ])("schema_pattern: %j", (...row) => expectFound("schema_pattern", row));
});
