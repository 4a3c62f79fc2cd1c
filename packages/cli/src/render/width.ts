import { stripVTControlCharacters } from "node:util";
import fastStringWidth from "fast-string-width";

const segmenter = new Intl.Segmenter();

/** Columns that a text takes on a terminal; a tab counts as what it is at most. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return fastStringWidth(stripVTControlCharacters(text));
}

/** What a reader sees as one character each. */
export function charactersOf(text: string): string[] {
  if (/^[ -~]*$/.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Cuts a text without styles to a width, with an ellipsis where something is left out. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  // A character takes a column or more, so that what lies far behind need not be looked at.
  for (const character of charactersOf(text.slice(0, Math.max(0, width) * 16))) {
    used += widthOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}
