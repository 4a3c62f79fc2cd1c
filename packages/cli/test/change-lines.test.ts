import fc from "fast-check";
import { expect, test } from "vitest";
import { changeLines } from "../src/render/change-lines.ts";
import { createScreen } from "../src/screen/screen.ts";

const screen = createScreen({ write: () => {} }, {});
const changes = (before: string, after: string) => changeLines(before, after, screen);

test("edits in two places are two groups of lines, and what is between them is not shown", () => {
  expect(changes("a\nb\nc\nd\ne", "a\nx\nb\nc\nd\ne\ny")).toEqual(["    a", "  + x", "    e", "  + y"]);
  expect(changes("a\nb", "b")).toEqual(["  - a"]);
  expect(changes("a", "a")).toEqual([]);
});

test("two long texts without a line in common differ in one place", () => {
  const lines = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word} ${at}`).join("\n");
  expect(changes(`a\n${lines("old")}\nz`, `a\n${lines("new")}\nz`)).toHaveLength(10_001);
});

test("the lines that are taken and added make the new text of the old one", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (old, now) => {
      const lines = changes(old.join("\n"), now.join("\n"));
      const of = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(4));
      expect(old.length - of("  - ").length).toBe(now.length - of("  + ").length);
      expect([...old, ...of("  + ")].toSorted()).toEqual([...now, ...of("  - ")].toSorted());
    }),
  );
});
