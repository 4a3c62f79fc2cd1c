import fc from "fast-check";
import { expect, test } from "vitest";
import { exactly, findPatterns } from "../../src/learn/patterns.ts";

test.each([
  [["src/a.ts", "src/b.ts"], [], ["src/*"]],
  [["/a", "/b"], [], ["/a", "/b"]],
  [["https://a.example", "https://a.example?"], [], ["https://a.example", "https://a.example\\?"]],
  [["see https://a/x", "see https://a/y"], [], ["see https://a/x", "see https://a/y"]],
  [["src/a/1", "src/a/2"], [], ["src/a/*"]],
  [["src/ab", "src/ac"], [], ["src/*"]],
  [["/a/1", "/a/2"], [], ["/a/*"]],
  [["./a/1", "./a/2"], [], ["./a/*"]],
  [["a/../1", "a/../2"], [], ["a/../1", "a/../2"]],
  [["/usr/bin/env a", "/usr/bin/env b"], [], ["/usr/bin/env a", "/usr/bin/env b"]],
  [["a", "b"], [], ["a", "b"]],
  [["https://a.org/1", "https://a.org/2", "https://b.org/1"], [], ["https://a.org/*", "https://b.org/1"]],
  [["https://a.org", "https://a.orgs"], [], ["https://a.org", "https://a.orgs"]],
  [["src/1", "src/2"], ["src/3"], ["src/1", "src/2"]],
  [["src/1", "src/1"], [], ["src/1"]],
  [["!a", "> 5"], [], ["\\!a", "\\> 5"]],
  [["echo * a", "echo * b"], [], ["echo \\* a", "echo \\* b"]],
])("the patterns of %j, where %j was refused, are %j", (values, refused, globs) => {
  const found = findPatterns(values, refused);
  expect(found.map(({ glob }) => glob)).toEqual(globs);
  expect(new Set(found.flatMap((one) => [...one.values]))).toEqual(new Set(values));
});

test("a shared pattern keeps the host of an address and the folder of a path", () => {
  const globsOf = (...values: string[]) => findPatterns(values, []).map(({ glob }) => glob);
  expect(globsOf("https://a.com/x/1", "https://a.com/x/2", "https://a.com.evil", "https://b.com/x")).toEqual([
    "https://a.com/x/*",
    "https://a.com.evil",
    "https://b.com/x",
  ]);
  expect(globsOf("src/a", "src/b", "src/../etc", "/etc/passwd")).toEqual([
    "src/*",
    "src/../etc",
    "/etc/passwd",
  ]);
});

test("a command is its own pattern, whatever it begins with", () => {
  const commands = ["git push a", "git push b", "git push b", "find . -name *.ts"];
  expect(exactly(commands).map(({ glob }) => glob)).toEqual([
    "git push a",
    "git push b",
    "find . -name \\*.ts",
  ]);
});

test("patterns cover all values and no refused one", () => {
  const part = fc.constantFrom("a", "b", "src", "git", "-x", "*", "https:", "..");
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const command = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));
  const matches = (glob: string, text: string) =>
    glob.endsWith("*") && !glob.endsWith("\\*")
      ? text.startsWith(plain(glob.slice(0, -1)))
      : text === plain(glob);
  const plain = (glob: string) => glob.replaceAll(/\\(.)/g, "$1");
  fc.assert(
    fc.property(fc.array(fc.oneof(path, command)), fc.array(fc.oneof(path, command)), (values, others) => {
      const refused = others.filter((other) => !values.includes(other));
      const found = findPatterns(values, refused);
      for (const value of values) expect(found.some(({ glob }) => matches(glob, value))).toBe(true);
      for (const other of refused) expect(found.some(({ glob }) => matches(glob, other))).toBe(false);
    }),
  );
});
