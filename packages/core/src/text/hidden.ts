/** Matches characters that are invisible or move the cursor: control, format and private-use characters, fillers, selectors. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Variation_Selector}\u115f\u1160\u2800\u3164\uffa0]|\u034f/gu;

/** Returns a text that is safe to print: each hidden character is written as its code point, `\u{200b}`. */
export function escapeHidden(text: string): string {
  return text.replaceAll(hidden, codePoint);
}

/** Does the same as {@link escapeHidden}, but keeps line ends and tabs. */
export function escapeHiddenInLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeHidden(part)))
    .join("");
}

/** Returns a text of the same width that is safe to print: hidden characters become U+FFFD, except line ends. */
export function coverHidden(text: string): string {
  return text.replaceAll(hidden, (character) => (character === "\n" ? character : "\u{FFFD}"));
}

/**
 * Matches characters that no language and no emoji needs, and that hide what a text says: control characters except tabs and
 * line ends, overrides and isolates of direction, tags outside of flags, and two or more characters in a row without width
 * or variation selectors, which can hide a message.
 */
const deceiving = new RegExp(
  [
    // The three flags that fonts have: England, Scotland, Wales.
    String.raw`(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})`,
    String.raw`[\0-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{7f}-\u{9f}]`,
    String.raw`\r(?!\n)`,
    String.raw`[\u{202a}-\u{202e}\u{2066}-\u{2069}]`,
    String.raw`[\u{e0000}-\u{e007f}]+`,
    String.raw`[\u{ad}\u{34f}\u{61c}\u{180e}\u{200b}-\u{200f}\u{2060}-\u{2064}\u{206a}-\u{206f}\u{feff}]{2,}`,
    String.raw`[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]{2,}`,
  ].join("|"),
  "gu",
);

/** Finds the first deceiving character. Without the flag `g`, it keeps no position between two searches. */
const anyDeceiving = new RegExp(deceiving.source, "u");

/** Whether a text from outside has characters that hide what it says. */
export function isDeceiving(text: string): boolean {
  return anyDeceiving.test(text);
}

/** Maximum number of hidden characters of one text that are written out. A text with more is an attack, or not a text. */
const maxWritten = 10_000;

/**
 * Rewrites a text from outside so that people see what a model reads: deceiving characters are written as `\u{202e}`. After
 * the first 10000 of them, the others become U+FFFD.
 */
export function escapeDeceiving(text: string): string {
  if (!isDeceiving(text)) return text;
  let written = 0;
  let end = 0;
  const parts: string[] = [];
  for (const { 0: run, 1: flag, index } of text.matchAll(deceiving)) {
    parts.push(text.slice(end, index), flag ?? Array.from(run.slice(0, maxWritten), codePoint).join(""));
    end = index + Math.min(run.length, maxWritten);
    if (flag === undefined) written += run.length;
    if (written >= maxWritten) break;
  }
  const rest = text.slice(end);
  return parts.join("") + (written < maxWritten ? rest : rest.replaceAll(deceiving, "\u{fffd}"));
}

function codePoint(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
