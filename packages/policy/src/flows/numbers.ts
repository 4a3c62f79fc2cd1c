/** Returns the forms in which a number may be written in digits. */
export function formsOfNumber(value: number): readonly string[] {
  const plain = String(value);
  if (/e/.test(plain)) return [plain];
  const [whole = "", part = ""] = plain.split(".");
  const grouped = [",", ".", " ", "'"].map((mark) => whole.replace(/\B(?=(?:\d{3})+$)/g, mark));
  const parts = part === "" ? ["", ".0", ".00"] : [`.${part}`, `.${part.padEnd(2, "0")}`, `,${part}`];
  return [...new Set([whole, ...grouped].flatMap((start) => parts.map((end) => start + end)))];
}

/** Words before a small number that make the number an id. */
const idWords =
  "id|ids|number|no|nr|ticket|issue|order|invoice|task|case|account|user|customer|room|flight|booking|reservation|message|event|file|item|record|entry|post|comment|bug|pr";

/** Whether a text mentions a small number. Such numbers are in every text, so they count only if the text calls them an id. */
export function mentionsNumber(text: string, value: string | number): boolean {
  return new RegExp(
    `(?:\\b(?:${idWords})\\b|#)[^\\p{L}\\p{N}]{0,4}(?:is |of |= ?)?(?:${[value, spokenForm(value) ?? value].join("|")})(?![\\p{L}\\p{N}])`,
    "u",
  ).test(text);
}

/**
 * Returns a pattern that matches a whole number in English words, in a normalized text: `seven thousand one hundred and twelve`,
 * or digit by digit. Null for other values.
 */
export function spokenForm(value: string | number): string | null {
  const digits = String(value);
  if (!/^(?:0|[1-9]\d{0,11})$/.test(digits)) return null;
  const ways = [wordsOf(Number(digits)), digits.split("").map((digit) => small[Number(digit)]!)];
  return `(?:${ways.map((words) => words.join("[ ,-]+(?:and )?")).join("|")})`;
}

function wordsOf(value: number): readonly string[] {
  if (value < 20) return [small[value]!];
  const [size, name] = scales.find(([one]) => one <= value) ?? [10];
  const [count, rest] = [Math.floor(value / size), value % size];
  const first = name === undefined ? [tens[count - 2]!] : [...wordsOf(count), name];
  return rest === 0 ? first : [...first, ...wordsOf(rest)];
}

const small =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const scales: readonly (readonly [number, string])[] = [
  [1_000_000_000, "billion"],
  [1_000_000, "million"],
  [1_000, "thousand"],
  [100, "hundred"],
];
