import { expect, test } from "vitest";
import { Words } from "../src/flows/runs.ts";

// Scripts without blanks, by their first and last characters: two of their characters weigh as much as a word.
test.each([
  ["\u0dff", false],
  ["\u0e00", true],
  ["\u0eff", true],
  ["\u0f00", false],
  ["\u0fff", false],
  ["\u1000", true],
  ["\u109f", true],
  ["\u10a0", false],
  ["\u177f", false],
  ["\u1780", true],
  ["\u17ff", true],
  ["\u1800", false],
  ["\u2fff", false],
  ["\u3040", true],
  ["\ua4cf", true],
  ["\ua4d0", false],
  ["\uf8ff", false],
  ["\uf900", true],
  ["\ufaff", true],
  ["\ufb00", false],
])("%j is of a script that writes no blanks: %s", (character, isAlone) => {
  expect(new Words(character.repeat(4)).count()).toBe(isAlone ? 2 : 1);
});

// The blocks of marks, by their first and last characters: beside a word they are no part of it.
test.each([
  ["/", true],
  ["0", false],
  ["9", false],
  [":", true],
  ["^", true],
  ["_", false],
  ["`", true],
  ["a", false],
  ["z", false],
  ["~", true],
  ["\u007f", true],
  ["\u0080", true],
  ["\u00bf", true],
  ["\u00c0", false],
  ["\u1fff", false],
  ["\u2000", true],
  ["\u206f", true],
  ["\u2070", false],
  ["\u2fff", false],
  ["\u3000", true],
  ["\u303f", true],
])("%j beside a word is a mark: %s", (character, isMark) => {
  expect(new Words(`${character}x${character}`).slice(0, 1)).toBe(isMark ? "x" : `${character}x${character}`);
});

test.each('"{}[]()<>|;,=& \n'.split(""))("%j ends a word", (mark) => {
  expect(new Words(`one${mark}two`).count()).toBe(2);
});

test.each("-.:/'~_".split(""))("%j inside a word is a part of it", (mark) => {
  expect(new Words(`one${mark}two`).count()).toBe(1);
});
