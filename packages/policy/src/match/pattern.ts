import { matchesArguments, matchesGlob } from "@toolmount/core/text";

/**
 * When a list of values, or a value that a pattern cannot judge, matches: a line that denies or asks needs `some` matching value,
 * a line that allows needs `every` value to match.
 */
export type Members = "some" | "every";

/** Tests whether a value matches a pattern that begins with neither `!` nor a comparison such as `>=`. */
type FitsPlain = (pattern: string, value: unknown, members: Members) => boolean;

/** Tests a name as {@link fitsNames} does. If there is no name, only lists of `!` globs match, and only with `some`. */
export function fitsName(
  globs: string | readonly string[],
  name: string | undefined,
  members: Members,
): boolean {
  if (name !== undefined) return fitsNames(globs, [name]);
  return members === "some" && sorted(listOf(globs)).wanted.length === 0;
}

/** Whether no name matches a glob after a `!`, and some name matches one of the other globs, if there are any. */
export function fitsNames(globs: string | readonly string[], names: readonly string[]): boolean {
  const { wanted, unwanted } = sorted(listOf(globs));
  const isNamed = (glob: string) => names.some((name) => matchesGlob(glob, name));
  return (wanted.length === 0 || wanted.some(isNamed)) && !unwanted.some((glob) => isNamed(glob.slice(1)));
}

function listOf(globs: string | readonly string[]): readonly string[] {
  return typeof globs === "string" ? [globs] : globs;
}

/**
 * Whether arguments match a pattern, an object that names some of them. A text is a glob; after a `!` it must not match, and
 * `> 100` (also `<`, `>=`, `<=`) compares a number. A list matches if one of its texts does, and no text after a `!` excludes
 * the value. An argument that the call lacks does not match.
 */
export function fitsArguments(
  pattern: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  members: Members,
): boolean {
  return Object.entries(pattern).every(
    ([key, wanted]) => Object.hasOwn(given, key) && fits(wanted, given[key], members),
  );
}

function fits(pattern: unknown, value: unknown, members: Members): boolean {
  if (typeof pattern === "string") return fitsSigned(pattern, value, members, fitsPlain);
  if (Array.isArray(pattern)) {
    const { wanted, unwanted } = sorted(pattern as readonly unknown[]);
    const matches = (one: unknown) => fits(one, value, members);
    return (wanted.length === 0 || wanted.some(matches)) && unwanted.every(matches);
  }
  if (!isObject(pattern)) return fitsPlain(pattern, value, members);
  return isObject(value) && fitsArguments(pattern, value, members);
}

/** Whether a value matches a pattern that may begin with a sign: `!` or a comparison. */
export function fitsSigned(pattern: string, value: unknown, members: Members, plain: FitsPlain): boolean {
  const compare = comparisonOf(pattern);
  if (compare === null && !pattern.startsWith("!")) return plain(pattern, value, members);
  const others: Members = members === "some" ? "every" : "some";
  const isFit = (item: unknown) => {
    if (compare !== null) return typeof item === "number" ? compare(item) : members === "some";
    return isPlain(item) ? !plain(pattern.slice(1), item, others) : members === "some";
  };
  if (!Array.isArray(value)) return isFit(value);
  return value.length > 0 && value[members](isFit);
}

function comparisonOf(pattern: string): ((value: number) => boolean) | null {
  const [, sign, digits] = /^([<>]=?) *(-?\d+(?:\.\d+)?)$/.exec(pattern) ?? [];
  const bound = Number(digits);
  if (sign === ">") return (value) => value > bound;
  if (sign === ">=") return (value) => value >= bound;
  if (sign === "<") return (value) => value < bound;
  return sign === "<=" ? (value) => value <= bound : null;
}

function sorted<Item>(patterns: readonly Item[]): { wanted: readonly Item[]; unwanted: readonly Item[] } {
  const isUnwanted = (one: Item) => typeof one === "string" && one.startsWith("!");
  return { wanted: patterns.filter((one) => !isUnwanted(one)), unwanted: patterns.filter(isUnwanted) };
}

/** Tests a pattern without `!` and comparison. Allowing a folder does not allow paths that lead out of it. */
function fitsPlain(pattern: unknown, value: unknown, members: Members): boolean {
  const isUp = [value].flat().some((item) => typeof item === "string" && leadsUp(item));
  if (isUp && members === "every" && typeof pattern === "string" && !leadsUp(pattern)) return false;
  return matchesArguments({ value: pattern }, { value }, members);
}

/** Whether a path leads upwards, such as `src/../../etc`, which `src/*` must not allow. */
export function leadsUp(path: string): boolean {
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path);
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
