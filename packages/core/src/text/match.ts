import { canonicalJson } from "../json/canonical.ts";
import { isRecord } from "../json/json.ts";

/**
 * Whether arguments match a pattern: an object that names some of them.
 *
 * A text of the pattern is a glob over the whole value (`*` any characters, `?` one, `\` escapes the next). A list
 * matches when one of its members does, an object member by member, and any other value when it is equal. An argument
 * that the call lacks does not match. When an argument is a list, `members` says whether some or every member must
 * match; a rule that allows needs every.
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

/** A rule about a path applies to each path of a list. */
function fitsText(wanted: string, value: unknown, members: "some" | "every"): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value[members]((item) => fitsText(wanted, item, members));
  if (typeof value === "number" || typeof value === "boolean") return matchesGlob(wanted, String(value));
  return typeof value === "string" && matchesGlob(wanted, value);
}

/** Whether a whole text matches a glob. Takes at most time in proportion to the product of both lengths. */
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
