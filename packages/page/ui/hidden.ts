// Makes invisible characters visible as escapes. The command does the same on a terminal, and a test compares the two.

/**
 * A part of a text: either plain text, or an object for hidden characters, with the text that is shown for them and their number.
 */
export type Piece = string | { readonly shown: string; readonly title: string; readonly hidden: number };

/**
 * Control and format characters, separators, lone surrogates, fillers and the last Unicode plane. Joiners and the variation
 * selectors of emoji are not included, because emoji and several scripts need them.
 */
const inText =
  /(?:(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{100000}-\u{10ffff}])+/u;

/** Every character that is not plainly visible. JSON can escape them all, and the value stays the same. */
const inJson = /(?:(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]|(?! )\p{Zs})+/u;

/**
 * Matches more empty space than a layout needs, because it can push text out of sight. In JSON, spaces at the start of a line are
 * layout.
 */
const roomInText = /[ \t\p{Zs}]{21,}|\n{21,}/u;
const roomInJson = /(?<=[^\s][ ]*) {21,}/u;

const text = new RegExp(`(${inText.source})|(${roomInText.source})`, "gu");
const json = new RegExp(`(${inJson.source})|(${roomInJson.source})`, "gu");

/** Splits a text into plain parts, and hidden parts with the text that is shown for them. */
export function piecesOf(given: string, isJson = false): readonly Piece[] {
  const whole = given.replaceAll("\r\n", "\n");
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of whole.matchAll(isJson ? json : text)) {
    const [run, hidden] = match;
    if (match.index > at) pieces.push(whole.slice(at, match.index));
    pieces.push(hidden === undefined ? roomPiece(run) : hiddenPiece(hidden, isJson));
    at = match.index + run.length;
  }
  if (at < whole.length) pieces.push(whole.slice(at));
  return pieces;
}

/** Returns a text with its hidden parts replaced, as plain text for attributes and titles. */
export function escapeHidden(given: string): string {
  return piecesOf(given)
    .map((piece) => (typeof piece === "string" ? piece : piece.shown))
    .join("");
}

/** Counts the characters of a text that are not visible. */
export function countHidden(given: string, isJson = false): number {
  return piecesOf(given, isJson).reduce(
    (sum, piece) => sum + (typeof piece === "string" ? 0 : piece.hidden),
    0,
  );
}

function roomPiece(run: string): Piece {
  const shown = run.startsWith("\n") ? `[${run.length - 1} empty lines]` : `[${run.length} spaces]`;
  return { shown, title: shown.slice(1, -1), hidden: 0 };
}

function hiddenPiece(run: string, isJson: boolean): Piece {
  const characters = Array.from(run);
  const points = characters.map(
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return {
    shown: characters.map((character) => byteIn(character, isJson) ?? escapeCharacter(character)).join(""),
    title: `does not show: ${points.join(" ")}`,
    hidden: characters.length,
  };
}

/** Returns the byte that a character represents, as in file names that are not UTF-8. JSON cannot escape a byte. */
function byteIn(character: string, isJson: boolean): string | undefined {
  const byte = character.codePointAt(0)! - 0x10ff00;
  return byte < 0x80 || isJson ? undefined : `\\x${byte.toString(16)}`;
}

/** Escapes a character as JSON does: one escape for each UTF-16 unit. */
function escapeCharacter(character: string): string {
  if (character === "\r") return String.raw`\r`;
  if (character === "\t") return String.raw`\t`;
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
