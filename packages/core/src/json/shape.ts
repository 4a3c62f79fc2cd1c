/** Maximum number of members of one object, and of a whole text. Parsing and walking more would block the host for too long. */
export const maxKeys = 20_000;
export const maxMembers = 1_000_000;

/** Maximum number of values of a request, whatever their size, because each value is looked at, copied, masked and stored. */
export const mostValues = 50_000;

/** A text of at most this many characters is never too wide: a member takes at least `0,`, and `"":0,` in an object. */
const mostNarrow = maxKeys * 5;

/** Maximum number of nested objects with a count of members each. All deeper objects share the last count. */
const maxObjects = 1_000;

/**
 * Says what makes a JSON text from outside too wide to parse: "an object of more than 20000 members", or more than `most`
 * members and objects in all. Null if the text may be parsed. It reads the text once, skips what is inside of its strings,
 * and stops at the first excess. For a text that is not JSON, the answer has no meaning.
 */
export function excessOf(text: string, most = maxMembers): string | null {
  if (text.length <= Math.min(mostNarrow, most)) return null;
  const keys: number[] = [0];
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === comma) {
      members++;
    } else if (code === colon) {
      if (++keys[keys.length - 1]! > maxKeys) return `an object of more than ${maxKeys} members`;
    } else if (code === openBrace) {
      members++;
      if (keys.length < maxObjects) keys.push(0);
      else keys[maxObjects - 1] = 0;
    } else if (code === closeBrace) {
      keys.pop();
    }
    if (members > most) return `more than ${most} members`;
  }
  return null;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Returns the place of the quote that ends the string which begins at `from`, or the length of a text without that quote. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}

/**
 * Says why a JSON text from outside is not parsed: it is too wide, or JavaScript would change one of its numbers. Null if the
 * text keeps its meaning. A person must approve exactly what was written, and the tool must get the same.
 */
export function refusalOf(text: string, most = maxMembers): string | null {
  const excess = excessOf(text, most);
  if (excess !== null) return excess;
  for (const { path, written } of changedNumbers(text))
    return `the number ${written.slice(0, 50)} at ${shownPath(path)}, which would be changed; write it as a text in quotes`;
  return null;
}

/**
 * Returns the text with quotes around numbers that JavaScript would change, so that their digits stay. `isMeant` selects them
 * by their path; `report` gets the path of each.
 */
export function quoteChanged(
  text: string,
  isMeant: (path: readonly (string | number)[]) => boolean,
  report: (member: string) => void = () => {},
): string {
  const parts: string[] = [];
  let from = 0;
  for (const { path, written, at } of changedNumbers(text)) {
    if (!isMeant(path)) continue;
    report(shownPath(path));
    parts.push(text.slice(from, at), `"${written}"`);
    from = at + written.length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)].join("");
}

/** Parses JSON. A number that JavaScript would change becomes a text with its digits. */
export function parseExact(text: string): unknown {
  return JSON.parse(quoteChanged(text, () => true));
}

interface ChangedNumber {
  /** Valid until the next number is read. */
  readonly path: readonly (string | number)[];
  readonly written: string;
  readonly at: number;
}

/** Matches a part of every number that JavaScript could change. Most texts contain no match. */
const suspicious = /\d{16}|\d[eE]/;

const number = /-?\d[\d.eE+-]*/y;

function* changedNumbers(text: string): Generator<ChangedNumber> {
  if (!suspicious.test(text)) return;
  const path: (string | number)[] = [];
  for (let at = 0; at < text.length; at++) {
    const last = path.length - 1;
    const character = text[at]!;
    if (character === '"') {
      const end = endOfString(text, at);
      if (typeof path[last] === "string" && isKey(text, end)) path[last] = text.slice(at + 1, end);
      at = end;
    } else if (character === "{") path.push("");
    else if (character === "[") path.push(0);
    else if (character === "}" || character === "]") path.pop();
    else if (character === ",") {
      if (typeof path[last] === "number") path[last]++;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      number.lastIndex = at;
      const written = number.exec(text)?.[0] ?? character;
      if (isChanged(written)) yield { path, written, at };
      at += written.length - 1;
    }
  }
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (/\s/.test(text[at] ?? "")) at++;
  return text[at] === ":";
}

function isChanged(written: string): boolean {
  const value = Number(written);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || Number.isNaN(value)) return false;
  return !Number.isFinite(value) || decimalOf(written) !== decimalOf(String(value));
}

/** Returns a number as its digits and a power of ten, which is the same for all ways to write the number. */
function decimalOf(written: string): string {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === "0") start++;
  while (end > start && digits[end - 1] === "0") end--;
  return `${sign}${digits.slice(start, end)}e${Number(power) - fraction.length + digits.length - end}`;
}

/** Returns a path for people, for example `a.b[2]`. */
function shownPath(path: readonly (string | number)[]): string {
  const shown = path
    .slice(0, 20)
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key.slice(0, 50)}`));
  return shown.join("").replace(/^\./, "") || "the top";
}

/** Returns how much of `budget` remains after the members of a value are counted at every depth. Stops below 0. */
export function remainingMembers(value: unknown, budget: number): number {
  if (typeof value !== "object" || value === null) return budget;
  const members = Object.values(value);
  let left = budget - members.length;
  for (let at = 0; at < members.length && left >= 0; at++) left = remainingMembers(members[at], left);
  return left;
}

/** Whether a value has, at any depth, an object with more members than a JSON text from outside may have. */
export function hasWideObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasWideObject);
  const members = Object.values(value);
  return members.length > maxKeys || members.some(hasWideObject);
}
