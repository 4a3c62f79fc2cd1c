/** Longest line that is shown, in characters. */
const maxLineLength = 2000;

/** Some numbered lines of a text, the number of all its lines, and what this page leaves out. */
interface Page {
  /** Each line with its number, right-aligned in six columns, and a tab. */
  readonly content: string;
  readonly totalLines: number;
  readonly linesRead: number;
  /** Whether the limit on bytes ended the page. */
  readonly wasCut: boolean;
  /** Number of characters that long lines lack, because only a part of such a line is shown. */
  readonly hidden: number;
}

interface PageRange {
  readonly offset: number;
  readonly limit: number;
  readonly maxBytes: number;
  /** Where the first line begins, from 1. If it is more than 1, only that line is shown, as far as it fits on the page. */
  readonly column: number;
}

/** Returns `limit` lines from line `offset` (from 1), with at most `maxBytes`, but at least one line. */
export function pageOf(text: string, { offset, limit, maxBytes, column }: PageRange): Page {
  if (column > 1) return partOfLine(text, { offset, column, maxBytes });
  const lines = linesOf(text);
  const shown: string[] = [];
  let bytes = 0;
  let hidden = 0;
  for (const [at, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const row = `${String(offset + at).padStart(6)}\t${shorten(line, offset + at)}`;
    bytes += Buffer.byteLength(row) + 1;
    if (bytes > maxBytes && at > 0) return finish(true);
    shown.push(row);
    if (line.length > maxLineLength) hidden += line.length - cut(line, 0, maxLineLength).length;
  }
  return finish(false);

  function finish(wasCut: boolean): Page {
    return { content: shown.join("\n"), totalLines: lines.length, linesRead: shown.length, wasCut, hidden };
  }
}

/** Splits a text into lines. A line end at the end of the text does not begin another line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns the start of a long line, and how its rest can be read. */
function shorten(line: string, number: number): string {
  if (line.length <= maxLineLength) return line;
  const shown = cut(line, 0, maxLineLength);
  return `${shown}... [${line.length - shown.length} more characters: offset ${number}, column ${shown.length + 1}]`;
}

/** Returns the part of one long line that begins at `column`, as much as fits into `maxBytes`. */
function partOfLine(text: string, { offset, column, maxBytes }: Omit<PageRange, "limit">): Page {
  const lines = linesOf(text);
  const line = lines[offset - 1];
  if (line === undefined)
    return { content: "", totalLines: lines.length, linesRead: 0, wasCut: false, hidden: 0 };
  // A UTF-16 unit needs at most three bytes in UTF-8.
  const shown = cut(line, column - 1, Math.max(1, Math.floor(maxBytes / 3)));
  const next = column + shown.length;
  const rest = line.length - next + 1;
  const more = rest > 0 ? `... [${rest} more characters: offset ${offset}, column ${next}]` : "";
  const content = `${String(offset).padStart(6)}\t${shown}${more}`;
  return { content, totalLines: lines.length, linesRead: rest > 0 ? 0 : 1, wasCut: false, hidden: rest };
}

/** Returns a part of a line, without half a surrogate pair at its start or end. */
function cut(line: string, from: number, length: number): string {
  const end = isHalf(line, from + length) && length > 1 ? from + length - 1 : from + length;
  return line.slice(isHalf(line, from) ? from - 1 : from, end).toWellFormed();
}

function isHalf(line: string, at: number): boolean {
  const [before, after] = [line.charCodeAt(at - 1), line.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
