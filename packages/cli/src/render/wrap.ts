import { charactersOf, widthOf } from "./width.ts";

/** Breaks a text that comes in pieces between its words, so that lines fit. */
export interface Wrapper {
  /** What to write for a piece. A word that has not ended is kept back until it has. */
  push(piece: string): string;
  /** What was kept back. */
  flush(): string;
  /** Where the line stands that was written last, in columns. */
  readonly column: number;
}

/**
 * Wraps for as many columns as there are at each moment; undefined wraps nothing. Lines of a fenced block of code stay
 * as they are, and a word longer than a line is left to the terminal. All that is added are line ends, in place of blanks.
 */
export function createWrapper(columns: () => number | undefined): Wrapper {
  let kept = "";
  let column = 0;
  let blanks = "";
  let isFenced = false;
  let isLineStart = true;

  const word = (text: string): string => {
    if (isLineStart && /^(?:```|~~~)/.test(text)) isFenced = !isFenced;
    isLineStart = false;
    const width = widthOf(text);
    const room = columns() ?? Number.POSITIVE_INFINITY;
    const before = blanks;
    blanks = "";
    if (!isFenced && column > 0 && column + before.length + width > room) {
      column = width;
      return `\n${text}`;
    }
    column += before.length + width;
    return before + text;
  };

  const lineEnd = (): string => {
    const before = blanks;
    blanks = "";
    column = 0;
    isLineStart = true;
    return `${before}\n`;
  };

  const write = (text: string): string =>
    partsOf(text)
      .map((part) => {
        if (part === "\n") return lineEnd();
        if (!/^[ \t]+$/.test(part)) return word(part);
        blanks += part.replaceAll("\t", "    ");
        return "";
      })
      .join("");

  return {
    push(piece) {
      const text = kept + piece;
      const end = text.search(/[^\s]+$/);
      const at = end === -1 ? text.length : end;
      kept = text.slice(at);
      const done = write(text.slice(0, at));
      // A word that fills a line will not be moved as a whole.
      return widthOf(kept) < (columns() ?? 0) ? done : done + this.flush();
    },
    flush() {
      const text = kept;
      kept = "";
      return write(text);
    },
    get column() {
      return column;
    },
  };
}

/** Line ends, blanks, words; and each wide character, after which a line may break. */
function partsOf(text: string): string[] {
  return text.match(/\n|[ \t]+|[^ \t\n]+/g)?.flatMap(wordParts) ?? [];
}

function wordParts(part: string): string[] {
  if (/^[ -~\n\t]*$/.test(part)) return [part];
  const parts: string[] = [];
  let isWide = true;
  for (const character of charactersOf(part)) {
    const wide = widthOf(character) > 1;
    if (wide || isWide) parts.push(character);
    else parts[parts.length - 1] += character;
    isWide = wide;
  }
  return parts;
}
