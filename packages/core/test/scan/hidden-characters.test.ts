import { expect, test } from "vitest";
import { findHidden } from "../../src/scan/hidden-characters.ts";

/** What is found in a text, with the part of the text that it is about. */
const found = (text: string) =>
  findHidden(text).map(({ kind, at, length }) => `${kind}: ${JSON.stringify(text.slice(at, at + length))}`);

const messages = (text: string) => findHidden(text).map(({ message }) => message);

test.each<[string, string]>([
  ["a\u{e0041}", "holds tag characters, which models read and people do not see (U+E0041)"],
  ["a\u2060", "holds characters without width (U+2060)"],
  ["a\ufe0f", "holds variation selectors after characters without variants (U+FE0F)"],
  [
    "a\u202e",
    "changes the direction of text, so that it is not read in the order of its characters (U+202E)",
  ],
  ["a\u001b[", "holds a terminal escape sequence (U+001B)"],
  ["a\u0007", "holds control characters (U+0007)"],
  [
    "\u05d0\u2067",
    "changes the direction of text, so that it is not read in the order of its characters, never closed",
  ],
  [`a${"\u0301".repeat(4)}`, "piles marks on one character, which cover the text around it"],
  [`a${"\n".repeat(11)}b`, "pushes text out of sight with empty space"],
])("%j says what it does", (text, message) => {
  expect(messages(text)).toEqual([message]);
});

test.each([
  ["plain ASCII with tabs\tand lines\r\n", ""],
  ["marks on letters", "naïve, Việt, ǖ, a\u0301\u0302\u0303"],
  ["marks of other scripts", `\u0e01${"\u0e34".repeat(6)}`],
  ["a hyphenation point", "exam\u00adple"],
  ["a break between words of Thai", "\u0e01\u200b\u0e01"],
  ["a joiner of Hebrew marks", "\u05d0\u034f\u05b0"],
  ["a mark before a joiner of marks", "e\u0301\u034f"],
  ["Braille with a blank", "\u2801\u2800\u2803"],
  ["a filler beside letters of Hangul", "\u1100\u1160\u11a8 \u115f\u1161"],
  ["an emoji with a selector", "❤\ufe0f 1\ufe0f\u20e3 #\ufe0f ©\ufe0e 1\ufe0e"],
  ["a Han character with a variant", "葛\u{e0100} 葛\ufe00"],
  ["Mongolian with a variant", "\u1820\u180b"],
  ["a sign of mathematics with a variant", "\u2229\ufe00"],
  ["a family of emoji", "👩\u200d👩\u200d👧 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈"],
  [
    "a joiner of Devanagari and of Persian",
    "\u0915\u094d\u200d\u0937 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
  ],
  ["a joiner at the end of a word", "\u0645\u200c"],
  ["flags of England, Scotland and Wales", ["eng", "sct", "wls"].map(flag).join(" ")],
  ["closed isolates beside Hebrew", "\u05d0 \u2067a\u2069 \u2066\u2068b\u2069\u2069"],
  ["single marks of direction beside Arabic", "\u0628\u200f a\u200e. \u061c"],
  ["a text that ends in empty space", `a${"\n".repeat(50)}`],
  ["nine empty lines", `a${"\n".repeat(9)}b`],
  ["seventy-nine spaces", `a${" ".repeat(79)}b`],
])("%s is ordinary", (_, text) => {
  expect(found(text)).toEqual([]);
});

function flag(region: string): string {
  const tags = Array.from(`gb${region}`, (letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!));
  return `\u{1f3f4}${tags.join("")}\u{e007f}`;
}

