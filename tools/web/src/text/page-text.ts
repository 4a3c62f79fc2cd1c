/** A part of a text, in UTF-16 units; never half a character. */
interface TextPage {
  readonly content: string;
  readonly offset: number;
  /** Start of the next part; null on the last part. */
  readonly nextOffset: number | null;
}

/** Cuts one part out of a text. */
export function pageOfText(text: string, from: number, limit: number): TextPage {
  const offset = toBoundary(text, Math.min(from, text.length));
  let end = toBoundary(text, Math.min(offset + limit, text.length));
  if (end === offset && end < text.length) end = offset + (isHigh(text, offset) ? 2 : 1);
  return { content: text.slice(offset, end), offset, nextOffset: end < text.length ? end : null };
}

/** The position, moved back by one when it is inside a character. */
function toBoundary(text: string, at: number): number {
  return at > 0 && at < text.length && isHigh(text, at - 1) ? at - 1 : at;
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}
