/** Longest line that is shown, in characters. */
const maxLineLength = 2000;

/** Some lines of a text, numbered, and where they stand in the whole. */
interface Page {
  /** Each line with its number, right-aligned in six columns, and a tab. */
  readonly content: string;
  readonly totalLines: number;
  readonly linesRead: number;
  /** Whether the limit on bytes ended the page early. */
  readonly wasCut: boolean;
}

/** Shows `limit` lines from line `offset` (from 1), at most `maxBytes` of them but always one. */
export function pageOf(
  text: string,
  { offset, limit, maxBytes }: { offset: number; limit: number; maxBytes: number },
): Page {
  const lines = linesOf(text);
  const shown: string[] = [];
  let bytes = 0;
  for (const [at, line] of lines.slice(offset - 1, offset - 1 + limit).entries()) {
    const row = `${String(offset + at).padStart(6)}\t${shorten(line)}`;
    bytes += Buffer.byteLength(row) + 1;
    if (bytes > maxBytes && at > 0) return finish(true);
    shown.push(row);
  }
  return finish(false);

  function finish(wasCut: boolean): Page {
    return { content: shown.join("\n"), totalLines: lines.length, linesRead: shown.length, wasCut };
  }
}

/** Lines without their ends; a last end begins no line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function shorten(line: string): string {
  return line.length <= maxLineLength
    ? line
    : `${line.slice(0, maxLineLength).toWellFormed()}... [truncated]`;
}
