import { wrapAnsi } from "fast-wrap-ansi";
import type { Screen } from "./screen.ts";

/** Fewest columns to which a text is wrapped; a narrower terminal breaks lines itself. */
const fewest = 20;

/**
 * A text in lines that fit the screen, each behind `indent` spaces: broken between words, where a word is not longer than
 * a line. Without a terminal, lines stay as they are.
 */
export function wrapped(screen: Screen, text: string, indent = 0): string {
  const width = screen.columns === undefined ? undefined : Math.max(fewest, screen.columns - indent);
  const lines = width === undefined ? text : wrapAnsi(text, width, { trim: false });
  return lines
    .split("\n")
    .map((line) => `${" ".repeat(indent)}${line.trimEnd()}`)
    .join("\n");
}
