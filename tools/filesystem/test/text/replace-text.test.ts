import { expect, test } from "vitest";
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
  ["a\nb\n", "a", "c\r\nd", "c\r\nd\nb\n"],
])("in %j, the edit of %j to %j gives %j", (text, old, next, result) => {
  expect(edited(text, old, next)).toBe(result);
});
