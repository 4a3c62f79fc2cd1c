import { isUtf8 } from "node:buffer";

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns the text of a file as UTF-8 without its byte order mark, as the engine counts it; other bytes stay as they are. */
export function textBytes(bytes: Buffer): Buffer {
  if (bytes.subarray(0, 3).equals(utf8Mark)) return bytes.subarray(3);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return Buffer.from(new TextDecoder("utf-16le").decode(bytes));
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return Buffer.from(new TextDecoder("utf-16be").decode(bytes));
  return bytes;
}

/** Maximum number of characters of one line that are shown; a longer line is shown around its match. Source: read_file's limit. */
const maxLineLength = 2000;

/** Returns lines for display, without the last line end. Long lines are cut around the byte `column`. */
export function showLines(bytes: Buffer, column = 0): string {
  const text = bytes.toString(isUtf8(bytes) ? "utf8" : "latin1").replace(/\r?\n$/, "");
  const match = bytes.subarray(0, column).toString("utf8").length;
  const from = Math.max(0, Math.min(match - maxLineLength / 4, text.length - maxLineLength));
  const to = Math.min(text.length, from + maxLineLength);
  const cut = text.slice(from, to).toWellFormed();
  return `${from > 0 ? "[truncated] ... " : ""}${cut}${to < text.length ? "... [truncated]" : ""}`;
}

/** A line near a match. */
interface ContextLine {
  readonly line_number: number;
  readonly content: string;
}

/** Returns at most `count` lines before the byte `start`, where line `line` begins; only lines after the line `after`. */
export function linesBefore(
  text: Buffer,
  { start, line }: { start: number; line: number },
  count: number,
  after: number,
): ContextLine[] {
  const found: ContextLine[] = [];
  let end = start;
  for (let number = line - 1; found.length < count && number > after && end > 0; number--) {
    const begin = end < 2 ? 0 : text.lastIndexOf(10, end - 2) + 1;
    found.unshift({ line_number: number, content: showLines(text.subarray(begin, end)) });
    end = begin;
  }
  return found;
}

/** Returns at most `count` lines from the byte `end` on, where line `line` begins; only lines before the line `before`. */
export function linesAfter(
  text: Buffer,
  { end, line }: { end: number; line: number },
  count: number,
  before: number,
): ContextLine[] {
  const found: ContextLine[] = [];
  let begin = end;
  for (let number = line; found.length < count && number < before && begin < text.length; number++) {
    const next = text.indexOf(10, begin);
    const stop = next < 0 ? text.length : next + 1;
    found.push({ line_number: number, content: showLines(text.subarray(begin, stop)) });
    begin = stop;
  }
  return found;
}
