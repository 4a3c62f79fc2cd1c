import { expect, test } from "vitest";
import { lineDifference, withParts } from "../../src/text/line-difference.ts";

const numbers = (count: number, more: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, at) => more[at + 1] ?? String(at + 1)).join("\n");
const difference = (before: string, after: string, maxLines = 1_000) =>
  lineDifference(before, after, { maxLines });

test.each([
  ["equal texts", "a\nb", "a\nb", ""],
  ["a last line end alone", "a\n", "a", ""],
  ["a new text", "", "a\nb", "+a\n+b"],
  ["a text that goes", "a\nb", "", "-a\n-b"],
  ["one line of three", "a\nb\nc", "a\nB\nc", " a\n-b\n+B\n c"],
  ["a line between equal ones", "a\nc", "a\nb\nc", " a\n+b\n c"],
])("%s", (_, before, after, shown) => {
  expect(difference(before, after)).toBe(shown);
});

test("two changes far from each other have three lines around, and the line where each is", () => {
  const shown = difference(numbers(20), numbers(20, { 5: "five", 15: "fifteen" }));

  expect(shown.split("\n").join("|")).toBe(
    "@@ line 2 @@| 2| 3| 4|-5|+five| 6| 7| 8|@@ line 12 @@| 12| 13| 14|-15|+fifteen| 16| 17| 18",
  );
});

test("a long difference is cut, and says by how much; a huge one is removed and added whole", () => {
  expect(difference("", numbers(300), 40).split("\n").at(-1)).toBe("(260 more lines)");
  const [old, now] = [numbers(3_000), numbers(3_000).replaceAll(/(.+)/g, "x$1")];
  const lines = difference(old, now, 10_000).split("\n");
  expect(lines.slice(0, 3_000).every((line) => line.startsWith("-"))).toBe(true);
  expect(lines.slice(3_000).every((line) => line.startsWith("+"))).toBe(true);
});

test("a text gets some parts of a difference, and all parts make the other text", () => {
  const [old, now] = [`${numbers(30)}\n`, `${numbers(29, { 2: "two", 12: "twelve", 22: "22\nmore" })}\nlast`];
  expect(difference(old, now).match(/^@@/gm)).toHaveLength(3);
  expect(withParts(old, now, new Set())).toBe(old);
  expect(withParts(old, now, new Set([0, 1, 2, 3]))).toBe(now);
  expect(withParts(old, now, new Set([1]))).toBe(`${numbers(30, { 12: "twelve" })}\n`);
  expect(withParts(old, now, new Set([0, 3]))).toBe(`${numbers(29, { 2: "two" })}\nlast`);
  expect(withParts("", "a\nb\n", new Set([0]))).toBe("a\nb\n");
  expect(withParts("a\n", "", new Set([0]))).toBe("");
});
