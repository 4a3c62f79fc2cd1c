export type HiddenKind =
  | "tags"
  | "zero-width"
  | "variation-selectors"
  | "bidi"
  | "ansi"
  | "control"
  | "marks"
  | "padding";

interface HiddenPlace {
  readonly kind: HiddenKind;
  readonly at: number;
  readonly length: number;
  readonly message: string;
}

/** Finds characters that hide text from reviewers, except where languages and emoji need them. */
export function findHidden(text: string): readonly HiddenPlace[] {
  const found = findPadding(text);
  if (plainText.test(text)) return found;
  found.push(...findPiles(text));
  const points = splitPoints(text.replaceAll(flagTags, (tags) => "x".repeat(tags.length)));
  const isolates: Isolates = { open: [], fits: rightToLeft.test(text) };
  for (let index = 0; index < points.length; index++) {
    const kind = kindOf(points, index, isolates);
    if (kind === null) continue;
    const { at, value } = points[index]!;
    found.push({
      kind,
      at,
      length: value > 0xffff ? 2 : 1,
      message: `${messages[kind]} (U+${value.toString(16).toUpperCase().padStart(4, "0")})`,
    });
  }
  for (const index of isolates.open)
    found.push({ kind: "bidi", at: points[index]!.at, length: 1, message: `${messages.bidi}, never closed` });
  return merge(found.toSorted((a, b) => a.at - b.at));
}

const messages: Readonly<Record<HiddenKind, string>> = {
  tags: "holds tag characters, which models read and people do not see",
  "zero-width": "holds characters without width",
  "variation-selectors": "holds variation selectors after characters without variants",
  bidi: "changes the direction of text, so that it is not read in the order of its characters",
  ansi: "holds a terminal escape sequence",
  control: "holds control characters",
  marks: "piles marks on one character, which cover the text around it",
  padding: "pushes text out of sight with empty space",
};

const plainText = /^(?:[\t\n\x20-\x7e]|\r\n)*$/;

interface Point {
  readonly at: number;
  readonly value: number;
  readonly text: string;
}

function splitPoints(text: string): readonly Point[] {
  const points: Point[] = [];
  let at = 0;
  for (const character of text) {
    points.push({ at, value: character.codePointAt(0)!, text: character });
    at += character.length;
  }
  return points;
}

function kindOf(points: readonly Point[], index: number, isolates: Isolates): HiddenKind | null {
  const { value, text } = points[index]!;
  if (value < 0xa0) return controlKind(value, points[index + 1]);
  if (value >= 0xe0000 && value <= 0xe007f) return "tags";
  if (variation.test(text)) return variationFits(points, index) ? null : "variation-selectors";
  if (bidi.test(text)) return bidiKind(value, index, points, isolates);
  if (inRun(points, index, format)) return "zero-width";
  if (value === 0x200c || value === 0x200d) return joinerFits(points, index) ? null : "zero-width";
  const script = scripts.get(value);
  if (script !== undefined) return besides(points, index, script) ? null : "zero-width";
  if (invisible.test(text)) return "zero-width";
  return unprintable.test(text) ? "control" : null;
}

function controlKind(value: number, next: Point | undefined): HiddenKind | null {
  if (value === 0x09 || value === 0x0a) return null;
  // A carriage return alone moves the cursor to the start of the line, so that later text covers earlier text.
  if (value === 0x0d && next?.value === 0x0a) return null;
  if (value === 0x9b || (value === 0x1b && next !== undefined)) return "ansi";
  return value < 0x20 || value >= 0x7f ? "control" : null;
}

const jamo = /[\u1100-\u115e\u1161-\u11ff]/u;

/** Characters without width, each with the letters next to which it is ordinary. */
const scripts: ReadonlyMap<number, RegExp> = new Map([
  [0x200b, /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\p{sc=Javanese}\p{sc=Balinese}]/u],
  [0x2800, /[\u2801-\u28ff]/u],
  [0x115f, jamo],
  [0x1160, jamo],
  [0x034f, /[\p{sc=Hebrew}\p{M}]/u],
]);

const invisible =
  /[\u180e\u2060-\u2064\u206a-\u206f\u3164\uffa0\ufeff\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]/u;
const unprintable = /[\u2028\u2029\p{Cs}\p{Noncharacter_Code_Point}]/u;

function besides(points: readonly Point[], index: number, script: RegExp): boolean {
  return [points[index - 1], points[index + 1]].some((point) => point && script.test(point.text));
}

