import { stripVTControlCharacters } from "node:util";
import { wrapAnsi } from "fast-wrap-ansi";
import type { Screen } from "./screen.ts";
import { wrapped } from "./wrap.ts";

/** One column: its title and its text. The last column gets the remaining width. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Whether the last column is wrapped between words instead of cut. */
  readonly whole?: true;
}

const gap = 2;

/** Minimum number of terminal columns for the last column beside the others. With fewer, it is written below each row. */
const leastRoom = 32;

/**
 * Writes rows under titles. On a terminal, the last column is cut or wrapped to the width, or written below each row. Without a
 * terminal, nothing is cut.
 */
export function writeTable<Row>(screen: Screen, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const titles = columns.map(({ title }) => title);
  const widths = titles.map((title, index) =>
    Math.max(...[title, ...cells.map((row) => row[index]!)].map(widthOf)),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0);
  const room = screen.columns === undefined ? Number.POSITIVE_INFINITY : screen.columns - before;
  const beside = room >= Math.min(leastRoom, widths.at(-1) ?? 0);
  const header = titles.map((title) => screen.paint("dim", title));
  // All rows are written at once, because a thousand writes take longer than reading a thousand manifests.
  screen.write([header, ...cells].map((row) => `${layOut(row)}\n`).join(""));

  function layOut(row: readonly string[]): string {
    const last = row.at(-1) ?? "";
    const rest = row
      .slice(0, -1)
      .map((cell, index) => pad(cell, widths[index]! + gap))
      .join("");
    if (columns.at(-1)?.whole === true) return layOutWhole(rest, last);
    if (beside) return `${rest}${cutText(last, room)}`.trimEnd();
    const below = screen.paint("dim", cutText(last, (screen.columns ?? 0) - gap));
    return `${rest.trimEnd()}\n${`${" ".repeat(gap)}${below}`.trimEnd()}`;
  }

  function layOutWhole(rest: string, last: string): string {
    if (screen.columns === undefined) return `${rest}${last}`.trimEnd();
    if (!beside) return `${rest.trimEnd()}\n${wrapped(screen, last, gap)}`.trimEnd();
    const [first = "", ...more] = wrapAnsi(last, room).split("\n");
    return [`${rest}${first}`, ...more.map((line) => " ".repeat(before) + line)]
      .map((line) => line.trimEnd())
      .join("\n");
  }
}

let segmenter: Intl.Segmenter | undefined;

/**
 * Splits a text into characters as people see them. The segmenter is created at the first use, because this takes longer than
 * listing a plan.
 */
function segmentsOf(text: string): Intl.Segments {
  return (segmenter ??= new Intl.Segmenter()).segment(text);
}

/** Characters that take two columns: wide signs of East Asian scripts, and emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** Returns the number of columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const plain = stripVTControlCharacters(text);
  return [...segmentsOf(plain)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Cuts a text to a number of columns. A text with styles is not cut, because all of them are short. */
export function cutText(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY || text.includes("\u001b") || widthOf(text) <= width) return text;
  let kept = "";
  for (const { segment } of segmentsOf(text)) {
    if (widthOf(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