test.each<[string, string, string[]]>([
  ["tags", "a\u{e0068}\u{e0069}b\u{e007f}", ['tags: "\u{e0068}\u{e0069}"', 'tags: "\u{e007f}"']],
  ["tags at their bounds", "\u{e0000}", ['tags: "\u{e0000}"']],
  ["a flag of a country that has none", flag("xyz"), [`tags: ${JSON.stringify(flag("xyz").slice(2))}`]],
  ["tags of a flag without a flag", flag("eng").slice(2), [`tags: ${JSON.stringify(flag("eng").slice(2))}`]],
  ["two selectors", "❤\ufe0f\ufe0f", ['variation-selectors: "\ufe0f"']],
  ["a selector at the beginning", "\ufe0fa", ['variation-selectors: "\ufe0f"']],
  ["a Han selector after a letter", "a\u{e0100}", ['variation-selectors: "\u{e0100}"']],
  ["a Mongolian selector after a letter", "a\u180b", ['variation-selectors: "\u180b"']],
  ["a selector of text after a letter", "a\ufe0e", ['variation-selectors: "\ufe0e"']],
  ["a plain selector after a letter", "a\ufe00", ['variation-selectors: "\ufe00"']],
  ["an override of direction", "a\u202db\u202c", ['bidi: "\u202d"', 'bidi: "\u202c"']],
  ["an override beside right-to-left letters", "\u05d0\u202aa\u202e", ['bidi: "\u202a"', 'bidi: "\u202e"']],
  ["isolates without right-to-left letters", "\u2067a\u2069", ['bidi: "\u2067"', 'bidi: "\u2069"']],
  ["an isolate that is not closed", "\u05d0\u2067a", ['bidi: "\u2067"']],
  ["an isolate that is closed twice", "\u05d0\u2067a\u2069\u2069", ['bidi: "\u2069"']],
  ["a mark of direction without right-to-left letters", "a\u200eb", ['bidi: "\u200e"']],
  ["two marks of direction", "\u05d0\u200e\u200f", ['bidi: "\u200e\u200f"']],
  ["a space without width", "a\u200bb", ['zero-width: "\u200b"']],
  ["two hyphenation points", "a\u00ad\u00adb", ['zero-width: "\u00ad\u00ad"']],
  ["two spaces without width beside Thai", "\u0e01\u200b\u200b\u0e01", ['zero-width: "\u200b\u200b"']],
  ["a blank of Braille alone", "a\u2800b", ['zero-width: "\u2800"']],
  ["a filler alone", "a\u115fb", ['zero-width: "\u115f"']],
  ["a joiner of marks after a letter", "a\u034fb", ['zero-width: "\u034f"']],
  ["a joiner between letters", "a\u200db", ['zero-width: "\u200d"']],
  ["a joiner before Latin", "\u0645\u200ca", ['zero-width: "\u200c"']],
  ["a joiner before a digit", "\u0645\u200d1", ['zero-width: "\u200d"']],
  ["a joiner between an emoji and a digit", "👩\u200d1", ['zero-width: "\u200d"']],
  ["a joiner between a letter and an emoji", "a\u200d👩", ['zero-width: "\u200d"']],
  ["a non-joiner between emoji", "👩\u200c👩", ['zero-width: "\u200c"']],
  ["a joiner at the beginning", "\u200d👩", ['zero-width: "\u200d"']],
  ["a joiner after an emoji at the end", "👩\u200d", ['zero-width: "\u200d"']],
  ...[
    "\u180e",
    "\u2060",
    "\u2064",
    "\u206a",
    "\u206f",
    "\u3164",
    "\uffa0",
    "\ufeff",
    "\ufff9",
    "\u{1bca0}",
    "\u{1d173}",
  ].map((one): [string, string, string[]] => [
    "a character without width",
    `a${one}b`,
    [`zero-width: ${JSON.stringify(one)}`],
  ]),
  ...["\u2028", "\u2029", "\ud800", "\uffff", "\u0000", "\u007f", "\u0080", "\u009f", "\r"].map(
    (one): [string, string, string[]] => [
      "a control character",
      `a${one}b`,
      [`control: ${JSON.stringify(one)}`],
    ],
  ),
  ["a return before a letter", "a\rb\r\n", ['control: "\\r"']],
  ["an escape", "\u001b[1m", ['ansi: "\u001b"'.replace("\u001b", "\\u001b")]],
  ["an escape at the end", "a\u001b", ['control: "\\u001b"']],
  ["an escape of one byte", "a\u009b", [`ansi: ${JSON.stringify("\u009b")}`]],
  ["four marks on a letter", `a${"\u0301".repeat(4)}b`, [`marks: "${"\u0301".repeat(4)}"`]],
  ["four marks on a digit", `1${"\u0301".repeat(4)}`, [`marks: "${"\u0301".repeat(4)}"`]],
  ["seven marks on any letter", `\u0e01${"\u0e34".repeat(7)}`, [`marks: "${"\u0e34".repeat(7)}"`]],
  ["ten empty lines", `a${"\n".repeat(10)}b`, [`padding: ${JSON.stringify("\n".repeat(10))}`]],
  ["eighty spaces", `a${" ".repeat(80)}b`, [`padding: "${" ".repeat(80)}"`]],
  [
    "eighty spaces in a line of several",
    `a\n${" ".repeat(80)}b`,
    [`padding: ${JSON.stringify(`\n${" ".repeat(80)}`)}`],
  ],
])("%s in %j is found: %j", (_, text, places) => {
  expect(found(text)).toEqual(places);
});

test("places are in the order of the text, and those that touch are one", () => {
  expect(found(`\u0007\u0008a\u200b\u{e0041}\u{e0042}${"\n".repeat(10)}b\u0007`)).toEqual([
    `control: ${JSON.stringify("\u0007\u0008")}`,
    'zero-width: "\u200b"',
    'tags: "\u{e0041}\u{e0042}"',
    `padding: ${JSON.stringify("\n".repeat(10))}`,
    `control: ${JSON.stringify("\u0007")}`,
  ]);
});
