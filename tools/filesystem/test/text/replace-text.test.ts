import fc from "fast-check";
import { expect, test } from "vitest";
import { pageOf } from "../../src/text/lines.ts";
import { replaceText } from "../../src/text/replace-text.ts";

const edited = (text: string, old_string: string, new_string: string, replace_all = false) =>
  replaceText(text, { old_string, new_string, replace_all }, "a.txt").text;

test("a text that overlaps itself is not unique", () => {
  expect(() => edited("aaa\n", "aa", "b")).toThrow("old_string appears 2 times");
  expect(edited("aaa\n", "aa", "b", true)).toBe("ba\n");
  expect(edited("aa a\n", "aa", "b")).toBe("b a\n");
});

test.each([
  ["a\nb\n", "a\r\nb", "c\r\nd", "c\nd\n"],
  ["a\r\nb\r\n", "a\nb", "c\nd", "c\r\nd\r\n"],
  ["a\r\nb\r\n", "a\r\nb", "c\nd", "c\nd\r\n"],
  ["a\r\r\nb\r\r\n", "a\r\nb\r", "c\r\nb\r", "c\r\r\nb\r\r\n"],
  ["a\nb\n", "a", "c\r\nd", "c\r\nd\nb\n"],
])("in %j, the edit of %j to %j gives %j", (text, old, next, result) => {
  expect(edited(text, old, next)).toBe(result);
});

test("lines are found as read_file shows them, whatever ends they have", () => {
  const parts = fc.constantFrom("a", "b", " ", "\r", "\n", "\r\n", "\r\r\n", "\u2028", "\t");
  const range = fc.record({ from: fc.nat(5), count: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 14 }), range, (pieces, { from, count }) => {
      const text = pieces.join("");
      const { content } = pageOf(text, { offset: 1, limit: 100, maxBytes: 10_000, column: 1 });
      const lines = content.split("\n").map((line) => line.slice(line.indexOf("\t") + 1));
      const shown = lines.slice(from, from + count).join("\n");
      if (shown === "") return;

      expect(() => edited(text, shown, "new", true)).not.toThrow();
    }),
    { numRuns: 3000 },
  );
});

test("lines that stay keep their ends, whichever kinds of ends the text has", () => {
  const line = fc.record({ text: fc.stringMatching(/^[a-z]{1,3}$/), end: fc.constantFrom("\n", "\r\n") });
  const lines = fc.array(line, { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(lines, fc.nat(7), fc.array(fc.constant("NEW"), { maxLength: 3 }), (own, place, added) => {
      const text = own.map(({ text: one, end }) => one + end).join("");
      const at = place % own.length;
      const asked = own.map(({ text: one }) => one);
      const next = asked.toSpliced(at, 1, ...added, `${asked[at]!}!`);
      const result = edited(text, asked.join("\n"), next.join("\n"));

      const before = own.slice(0, at).map(({ text: one, end }) => one + end);
      const after = own.slice(at + 1).map(({ text: one, end }) => one + end);
      expect(result.startsWith(before.join(""))).toBe(true);
      expect(result.endsWith(after.join(""))).toBe(true);
      expect(result.replaceAll("\r\n", "\n")).toBe(`${next.join("\n")}\n`);
    }),
    { numRuns: 1000 },
  );
});
