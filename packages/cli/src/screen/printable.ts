/**
 * What a terminal would act on instead of showing, or would not show at all: control and format characters, line and
 * paragraph separators, halves of pairs, fillers, the last plane, which has no characters, and variation selectors but
 * those of emoji. Joiners stay, since emoji and several scripts need them.
 */
const unsafe =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{100000}-\u{10ffff}]/gu;

const unsafeButLines =
  /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{100000}-\u{10ffff}]/gu;

/** Makes the text of others safe for a terminal, on one line: it writes invisible characters as escapes. */
export function printable(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text.replaceAll(unsafe, shown);
}

/** The same, with line ends and tabs kept. */
export function printableLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(unsafeButLines, shown);
}

/** A character as people know it: the one of a byte in a file's name that is no UTF-8 as that byte. */
function shown(character: string): string {
  const byte = character.codePointAt(0)! - 0x10ff00;
  return byte >= 0x80 ? `\\x${byte.toString(16)}` : escapeCharacter(character);
}

/** Everything that is not plainly visible, joiners and variation selectors too. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]|(?! )\p{Zs}/gu;

/** JSON, indented or with 0 on one line, in which everything invisible is escaped: still the same value, and safe on a terminal. */
export function jsonText(value: unknown, indent: number = 2): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  return text.replaceAll(invisible, (character) =>
    character === "\n" ? character : escapeCharacter(character),
  );
}

/** As JSON writes it: one escape for each UTF-16 unit. */
function escapeCharacter(character: string): string {
  const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
  if (short !== undefined) return short;
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
