import { expect, test } from "vitest";
import { pointed } from "../../src/json/pointer.ts";

const root = { a: { "b/c": [1, { d: 2 }], "~1": 3, "é f": 4, "%zz": 5 }, toString: 6 };

test.each<[string, unknown]>([
  ["#/a/b~1c/1/d", 2],
  ["#/a/~01", 3],
  ["#/a/%7E01", 3],
  ["#/a/%C3%A9%20f", 4],
  ["#/a/%zz", 5],
  ["#/toString", 6],
  ["#/a/b~1c/length/x", undefined],
  ["#/a/valueOf", undefined],
  ["#/a/none/x", undefined],
  ["#", undefined],
  ["#anchor", undefined],
  ["other.json#/a", undefined],
])("%s leads to %j", (reference, part) => {
  expect(pointed(root, reference)).toBe(part);
});
