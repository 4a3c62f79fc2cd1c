import { expect, test } from "vitest";
import { findHidden } from "../src/script/hidden-characters.ts";

/** First and last of the characters that are not seen, and the next to each that is. */
const edges = [
  [0x00, 0x08, 0x09],
  [0x0b, 0x1f, 0x20],
  [0x7f, 0xa0, 0xa1],
  [0xad, 0xad, 0xae],
  [0x034f, 0x034f, 0x0350],
  [0x061c, 0x061c, 0x061d],
  [0x115f, 0x1160, 0x1161],
  [0x1680, 0x1680, 0x1681],
  [0x17b4, 0x17b5, 0x17b6],
  [0x180b, 0x180f, 0x1810],
  [0x2000, 0x200b, 0x2010],
  [0x200e, 0x200f, 0x2010],
  [0x2028, 0x2029, 0x2030],
  [0x202f, 0x202f, 0x2030],
  [0x205f, 0x2064, 0x2070],
  [0x2800, 0x2800, 0x2801],
  [0x3000, 0x3000, 0x3001],
  [0x3164, 0x3164, 0x3165],
  [0xd800, 0xdfff, 0xe000],
  [0xfe00, 0xfe0f, 0xfe10],
  [0xfeff, 0xfeff, 0xff01],
  [0xffa0, 0xffa0, 0xffa1],
  [0xe0001, 0xe007f, 0xe0080],
  [0xe0100, 0xe01ef, 0xe01f0],
] as const;

/** The characters before the first of a range that are seen. */
const before = [
  0x0a, 0x7e, 0x034e, 0x115e, 0x167f, 0x17b3, 0x180a, 0x1fff, 0x2027, 0x205e, 0x27ff, 0x2fff, 0x3163, 0xfdff,
  0xff9f,
];

const text = (code: number) => `ls ${String.fromCodePoint(code)}`;

test.each(edges)("the characters %i to %i are found, and the next one is not", (first, last, next) => {
  for (const code of [first, last]) {
    const name = code.toString(16).toUpperCase().padStart(4, "0");
    expect(findHidden(text(code))).toBe(`U+${name} at character 4`);
  }
  expect(findHidden(text(next))).toBeNull();
});

test.each(before)("the character %i, before a range, is seen", (code) => {
  expect(findHidden(text(code))).toBeNull();
});

test.each<[string, string, string | null]>([
  ["a text of many scripts", "echo 'naïve 日本語 ελληνικά'\n\tls", null],
  ["a joiner in a picture of several", "echo 👩\u200d💻", null],
  ["a joiner after the selector of a picture", "echo ❤\ufe0f\u200d🔥", null],
  ["a joiner after a colour of skin", "echo 👩🏽\u200d💻", null],
  ["the selector of a picture", "echo ✔\ufe0f", null],
  ["the selector of a key", "echo 1\ufe0f #\ufe0f *\ufe0f", null],
  ["a joiner in Persian", "echo می\u200cخواهم", null],
  ["a joiner in Hindi", "echo क्\u200dष", null],
  ["a joiner after a mark", "echo e\u0301\u200d", null],
  ["a joiner between letters", "echo a\u200db", "U+200D at character 7"],
  ["a non-joiner between letters", "echo a\u200cb", "U+200C at character 7"],
  ["a non-joiner after a picture", "echo 👩\u200c", "U+200C at character 7"],
  ["the selector of a picture after a letter", "echo a\ufe0f", "U+FE0F at character 7"],
  ["another selector after a picture", "echo ✔\ufe0e", "U+FE0E at character 7"],
  ["a joiner at the start", "\u200dls", "U+200D at character 1"],
  ["the first of two, by characters", "👩 \u2066\u2067", "U+2066 at character 3"],
  ["half of a character", "ls \ud83d", "U+D83D at character 4"],
])("of %s", (_, given, found) => {
  expect(findHidden(given)).toBe(found);
});
