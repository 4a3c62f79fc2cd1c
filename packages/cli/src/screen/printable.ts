/**
 * Characters that a terminal would act on, or would not show: control and format characters, line and paragraph separators, lone
 * surrogates, fillers, the last Unicode plane, which has no characters, and variation selectors except those of emoji. Joiners
 * are allowed, because emoji and several scripts need them.
 */
const unsafe =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{100000}-\u{10ffff}]/gu;

const unsafeButLines =
  /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{100000}-\u{10ffff}]/gu;

/** Makes text that others wrote safe for a terminal, on one line: escapes characters that a terminal would not show. */
export function printable(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text.replaceAll(unsafe, shown);
}

/** Makes text that others wrote safe for a terminal, as {@link printable} does, but keeps line ends and tabs. */
export function printableLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(unsafeButLines, shown);
}

/**
 * Returns the escape of a character. A byte of a file name that was not UTF-8 is coded in the last plane, and is shown as `\x`
 * and the byte.
 */
function shown(character: string): string {
  const byte = character.codePointAt(0)! - 0x10ff00;
  return byte >= 0x80 ? `\\x${byte.toString(16)}` : escapeCharacter(character);
}

/** Every character that is not plainly visible, including joiners, variation selectors and unusual blanks. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]|(?! )\p{Zs}/gu;

/**
 * Returns JSON, indented, or on one line with an indent of 0. Invisible characters are escaped: the value stays the same, and
 * is safe on a terminal.
 */
export function jsonText(value: unknown, indent: number = 2): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  return text.replaceAll(invisible, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

/** Escapes a character as JSON does: one escape for each UTF-16 unit. */
function escapeCharacter(character: string): string {
  const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
  if (short !== undefined) return short;
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
