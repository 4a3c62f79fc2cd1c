import { wrapAnsi } from "fast-wrap-ansi";

/** Minimum number of columns to which a text is wrapped; a narrower terminal breaks lines itself. */
const fewest = 20;

/**
 * Breaks a text into lines that fit the screen, each behind `indent` spaces: between words, unless a word is longer than a
 * line. Without a terminal, lines stay as they are.
 */
export function wrapped(
  { columns = Number.POSITIVE_INFINITY }: { readonly columns: number | undefined },
  text: string,
  indent = 0,
): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : wrapLine(" ".repeat(indent) + line, columns)))
    .join("\n");
}

// oxlint-disable-next-line no-control-regex
const leading = /^((?:\u001b\[[\d;]*m)*)( *)(.*)$/s;

/** Breaks a line into lines that fit. Those after the first are indented like the first. */
function wrapLine(line: string, columns: number): string {
  if (line.length <= columns) return line;
  const [, style = "", spaces = "", words = ""] = leading.exec(line) ?? [];
  const width = Math.max(fewest, columns - spaces.length);
  return wrapAnsi(style + words, width)
    .split("\n")
    .map((part) => spaces + part)
    .join("\n");
}
