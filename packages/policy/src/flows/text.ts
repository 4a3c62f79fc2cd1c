import { formsOfNumber } from "./numbers.ts";

/** Separates texts that were joined. No normalized text contains it. */
export const border = "\n";

/** Returns a text as it is compared: compatibility forms, case, white space and invisible characters make no difference. */
export function normalize(text: string): string {
  const plain = isAscii(text) ? text : text.normalize("NFKC").replace(invisible, "");
  return plain.replace(unevenSpace, " ").toLowerCase().trim();
}

/** Matches white space other than a single space. Most texts have little of it, so that little is replaced. */
const unevenSpace = / \s+|[^\S ]\s*/g;

const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g;

function isAscii(text: string): boolean {
  return !/[^\0-\x7F]/.test(text);
}

/**
 * Returns where a value is in a normalized text as a whole word; -1 if it is not there. For an address, `.`, `-`, `@` and `/`
 * also belong to the word: `a@b.co` is not in `a@b.co.uk`, nor `b.co` in `x.b.co`.
 */
export function findWord(value: string, text: string): number {
  if (value === "") return -1;
  const isAddress = /[.@/]/.test(value);
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
    if (isBorder(text, at, at + value.length, isAddress)) return at;
  return -1;
}

function isBorder(text: string, start: number, end: number, isAddress: boolean): boolean {
  const [before, after] = [text[start - 1] ?? " ", text[end] ?? " "];
  if (isWordCharacter(text[start]!) && isWordCharacter(before)) return false;
  if (isWordCharacter(text[end - 1]!) && isWordCharacter(after)) return false;
  if (!isAddress) return true;
  if (/[-@]/.test(before) || (before === "." && isWordCharacter(text[start - 2] ?? " "))) return false;
  if (before === "/" && !text.endsWith("://", start)) return false;
  if (text[end - 1] === "/") return !isWordCharacter(after);
  return !(/[-@/.?#]/.test(after) && isWordCharacter(text[end + 1] ?? " "));
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}

/** Returns the forms in which a value may be written, all of them normalized. */
export function formsOf(value: string | number): readonly string[] {
  if (typeof value === "number") return formsOfNumber(value);
  const text = normalize(value);
  if (/^[-+]?\d+(?:\.\d+)?$/.test(text) && Number.isFinite(Number(text)) && text.length < 16)
    return [...new Set([text, ...formsOfNumber(Number(text))])];
  const bare = text
    .replace(/^https?:\/\//, "")
    .replace(/^www\./, "")
    .replace(/\/+$/, "");
  const forms = [text, bare, `www.${bare}`].slice(0, isLink(text) ? 3 : 1);
  return [...new Set([...forms, text.replace(/^[#@]/, "")])].filter((form) => form !== "");
}

/** Whether a normalized text is a link or a host. */
function isLink(text: string): boolean {
  return /^(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,}(?::\d+)?(?:[/?#]\S*)?$/u.test(text);
}

/** Returns a code such as an account or a telephone number without its separators, which do not matter; null for other texts. */
export function compactCode(value: string): string | null {
  const compact = withoutSeparators(normalize(value));
  return compact.length >= 7 && /^\+?[\p{L}\p{N}]+$/u.test(compact) && /\d{4}/.test(compact) ? compact : null;
}

/** Longest code that is searched as a word, because an engine refuses an expression of many thousand characters. */
const longestCode = 200;

/** Whether a normalized text contains a code, with any separators. */
export function hasCode(code: string, text: string): boolean {
  if (code.length > longestCode) return withoutSeparators(text).includes(code);
  const body = code
    .split("")
    .map((one) => one.replace(/\W/, "\\$&"))
    .join("[ \\-./()]*");
  return new RegExp(`(?<![\\p{L}\\p{N}])${body}(?![\\p{L}\\p{N}])`, "u").test(text);
}

/** Returns only the letters and digits of a text. */
export function lettersOf(text: string): string {
  return normalize(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

export function withoutSeparators(text: string): string {
  return text.replace(/[ \-./()]/g, "");
}

/** Returns the host of a normalized link, without `www.`; null for other texts. */
export function hostOf(text: string): string | null {
  if (!isLink(text)) return null;
  return text
    .replace(/^https?:\/\//, "")
    .replace(/^www\./, "")
    .replace(/[:/?#].*$/s, "");
}
