/** The lines of a text, as Python's `splitlines`: a break at the end begins no further line. */
export function linesOf(text: string): string[] {
  // oxlint-disable-next-line no-control-regex -- these control characters end a line
  const lines = text.split(/\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The parts of a text between white space, as Python's `split`. */
export function wordsOf(text: string): string[] {
  // oxlint-disable-next-line no-control-regex -- Python counts these control characters as white space
  return text.split(/(?:(?!\ufeff)\s|[\u001c-\u001f\u0085])+/).filter((word) => word !== "");
}

/** Compares by code point. UTF-8 keeps that order, UTF-16 does not. */
export function compareCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The length in code points. */
export const codePoints = (text: string): number => Array.from(text).length;
