import { expect, test } from "vitest";
import { parseFlowMap } from "../../src/options/flow-map.ts";

test.each<[string, object]>([
  ["", {}],
  ["a: 1", { a: 1 }],
  ["a: 1, b: two words, c: [3, x], d: {e: true}", { a: 1, b: "two words", c: [3, "x"], d: { e: true } }],
  [`a: "1", b: '2'`, { a: "1", b: "2" }],
  ['"a": 1,', { a: 1 }],
  ["a: ~", { a: null }],
  ["a: 1 # a comment", { a: 1 }],
  ["a: no", { a: "no" }],
  ["a: 0x10", { a: 16 }],
  ["1: x", { 1: "x" }],
  ["<<: {a: 1}", { "<<": { a: 1 } }],
])("the members %j are read as a map of YAML has them", (text, value) => {
  expect(parseFlowMap(text)).toEqual({ ok: true, value });
});

test.each([
  ["a", '"a" has no name before it'],
  [":b", '":b" has no name before it'],
  ["a:b", 'write a blank after "a:"'],
  ["a:b:c", 'write a blank after "a:"'],
  ["a b:c", '"a b:c" has no name before it'],
  ["x".repeat(101), `"${"x".repeat(100)}" has no name before it`],
  ["a: 1, b", '"b" has no name before it'],
  ["a: [", "Flow sequence in block collection must be sufficiently indented and end with a ]"],
  ["a: 1, a: 2", "Map keys must be unique"],
  ["a: &x 1, b: *x", "a name with * before it cannot be used here: write the value again"],
  ["a: .inf", "a: JSON cannot hold this number exactly"],
  ["}, {", "Unexpected scalar at node end"],
])("the members %j are refused with what is wrong", (text, problem) => {
  expect(parseFlowMap(text)).toEqual({ ok: false, problem });
});
