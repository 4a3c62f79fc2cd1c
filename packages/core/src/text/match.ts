import { canonicalJson } from "../json/canonical.ts";
import { isRecord } from "../json/json.ts";

/**
 * Tells whether arguments fit a pattern: an object that names some of them. A text in the pattern is a glob over the
 * whole value (`*` any characters, `?` one, `\` takes the next literally); a list fits when one of its members does;
 * an object fits member by member; anything else must be equal. An argument that the pattern names and the call lacks
 * does not fit. Of a list among the arguments `some` member has to fit, or `every` one: what allows asks for every.
 */
export function matchesArguments(
  pattern: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  members: "some" | "every" = "some",
): boolean {
  return Object.entries(pattern).every(
    ([key, wanted]) => Object.hasOwn(given, key) && fits(wanted, given[key], members),
  );
}

function fits(wanted: unknown, value: unknown, members: "some" | "every"): boolean {
  if (typeof wanted === "string") return fitsText(wanted, value, members);
  if (Array.isArray(wanted)) return wanted.some((one) => fits(one, value, members));
  if (isRecord(wanted)) return isRecord(value) && matchesArguments(wanted, value, members);
  return canonicalJson(wanted) === canonicalJson(value);
}

/** A rule about a path is one about each of several. */
function fitsText(wanted: string, value: unknown, members: "some" | "every"): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value[members]((item) => fitsText(wanted, item, members));
  if (typeof value === "number" || typeof value === "boolean") return matchesGlob(wanted, String(value));
  return typeof value === "string" && matchesGlob(wanted, value);
}

/** Tells whether a text as a whole fits a glob. Takes time in proportion to both lengths multiplied, never more. */
export function matchesGlob(glob: string, text: string): boolean {
  const parts = compile(glob);
  let part = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted === any) {
      star = part++;
      resume = at;
    } else if (wanted !== undefined && (wanted === one || wanted === text[at])) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++resume;
    } else return false;
  }
  while (parts[part] === any) part++;
  return part === parts.length;
}

const any = Symbol("*");
const one = Symbol("?");

function compile(glob: string): (string | symbol)[] {
  const parts: (string | symbol)[] = [];
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at]!;
    if (character === "*") parts.push(any);
    else if (character === "?") parts.push(one);
    else parts.push(character === "\\" && at + 1 < glob.length ? glob[++at]! : character);
  }
  return parts;
}
