/** Characters that are invisible or move the cursor: control, format and private-use characters, fillers, selectors. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Variation_Selector}\u115f\u1160\u2800\u3164\uffa0]|\u034f/gu;

/** Text that is safe to print: each hidden character is written as its code point, `\u{200b}`. */
export function escapeHidden(text: string): string {
  return text.replaceAll(hidden, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The same, but line ends and tabs stay. */
export function escapeHiddenInLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeHidden(part)))
    .join("");
}

/** Text of the same width that is safe to print: each hidden character becomes U+FFFD; line ends stay. */
export function coverHidden(text: string): string {
  return text.replaceAll(hidden, (character) => (character === "\n" ? character : "\u{FFFD}"));
}
