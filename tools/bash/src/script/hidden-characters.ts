/** Matches format characters (bidirectional, tags, joiners), halves of characters, line and paragraph separators. */
const unseen = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Ranges of other hidden characters: controls except tab and line feed, spaces except the plain one, blanks, selectors. */
const ranges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0xa0],
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xffa0, 0xffa0],
  [0xe0100, 0xe01ef],
];

/** Matches letters of scripts in which a joiner changes how a word is read. */
const joins =
  /[\p{Script=Arab}\p{Script=Deva}\p{Script=Beng}\p{Script=Gujr}\p{Script=Guru}\p{Script=Taml}\p{Script=Telu}\p{Script=Knda}\p{Script=Mlym}\p{Script=Sinh}\p{Mn}\p{Mc}]/u;
const picture = /\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;

/** Finds the first hidden character and says where it is: `U+200B at character 12`. Null if all characters are visible. */
export function findHidden(text: string): string | null {
  let before = "";
  let at = 0;
  for (const character of text) {
    at++;
    const code = character.codePointAt(0)!;
    if (isHidden(character, code) && !isNeeded(before, code))
      return `U+${code.toString(16).toUpperCase().padStart(4, "0")} at character ${at}`;
    before = character;
  }
  return null;
}

function isHidden(character: string, code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last) || unseen.test(character);
}

/** Whether a joiner, or the selector of pictures, is needed by the script or the picture before it. */
function isNeeded(before: string, code: number): boolean {
  if (code === 0xfe0f) return picture.test(before) || /[\d#*]/.test(before);
  if (code === 0x200c) return joins.test(before);
  return code === 0x200d && (joins.test(before) || picture.test(before) || before === "\ufe0f");
}