/** The tags of the three subdivision flags that fonts have: England, Scotland, Wales. */
const flagTags =
  /(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;

const variation = /[\ufe00-\ufe0f\u180b-\u180d\u180f\u{e0100}-\u{e01ef}]/u;

/** Whether a variation selector is ordinary: alone, after a character that has variants, and not after a Latin letter. */
function variationFits(points: readonly Point[], index: number): boolean {
  const before = points[index - 1];
  if (before === undefined || variation.test(before.text)) return false;
  const { value } = points[index]!;
  if (value >= 0xe0100) return /\p{sc=Han}/u.test(before.text);
  if (value < 0xfe00) return /\p{sc=Mongolian}/u.test(before.text);
  if (value >= 0xfe0e) return /[\p{Emoji}\p{S}\p{P}]/u.test(before.text);
  return /[\p{sc=Han}\p{sc=Myanmar}\p{sc=Phags_Pa}\p{Sm}\p{So}]/u.test(before.text);
}

const bidi = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u;

/** Marks of direction. A single mark is ordinary. */
const marks = /[\u200e\u200f\u061c]/u;

const rightToLeft =
  /(?=\p{L})[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}\p{sc=Samaritan}\p{sc=Mandaic}]/u;

/** The directional isolates that are still open, and whether the text has right-to-left letters. */
interface Isolates {
  readonly open: number[];
  readonly fits: boolean;
}

/** Returns "bidi" unless the text has right-to-left letters, and the character is a closed isolate or a single mark. */
function bidiKind(
  value: number,
  index: number,
  points: readonly Point[],
  { open, fits }: Isolates,
): HiddenKind | null {
  if (value >= 0x202a && value <= 0x202e) return "bidi";
  if (value === 0x2069) return open.pop() === undefined || !fits ? "bidi" : null;
  if (value >= 0x2066) {
    if (fits) open.push(index);
    return fits ? null : "bidi";
  }
  return fits && !inRun(points, index, marks) ? null : "bidi";
}

const joining =
  /[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Nko}\p{sc=Mongolian}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gurmukhi}\p{sc=Gujarati}\p{sc=Oriya}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\p{sc=Javanese}\p{sc=Balinese}\u064b-\u0655\u0670]/u;
const pictograph = /\p{Extended_Pictographic}/u;
const emojiTail = /\ufe0f|[\u{1f3fb}-\u{1f3ff}]/u;

function joinerFits(points: readonly Point[], index: number): boolean {
  const after = points[index + 1];
  let before = index - 1;
  if (before >= 0 && joining.test(points[before]!.text))
    return after === undefined || !/[\p{sc=Latin}0-9\u200b-\u200d]/u.test(after.text);
  if (points[index]!.value !== 0x200d || after === undefined || !/\p{Emoji}/u.test(after.text)) return false;
  while (before >= 0 && emojiTail.test(points[before]!.text)) before--;
  return before >= 0 && pictograph.test(points[before]!.text) && !/[0-9#*]/.test(after.text);
}

/** Format characters of which a single one is ordinary: hyphens, joiners, breaks. */
const format = /[\u034f\u00ad\u200b-\u200d]/u;

/** Whether a character is one of two or more of this kind in a row. They can hide a message, and no text needs them. */
function inRun(points: readonly Point[], index: number, kind: RegExp): boolean {
  const is = (at: number) => points[at] !== undefined && kind.test(points[at].text);
  return is(index) && (is(index - 1) || is(index + 1));
}

/** Finds combining marks on one character, if there are more than any script stacks, or more than a Latin letter or digit has. */
function findPiles(text: string): HiddenPlace[] {
  return Array.from(text.matchAll(/\p{M}{7,}|(?<=[\p{sc=Latin}\p{N}\p{P}\p{Z}])\p{M}{4,}/gu), (match) => ({
    kind: "marks",
    at: match.index,
    length: match[0].length,
    message: messages.marks,
  }));
}

/** Finds blank lines or spaces that are followed by text and longer than any layout needs. */
function findPadding(text: string): HiddenPlace[] {
  const found: HiddenPlace[] = [];
  for (const match of text.matchAll(/\s{10,}/gu)) {
    const [run] = match;
    if (match.index + run.length === text.length) continue;
    const lines = run.split("\n").length - 1;
    const longest = Math.max(...run.split("\n").map((line) => line.length));
    if (lines < 10 && longest < 80) continue;
    found.push({ kind: "padding", at: match.index, length: run.length, message: messages.padding });
  }
  return found;
}

function merge(places: readonly HiddenPlace[]): readonly HiddenPlace[] {
  const merged: HiddenPlace[] = [];
  for (const place of places) {
    const last = merged.at(-1);
    if (last?.kind === place.kind && place.at <= last.at + last.length)
      merged[merged.length - 1] = { ...last, length: place.at + place.length - last.at };
    else merged.push(place);
  }
  return merged;
}
