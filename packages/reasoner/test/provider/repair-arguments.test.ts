import { expect, test } from "vitest";
import { repairArguments } from "../../src/provider/repair-arguments.ts";

const schema = {
  type: "object",
  properties: {
    labels: { type: "array", items: { type: "string" } },
    counts: { type: "array", items: { type: "integer" } },
    count: { type: "integer" },
    price: { anyOf: [{ type: "number" }, { type: "null" }] },
    on: { type: ["boolean", "null"] },
    meta: { type: "object", properties: { by: { type: "string" }, at: { type: "number" } } },
    text: { type: "string" },
    mixed: { type: ["string", "number"] },
    open: {},
  },
};
const repaired = (given: unknown) => JSON.parse(repairArguments(JSON.stringify(given), schema)) as unknown;

test.each<[string, object, object]>([
  ["a list as its text", { labels: '["a","3"]' }, { labels: ["a", "3"] }],
  ["an object as its text", { meta: '{"by":"x","at":"3"}' }, { meta: { by: "x", at: 3 } }],
  [
    "numbers and booleans as texts",
    { count: "3", price: "1.5", on: "true" },
    { count: 3, price: 1.5, on: true },
  ],
  ["null as its text, where it is allowed", { price: "null", on: "null" }, { price: null, on: null }],
  ["members of a list", { counts: ["1", 2] }, { counts: [1, 2] }],
])("%s becomes the value that the schema wants", (_, given, wanted) => {
  expect(repaired(given)).toEqual(wanted);
});

test("arguments that are encoded twice are read", () => {
  expect(JSON.parse(repairArguments(JSON.stringify(JSON.stringify({ count: "3" })), schema))).toEqual({
    count: 3,
  });
});

test.each(["<|call|>", " <|im_end|>\n<|endoftext|>"])(
  "marks after the arguments are left out: %s",
  (marks) => {
    expect(repairArguments(`{"text":"a<|call|>"}${marks}`, schema)).toBe('{"text":"a<|call|>"}');
    expect(repairArguments(`{"text":"a"${marks}`, schema)).toBe(`{"text":"a"${marks}`);
  },
);

test.each([
  { text: "3", mixed: "3", open: "3", other: "3" },
  { count: "3.5", on: "yes", meta: "[1]", labels: "a" },
  { count: "null", counts: '["a"' },
  { count: "1915883588174806058" },
  { count: " ", price: "" },
])("a text stays where the schema takes it, or where it is not exactly what is wanted: %j", (given) => {
  const text = JSON.stringify(given);
  expect(repairArguments(text, schema)).toBe(text);
});

test.each(['{"count":1', "", "5", '"go"', '{"count":1915883588174806058}', "[]"])(
  "what is no object stays as the model wrote it: %s",
  (text) => {
    expect(repairArguments(text, schema)).toBe(text);
    expect(repairArguments(text, undefined)).toBe(text);
  },
);
