import fc from "fast-check";
import { expect, test } from "vitest";
import { findPatterns } from "../../src/learn/patterns.ts";

test.each([
  ["command", ["git push a", "git push b"], [], ["git push *"]],
  ["command", ["git  push a", "git push b"], [], ["git  push a", "git push b"]],
  ["command", [" git push a", " git push b"], [], [" git push *"]],
  ["command", ["git push\ta", "git push\tb"], [], ["git push\ta", "git push\tb"]],
  ["command", ["git push a", "git push b"], ["git push c"], ["git push a", "git push b"]],
  ["command", ["git push a", "git push b"], ["git pull"], ["git push *"]],
  ["command", ["ls -l a b", "ls -l a c"], [], ["ls -l a *"]],
  ["command", ["echo * a", "echo * b"], [], ["echo \\* *"]],
  ["command", ["a b c", "a b cd"], [], ["a b *"]],
  ["text", ["src/a.ts", "src/b.ts"], [], ["src/*"]],
  ["text", ["/a", "/b"], [], ["/a", "/b"]],
  ["text", ["https://a.example", "https://a.example?"], [], ["https://a.example", "https://a.example\\?"]],
  ["text", ["see https://a/x", "see https://a/y"], [], ["see https://a/x", "see https://a/y"]],
] as const)("%s: the patterns of %j, where %j was refused, are %j", (kind, values, refused, globs) => {
  const found = findPatterns(values, refused, kind);
  expect(found.map(({ glob }) => glob)).toEqual(globs);
  expect(new Set(found.flatMap((one) => [...one.values]))).toEqual(new Set(values));
});

test.each<[readonly string[], readonly string[], "command" | "text", Record<string, string[]>]>([
  [["src/a/1", "src/a/2"], [], "text", { "src/a/*": ["src/a/1", "src/a/2"] }],
  [["src/ab", "src/ac"], [], "text", { "src/*": ["src/ab", "src/ac"] }],
  [["/a/1", "/a/2"], [], "text", { "/a/*": ["/a/1", "/a/2"] }],
  [["./a/1", "./a/2"], [], "text", { "./a/*": ["./a/1", "./a/2"] }],
  [["a/../1", "a/../2"], [], "text", { "a/../1": ["a/../1"], "a/../2": ["a/../2"] }],
  [["a", "b"], [], "text", { a: ["a"], b: ["b"] }],
  [
    ["https://a.org/1", "https://a.org/2", "https://b.org/1"],
    [],
    "text",
    { "https://a.org/*": ["https://a.org/1", "https://a.org/2"], "https://b.org/1": ["https://b.org/1"] },
  ],
  [
    ["https://a.org", "https://a.orgs"],
    [],
    "text",
    { "https://a.org": ["https://a.org"], "https://a.orgs": ["https://a.orgs"] },
  ],
  [["src/1", "src/2"], ["src/3"], "text", { "src/1": ["src/1"], "src/2": ["src/2"] }],
  [["src/1", "src/1"], [], "text", { "src/1": ["src/1"] }],
  [["git log a", "git log b"], ["git push"], "command", { "git log *": ["git log a", "git log b"] }],
  [["git log a", "git push b"], [], "command", { "git log a": ["git log a"], "git push b": ["git push b"] }],
  [["git log", "git log"], [], "command", { "git log": ["git log"] }],
])("the patterns of %j without %j are found", (values, refused, kind, patterns) => {
  expect(
    Object.fromEntries(findPatterns(values, refused, kind).map(({ glob, values: own }) => [glob, [...own]])),
  ).toEqual(patterns);
});

test("a shared pattern keeps the host of an address, the folder of a path and two words of a command", () => {
  const globsOf = (kind: "command" | "text", ...values: string[]) =>
    findPatterns(values, [], kind).map(({ glob }) => glob);
  expect(
    globsOf("text", "https://a.com/x/1", "https://a.com/x/2", "https://a.com.evil", "https://b.com/x"),
  ).toEqual(["https://a.com/x/*", "https://a.com.evil", "https://b.com/x"]);
  expect(globsOf("text", "src/a", "src/b", "src/../etc", "/etc/passwd")).toEqual([
    "src/*",
    "src/../etc",
    "/etc/passwd",
  ]);
  expect(globsOf("command", "git log -3", "git log -p", "git push a", "git")).toEqual([
    "git log *",
    "git push a",
    "git",
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
    fc.property(
      fc.constantFrom("command" as const, "text" as const),
      fc.array(fc.oneof(path, command)),
      fc.array(fc.oneof(path, command)),
      (kind, values, others) => {
        const refused = others.filter((other) => !values.includes(other));
        const found = findPatterns(values, refused, kind);
        for (const value of values) expect(found.some(({ glob }) => matches(glob, value))).toBe(true);
        for (const other of refused) expect(found.some(({ glob }) => matches(glob, other))).toBe(false);
      },
    ),
  );
});
