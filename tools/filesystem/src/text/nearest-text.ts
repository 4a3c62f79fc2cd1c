/** Ways in which similar texts differ. Each function removes one kind of difference. */
const forms: readonly (readonly [difference: string, form: (text: string) => string])[] = [
  ["the normal form of accents", (text) => text.normalize("NFC")],
  [
    "quotes and dashes",
    (text) =>
      text
        .replaceAll(/[\u2018\u2019\u201a\u2032]/g, "'")
        .replaceAll(/[\u201c\u201d\u201e\u2033]/g, '"')
        .replaceAll(/[\u2010-\u2015\u2212]/g, "-"),
  ],
  ["invisible characters", (text) => text.replaceAll(/[\u200b-\u200d\u2060\ufeff\u00ad]/g, "")],
  ["blanks", (text) => text.replaceAll(/[\s\u00a0]+/g, " ").trim()],
  ["upper and lower case", (text) => text.toLowerCase()],
];

/** The text in the file that was probably meant: its line, its words, and how it differs. */
interface Near {
  readonly hint: string;
  readonly line: number;
  readonly near: string;
}

/**
 * Limits of the search, because the host does nothing else meanwhile: characters of the file that are searched; lines of the
 * wanted text with which a place may begin, and that are compared; places that are compared; and characters that are shown.
 */
const most = { looked: 200_000, begins: 10, wanted: 100, places: 1000, shown: 1000 };

/** Finds the lines that are most similar to a text; null if there are none. */
export function nearestText(text: string, wanted: string): Near | null {
  const lines = text.slice(0, most.looked).split(/\r?\n/);
  const wantedLines = wanted
    .slice(0, most.looked)
    .replace(/^\n+|\n+$/g, "")
    .split(/\r?\n/);
  const all = (line: string) => forms.reduce((formed, [, form]) => form(formed), line);
  const plain = lines.map(all);
  const plainWanted = wantedLines.map(all);
  const at = bestPlace(plain, plainWanted);
  if (at === null) return null;
  const found = lines.slice(at, at + wantedLines.length);
  const isAlike = plainWanted.every((line, index) => (plain[at + index] ?? "").includes(line));
  const hint = isAlike
    ? `it differs in ${differencesOf(found, wantedLines)}`
    : firstDifference(found, wantedLines, all);
  return { hint, line: at + 1, near: found.join("\n").slice(0, most.shown) };
}

/** Returns the number of the line at which most of the wanted lines are similar; null if there is none. */
function bestPlace(lines: readonly string[], wanted: readonly string[]): number | null {
  let best: { at: number; alike: number } | null = null;
  const compared = wanted.slice(0, most.wanted);
  const begins = [...compared.entries()].slice(0, most.begins).filter(([, want]) => want !== "");
  for (let [index, places] = [0, 0]; index < lines.length && places < most.places; index += 1) {
    const found = begins.find(([offset, want]) => offset <= index && isLike(lines[index]!, want));
    if (found === undefined) continue;
    places += 1;
    const at = index - found[0];
    const alike = compared.filter((each, step) => (lines[at + step] ?? "").includes(each)).length;
    if (best === null || alike > best.alike) best = { at, alike };
  }
  return best?.at ?? null;
}

/** Whether two lines are similar. A line of one or two characters would be part of many lines, so it must be equal. */
function isLike(line: string, want: string): boolean {
  return want.length > 2 ? line.includes(want) : line === want;
}

/**
 * Returns in which ways two similar texts differ. A way is named if the texts still differ after all other kinds of differences
 * were removed.
 */
function differencesOf(found: readonly string[], wanted: readonly string[]): string {
  const needed = forms.filter(([, left]) => {
    const others = (line: string) =>
      forms.reduce((text, [, form]) => (form === left ? text : form(text)), line);
    return !wanted.every((line, at) => others(found[at]!).includes(others(line)));
  });
  return needed.map(([difference]) => difference).join(", ") || "the ends of its lines";
}

function firstDifference(
  found: readonly string[],
  wanted: readonly string[],
  plain: (line: string) => string,
): string {
  const at = wanted.findIndex((line, index) => !plain(found[index] ?? "").includes(plain(line)));
  return `its line ${at + 1} is other than line ${at + 1} of old_string`;
}
