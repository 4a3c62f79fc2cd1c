import { createRequire } from "node:module";
import type * as Re2 from "../carried/re2js.ts";

// RE2 is loaded only for the first schema that has a pattern. Ajv compiles schemas synchronously, so it needs `require`.
const require = createRequire(import.meta.url);

/** Those members of a RegExp that ajv uses. */
interface Matcher {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles the patterns of schemas from outside with RE2, which matches in linear time.
 *
 * Throws for a pattern that RE2 cannot compile: look-around, back-references, counts above 1000. JavaScript's own engine never
 * runs such a pattern, because it can take exponential time, and a match cannot be interrupted.
 */
export const regexEngine: ((pattern: string) => Matcher) & { code: string } = Object.assign(
  (pattern: string): Matcher => {
    const compiled = compile(pattern);
    // Ajv keeps one matcher for all patterns with the same text.
    return { test: (text) => compiled.test(text), toString: () => `/${pattern}/u` };
  },
  { code: "" },
);

function compile(pattern: string): InstanceType<typeof Re2.RE2JS> {
  const { RE2JS: engine } = require("#re2js") as typeof Re2;
  try {
    return engine.compile(engine.translateRegExp(pattern));
  } catch (cause) {
    const shown = JSON.stringify(pattern.slice(0, 100));
    throw new Error(
      `RE2 cannot compile the pattern ${shown}: look-around, back-references and counts above 1000 are not supported; remove or rewrite the pattern`,
      { cause },
    );
  }
}
