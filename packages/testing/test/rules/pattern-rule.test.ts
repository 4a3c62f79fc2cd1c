import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgePattern } from "../../src/rules/pattern-rule.ts";

describe("a pattern that can take exponential time is found", () => {
  test.each([
    "(a+)+$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(a|aa)+$",
    "(x+x+)+y",
    "^(a|a)*$",
    "(\\w+\\s?)*$",
    "(?:a|b|ab)*c",
    "^(?=(\\w+\\s?)+$)",
  ])("%s", (pattern) => {
    expect(judgePattern(pattern)).toBe("can take exponential time to match");
  });
});

describe("a pattern that matches each text in one way is accepted", () => {
  test.each([
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    "^[^@]+@[^@]+\\.[^@]+$",
    "^\\d{4}-\\d\\d-\\d\\d$",
    "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$",
    "^(\\d{1,3}\\.){3}\\d{1,3}$",
    "^https?://[^\\s/]+(/[^\\s]*)?$",
    "^[\\p{L}\\d ]+$",
    "^#?([a-f0-9]{6}|[a-f0-9]{3})$",
    "^([A-Z][a-z]+ )*[A-Z][a-z]+$",
    "^(?=.*[A-Z])(?=.*\\d).{8,}$",
    "^/(?:[^/]+/)*[^/]*$",
    "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    "^(?:[a-z0-9]+(?:\\.[a-z0-9]+)*)@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$",
    "^v?\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$",
  ])("%s", (pattern) => {
    expect(judgePattern(pattern)).toBeNull();
  });
});

test("an invalid pattern, and one that is too long to analyze, are reported", () => {
  expect(judgePattern("(")).toBe("is not a regular expression");
  expect(judgePattern("a".repeat(2_001))).toContain("too many to analyze");
});

test("any text is judged without a throw", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (pattern) => {
      expect(["string", "object"]).toContain(typeof judgePattern(pattern));
    }),
    { numRuns: 50 },
  );
});
