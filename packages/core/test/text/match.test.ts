import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesGlob } from "@toolmount/core/text";

/** The same as a regular expression. */
function expressionOf(glob: string): RegExp {
  const parts = glob.match(/\\.|[\s\S]/g) ?? [];
  const source = parts.map((part) => {
    if (part === "*") return "[\\s\\S]*";
    if (part === "?") return "[\\s\\S]";
    return (part.length === 2 ? part[1]! : part).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${source.join("")}$`);
}

test("a glob matches the texts that its regular expression matches", () => {
  const glob = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "\\"), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "\\"), maxLength: 12 });
  fc.assert(
    fc.property(glob, text, (pattern, given) => {
      expect(matchesGlob(pattern, given)).toBe(expressionOf(pattern).test(given));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["", "", true],
  ["", "a", false],
  ["a", "a", true],
  ["a", "ab", false],
  ["a", "ba", false],
  ["a?", "ab", true],
  ["a?", "a", false],
  ["a*", "a", true],
  ["*a", "a", true],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["a*b*a", "aba", true],
  ["a*b*a", "aa", false],
  ["a*b*b", "ab", false],
  ["a*b*b", "abb", true],
  ["ab*bc", "abc", false],
  ["*aab*", "aaab", true],
  ["*abab*", "abaab", false],
  ["*abab*", "abaabab", true],
  ["*aabaaab*", "aabaabaaab", true],
  ["*aabaaac*", "aabaaabaaac", true],
  ["*abcabd*", "abcabcabd", true],
  ["*ab*ab*", "ab", false],
  ["*ab*ab*", "abab", true],
  ["*a?b*", "xacb", true],
  ["*a?b*", "xab", false],
  ["*a?*", "a", false],
  ["*?*", "", false],
  ["*?*", "a", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["*\\?*", "a?b", true],
  ["*\\?*", "ab", false],
  ["a\\", "a\\", true],
  ["\\\\a", "\\a", true],
])("the glob %j and the text %j: %s", (glob, text, isMatch) => {
  expect(matchesGlob(glob, text)).toBe(isMatch);
});

test.each([
  ["a text of one letter", `*${"a".repeat(2_000)}b*`, "a".repeat(1_000_000)],
  ["the beginning only at the end", `*b${"a".repeat(2_000)}*`, "a".repeat(1_000_000)],
  ["many stars", `${"*a".repeat(200)}*b`, "a".repeat(1_000_000)],
])("a glob over an argument of 1 MB takes little processor time: %s", (_, glob, text) => {
  const before = process.cpuUsage();
  expect(matchesGlob(glob, text)).toBe(false);
  const { user } = process.cpuUsage(before);

  // The product of both lengths took seconds; reading the text once takes some 10 ms.
  expect(user / 1_000).toBeLessThan(1_000);
});
