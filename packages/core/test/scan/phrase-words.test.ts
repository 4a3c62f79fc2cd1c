import fc from "fast-check";
import { expect, test } from "vitest";
import { findPhrase, injectionPhrases } from "../../src/scan/injection-phrases.ts";

test.each([...injectionPhrases])(
  "no text of the phrase that $tries lacks the words that the phrase needs",
  (phrase) => {
    const { pattern } = phrase;
    let matched = 0;
    fc.assert(
      fc.property(fc.stringMatching(withoutAssertions(pattern)), (text) => {
        fc.pre(pattern.test(text));
        matched++;
        expect(findPhrase(phrase, text), text).not.toBeNull();
      }),
      { numRuns: 1_000, maxSkipsPerRun: 1_000 },
    );
    expect(matched).toBeGreaterThanOrEqual(1_000);
  },
);

/** The generator knows no assertions. Without them a pattern also makes texts that do not match; the test drops those. */
function withoutAssertions({ source, flags }: RegExp): RegExp {
  let pattern = source.replaceAll(String.raw`\b`, "");
  for (let at = pattern.search(/\(\?<?[!=]/); at !== -1; at = pattern.search(/\(\?<?[!=]/))
    pattern = pattern.slice(0, at) + pattern.slice(closingOf(pattern, at) + 1);
  return new RegExp(pattern, flags);
}

/** Where the group that begins at `start` closes. Brackets in a class of characters do not count. */
function closingOf(pattern: string, start: number): number {
  let depth = 0;
  let isClass = false;
  for (let at = start; ; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "[") isClass = true;
    else if (character === "]") isClass = false;
    else if (!isClass && character === "(") depth++;
    else if (!isClass && character === ")" && --depth === 0) return at;
  }
}
