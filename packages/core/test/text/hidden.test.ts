import fc from "fast-check";
import { expect, test } from "vitest";
import { coverHidden, escapeDeceiving, escapeHidden, escapeHiddenInLines } from "../../src/text/hidden.ts";

test.each([
  ["a terminal escape", "\u001b[31mred\u001b[0m", "\\u{1b}[31mred\\u{1b}[0m"],
  ["an override of direction", "a\u202eb\u202c", "a\\u{202e}b\\u{202c}"],
  ["an isolate", "\u2066a\u2069", "\\u{2066}a\\u{2069}"],
  ["tags", "ok\u{e0068}\u{e0069}", "ok\\u{e0068}\\u{e0069}"],
  ["tags behind another flag", "\u{1f3f4}\u{e0061}", "\u{1f3f4}\\u{e0061}"],
  ["a return without a line end", "safe\rbad", "safe\\u{d}bad"],
  ["a message of characters without width", "a\u200b\u200c\u200bz", "a\\u{200b}\\u{200c}\\u{200b}z"],
  ["bytes in variation selectors", "a\ufe00\u{e0101}", "a\\u{fe00}\\u{e0101}"],
  ["C1 controls and NUL", "\u009b1m\0", "\\u{9b}1m\\u{0}"],
])("%s is shown as its code points", (_, text, shown) => {
  expect(escapeDeceiving(text)).toBe(shown);
});

test.each([
  ["lines and tabs", "a\tb\nc\r\nd"],
  ["emoji", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f\u200d\u{1f525} 1\ufe0f\u20e3"],
  ["a flag of tags", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
  ["Persian with a joiner", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
  ["one mark of direction", "\u05d0\u200f!"],
  ["one soft hyphen and a byte order mark", "\ufeffdocu\u00adment"],
])("%s stay", (_, text) => {
  expect(escapeDeceiving(text)).toBe(text);
});

test("what is shown is not changed again, and text without such characters stays, whatever the text is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = escapeDeceiving(text);
      expect(escapeDeceiving(shown)).toBe(shown);
      // oxlint-disable-next-line no-control-regex -- they are what is searched for
      expect(shown).not.toMatch(/[\u001b\u202a-\u202e\u2066-\u2069\0]/);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
      expect(escapeDeceiving(text)).toBe(text);
    }),
  );
});

test("of very many hidden characters the first are written, and the others replaced", () => {
  const shown = escapeDeceiving("\u001b".repeat(50_000) + "end \u202e");

  expect(shown.startsWith("\\u{1b}\\u{1b}")).toBe(true);
  expect(shown.endsWith("\ufffdend \ufffd")).toBe(true);
  expect(shown.length).toBeLessThan(200_000);
});

test("for a terminal, hidden characters are written out or covered, and lines stay lines", () => {
  const text = "a\tb\nc\u{200b}d\u{1b}[31m\u{34f}";
  expect(escapeHidden(text)).toBe("a\\u{9}b\\u{a}c\\u{200b}d\\u{1b}[31m\\u{34f}");
  expect(escapeHiddenInLines(text)).toBe("a\tb\nc\\u{200b}d\\u{1b}[31m\\u{34f}");
  expect(coverHidden(text)).toBe("a\u{FFFD}b\nc\u{FFFD}d\u{FFFD}[31m\u{FFFD}");
});
