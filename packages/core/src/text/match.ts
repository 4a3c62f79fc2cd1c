import { canonicalJson } from "../json/canonical.ts";
import { isRecord } from "../json/json.ts";

/**
 * Whether arguments match a pattern, which is an object that names some of them.
 *
 * A text of the pattern is a glob over the whole value (`*` any characters, `?` one, `\` escapes the next). A list
 * matches if one of its members does, an object member by member, and any other value if it is equal. An argument
 * that the call lacks does not match. If an argument is a list, `members` says whether some or every member must
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

/** Whether a value matches a glob. For a list, the glob applies to its members. */
function fitsText(wanted: string, value: unknown, members: "some" | "every"): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value[members]((item) => fitsText(wanted, item, members));
  if (typeof value === "number" || typeof value === "boolean") return matchesGlob(wanted, String(value));
  return typeof value === "string" && matchesGlob(wanted, value);
}

/** Whether a whole text matches a glob. The time is proportional to the text, except for a `?` between two `*`. */
export function matchesGlob(glob: string, text: string): boolean {
  const [first = [], ...others] = segmentsOf(glob);
  const last = others.pop();
  if (last === undefined) return text.length === first.length && isAt(first, text, 0);
  const end = text.length - last.length;
  let at = first.length;
  if (at > end || !isAt(first, text, 0) || !isAt(last, text, end)) return false;
  for (const segment of others) {
    const found = find(segment, text, at);
    if (found === -1) return false;
    at = found + segment.length;
  }
  return at <= end;
}

/** Whether a name matches one of the globs, and none of those that begin with `!`, which excludes names. */
export function matchesGlobs(globs: readonly string[], name: string): boolean {
  const isOut = globs.some((glob) => glob.startsWith("!") && matchesGlob(glob.slice(1), name));
  return !isOut && globs.some((glob) => matchesGlob(glob, name));
}

const one = Symbol("?");

/** The part of a glob between two `*`: characters, and a symbol for each `?`. */
type Segment = readonly (string | symbol)[];

function segmentsOf(glob: string): Segment[] {
  const segments: (string | symbol)[][] = [[]];
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at]!;
    if (character === "*") segments.push([]);
    else if (character === "?") segments.at(-1)!.push(one);
    else segments.at(-1)!.push(character === "\\" && at + 1 < glob.length ? glob[++at]! : character);
  }
  return segments;
}

function isAt(segment: Segment, text: string, at: number): boolean {
  return segment.every((wanted, offset) => wanted === one || wanted === text[at + offset]);
}

/** Returns where a segment first matches at or after `from`; -1 if it does not match. */
function find(segment: Segment, text: string, from: number): number {
  if (!segment.includes(one)) return findText(segment, text, from);
  for (let at = from; at + segment.length <= text.length; at++) if (isAt(segment, text, at)) return at;
  return -1;
}

/**
 * Searches a segment without `?`, with Knuth, Morris and Pratt's algorithm, which reads each character of the text once.
 * `indexOf` can take time proportional to the product of both lengths, and a model chooses the text.
 */
function findText(wanted: Segment, text: string, from: number): number {
  if (wanted.length === 0) return from;
  const table = borderTable(wanted);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    while (matched > 0 && wanted[matched] !== text[at]) matched = table[matched - 1]!;
    if (wanted[matched] === text[at]) matched++;
    if (matched === wanted.length) return at + 1 - matched;
  }
  return -1;
}

/** Returns, for each start of the segment, the length of its longest proper end that is also a start of the segment. */
function borderTable(wanted: Segment): readonly number[] {
  const table = [0];
  let length = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (length > 0 && wanted[length] !== wanted[at]) length = table[length - 1]!;
    if (wanted[length] === wanted[at]) length++;
    table.push(length);
  }
  return table;
}

/**
 * Reads a line of a plan that selects tools by kind: `category: delete`, `consequence: high`, `tag: shell`. Null for other lines.
 */
export function kindOf(
  line: string,
): readonly [kind: "category" | "consequence" | "tag", word: string] | null {
  const [, kind, word = ""] = /^(category|consequence|tag): (.+)$/s.exec(line) ?? [];
  return kind === undefined ? null : [kind as "category" | "consequence" | "tag", word];
}
