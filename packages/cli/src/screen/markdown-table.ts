import { wrapAnsi } from "fast-wrap-ansi";
import type { Screen } from "./screen.ts";
import { widthOf } from "./table.ts";

const gap = 2;

/** Minimum number of characters to which a column is narrowed if the table does not fit. */
const least = 6;

/** Draws a Markdown table for the width of the screen: cells that are too wide are broken between words. */
export function tableLines(lines: readonly string[], screen: Screen): string[] {
  const rows = lines.map(cellsOf);
  const hasHeader = rows[1]?.every((cell) => /^:?-+:?$/.test(cell)) === true;
  const shown = hasHeader ? rows.filter((_, at) => at !== 1) : rows;
  const count = Math.max(0, ...shown.map((row) => row.length));
  const natural = Array.from({ length: count }, (_, at) =>
    Math.max(1, ...shown.map((row) => widthOf(row[at] ?? ""))),
  );
  const widths = fit(natural, (screen.columns ?? Number.POSITIVE_INFINITY) - gap * Math.max(0, count - 1));
  const pads = (hasHeader ? rows[1]! : []).map(padOf);
  const drawn = shown.map((row) => rowLines(row, widths, pads));
  if (!hasHeader) return drawn.flat();
  const [header = [], ...body] = drawn;
  const rule = screen.paint("dim", widths.map((width) => "─".repeat(width)).join(" ".repeat(gap)));
  return [...header.map((line) => screen.paint("bold", line)), rule, ...body.flat()];
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) =>
    cell
      .trim()
      .replaceAll(String.raw`\|`, "|")
      .replaceAll("**", ""),
  );
}

/**
 * Returns widths of columns that fit into `room`. It narrows the widest column by one, again and again, until all fit or are
 * narrow.
 */
function fit(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  const sum = () => widths.reduce((total, width) => total + width, 0);
  while (sum() > room) {
    const widest = Math.max(...widths);
    if (widest <= least) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function rowLines(row: readonly string[], widths: readonly number[], pads: readonly Pad[]): string[] {
  const cells = widths.map((width, at) => wrapAnsi(row[at] ?? "", width, { hard: true }).split("\n"));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    cells
      .map((lines, column) => (pads[column] ?? padEnd)(lines[at] ?? "", widths[column]!))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

type Pad = (text: string, width: number) => string;

/** Returns how a column is aligned, from the line below the header: `---:` is right, `:---:` is centred. */
function padOf(rule: string): Pad {
  if (!rule.endsWith(":")) return padEnd;
  return (text, width) => {
    const free = Math.max(0, width - widthOf(text));
    return padEnd(" ".repeat(rule.startsWith(":") ? Math.floor(free / 2) : free) + text, width);
  };
}

function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
