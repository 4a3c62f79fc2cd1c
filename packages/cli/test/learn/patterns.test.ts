import { expect, test } from "vitest";
import { findPatterns } from "../../src/learn/patterns.ts";

test.each([
  ["command", ["git push", "git push"], [], ["git push"]],
  ["command", ["git push a", "git push b"], [], ["git push *"]],
  ["command", ["git  push a", "git push b"], [], ["git  push a", "git push b"]],
  ["command", [" git push a", " git push b"], [], [" git push *"]],
  ["command", ["git push\ta", "git push\tb"], [], ["git push\ta", "git push\tb"]],
  ["command", ["git push a", "git pull a"], [], ["git push a", "git pull a"]],
  ["command", ["git push a", "git push b"], ["git push c"], ["git push a", "git push b"]],
  ["command", ["git push a", "git push b"], ["git pull"], ["git push *"]],
  ["command", ["ls -l a b", "ls -l a c"], [], ["ls -l a *"]],
  ["command", ["echo * a", "echo * b"], [], ["echo \\* *"]],
  ["command", ["a b c", "a b cd"], [], ["a b *"]],
  ["text", ["src/a.ts", "src/b.ts"], [], ["src/*"]],
  ["text", ["src/a/x", "src/a/y"], [], ["src/a/*"]],
  ["text", ["src/../a", "src/../b"], [], ["src/../a", "src/../b"]],
  ["text", ["./src/a", "./src/b"], [], ["./src/*"]],
  ["text", ["/etc/a", "/etc/b"], [], ["/etc/*"]],
  ["text", ["/a", "/b"], [], ["/a", "/b"]],
  ["text", ["one", "two"], [], ["one", "two"]],
  ["text", ["https://a.example/x", "https://a.example/y"], [], ["https://a.example/*"]],
  [
    "text",
    ["https://a.example/x", "https://b.example/x"],
    [],
    ["https://a.example/x", "https://b.example/x"],
  ],
  ["text", ["https://a.example", "https://a.example?"], [], ["https://a.example", "https://a.example\\?"]],
  ["text", ["see https://a/x", "see https://a/y"], [], ["see https://a/x", "see https://a/y"]],
] as const)("%s: the patterns of %j, where %j was refused, are %j", (kind, values, refused, globs) => {
  const found = findPatterns(values, refused, kind);
  expect(found.map(({ glob }) => glob)).toEqual(globs);
  expect(new Set(found.flatMap((one) => [...one.values]))).toEqual(new Set(values));
});
