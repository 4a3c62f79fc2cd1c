import { expect, onTestFinished, test, vi } from "vitest";
import { nearestText } from "../../src/text/nearest-text.ts";

const lines = (count: number, start: string) =>
  Array.from({ length: count }, (_, at) => start + ((at * 7919) % 1_000_003)).join("\n");

test.each([
  ["a text of many lines beside many lines that hold none of them", lines(100_000, "a"), lines(3_000, "b")],
  ["a text of many lines beside many lines that hold each", "aaaa\n".repeat(100_000), "aaaa\n".repeat(3_000)],
  ["many short lines", "a\n".repeat(500_000), "a\n".repeat(5_000)],
])("compares a bounded number of lines: %s", (_, text, wanted) => {
  const compared = vi.spyOn(String.prototype, "includes");
  onTestFinished(() => compared.mockRestore());
  nearestText(text, wanted);

  expect(compared.mock.calls.length).toBeLessThan(700_000);
});

test("the place is found that has most lines of the text, though the first one begins alike", () => {
  const text = "one\ntwo\nother\n\none\ntwo\nthree\n";
  expect(nearestText(text, "one\nTWO\nthree")).toMatchObject({
    line: 5,
    hint: expect.stringContaining("case"),
  });
});

test.each([
  ["}\n  \n{\n", "}\n{", "its line 2 is other than line 2 of old_string"],
  ["if x:\n  a  \n  b\n", "a\nb", "it differs in the ends of its lines"],
  ["a\u200bb\n", "ab", "it differs in invisible characters"],
  ["é\n", "e\u0301", "it differs in the normal form of accents"],
  ["xay\n", "a", null],
])("beside %j, the short lines of %j have the hint %j", (text, wanted, hint) => {
  expect(nearestText(text, wanted)?.hint ?? null).toBe(hint);
});
