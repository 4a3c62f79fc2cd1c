/** A part of a text, in characters as JavaScript counts them; never half of one. */
export interface TextPage {
  readonly content: string;
  readonly offset: number;
  /** Where the rest begins; null on the last page. */
  readonly nextOffset: number | null;
}

/** Cuts a page out of a text. */
export function pageOfText(text: string, from: number, limit: number): TextPage {
  const offset = toBoundary(text, Math.min(from, text.length));
  let end = toBoundary(text, Math.min(offset + limit, text.length));
  if (end === offset && end < text.length) end = offset + (isHigh(text, offset) ? 2 : 1);
  return { content: text.slice(offset, end), offset, nextOffset: end < text.length ? end : null };
}

/** One back where the position is between the halves of a character. */
function toBoundary(text: string, at: number): number {
  return at > 0 && at < text.length && isHigh(text, at - 1) ? at - 1 : at;
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}
