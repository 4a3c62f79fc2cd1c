import { findCostlyPattern } from "@toolmount/core";
import { RE2JS } from "re2js";

/** Longest text that a pattern which only JavaScript's own matcher knows is tried on, in characters. */
const maxNativeText = 10_000;

/** The part of a RegExp that ajv uses. */
interface Matcher {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Makes matchers for the patterns of outside schemas. RE2 matches in linear time; what it lacks (look-around, long
 * counted repetitions) goes to JavaScript's matcher when it cannot take exponential time, on texts of bounded length.
 * Everything else is refused, since a match cannot be interrupted.
 */
export const regexEngine: ((pattern: string) => Matcher) & { code: string } = Object.assign(
  (pattern: string): Matcher => compileLinear(pattern) ?? compileNative(pattern),
  { code: "" },
);

function compileLinear(pattern: string): Matcher | null {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return named(pattern, (text) => compiled.test(text));
  } catch {
    return null;
  }
}

function compileNative(pattern: string): Matcher {
  const problem = /\\[1-9]|\\k</.test(pattern) ? "has back-references" : findCostlyPattern(pattern);
  if (problem !== null) throw new Error(`the pattern ${JSON.stringify(pattern.slice(0, 100))} ${problem}`);
  const native = new RegExp(pattern, "u");
  return named(pattern, (text) => text.length <= maxNativeText && native.test(text));
}

/** Ajv keeps one matcher for all patterns that print alike. */
function named(pattern: string, test: Matcher["test"]): Matcher {
  return { test, toString: () => `/${pattern}/u` };
}
