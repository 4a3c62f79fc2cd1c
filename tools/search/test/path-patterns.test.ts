import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  compileExclusion,
  compileNamePattern,
  compilePattern,
  lastNamePattern,
  type PathFilter,
} from "../src/pattern.ts";

/** The ways to read a pattern: of a whole path, of a name in any folder, and of what is excluded with all below it. */
const ways: Readonly<Record<string, (pattern: string) => PathFilter>> = {
  path: compilePattern,
  name: compileNamePattern,
  exclusion: compileExclusion,
};

/** Patterns, each with the paths that fit (`+`) and those that do not (`-`), or with why it is refused. */
const cases = readFileSync(join(import.meta.dirname, "path-patterns.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [line = "", ...lines] = group.split("\n");
    const [, refused, kind = "", pattern = ""] = /^# (refused )?(\w+) (.*)$/.exec(line)!;
    return { kind, pattern, isRefused: refused !== undefined, lines };
  });

test.each(cases.filter(({ kind, isRefused }) => kind !== "last" && !isRefused))(
  "the $kind pattern $pattern fits what it should: $lines",
  ({ kind, pattern, lines }) => {
    const fits = ways[kind]!(pattern);
    const judged = lines.map((line) => `${fits(line.slice(2)) ? "+" : "-"} ${line.slice(2)}`);

    expect(judged).toEqual(lines);
  },
);

test.each(cases.filter(({ isRefused }) => isRefused))(
  "the $kind pattern $pattern is refused: $lines",
  ({ kind, pattern, lines: [problem] }) => {
    const named = pattern.replace(/^!/, "");

    expect(() => ways[kind]!(pattern)).toThrow(
      expect.objectContaining({
        message: `Invalid pattern: ${named}: ${problem}`,
        code: "INVALID_PATTERN",
        details: { problem },
      }),
    );
  },
);

test.each(cases.filter(({ kind }) => kind === "last"))(
  "of $pattern, the engine may pass over files whose names do not fit $lines",
  ({ pattern, lines: [name] }) => {
    expect(lastNamePattern(pattern)).toBe(name === "null" ? null : name);
  },
);

test("a refusal names the first 200 characters of a pattern", () => {
  expect(() => compilePattern(`/${"a".repeat(300)}`)).toThrow(
    `Invalid pattern: /${"a".repeat(199)}: it is absolute; give the folder as path, and the pattern relative to it`,
  );
});
