import { expect, test } from "vitest";
import { parseSettings } from "../../src/scaffold/parse-settings.ts";

test.each<[string, string, unknown]>([
  ["JSON with comments", '// a\n{"a": 1, /* b */ "b": [2,],}', { a: 1, b: [2] }],
  [
    "TOML",
    "# of Codex\nmodel = 'm'\n[a.'b c']\nd = [\n  1, # one\n]\n",
    { model: "m", a: { "b c": { d: [1] } } },
  ],
  ["TOML of other sections", "[[hooks]]\nsince = 2026-01-01\ntext = '''x'''\n[a]\nb = 1", { a: { b: 1 } }],
  ["YAML", "# of Goose\na:\n  b: &c { d: 1 }\n  e: *c\n", { a: { b: { d: 1 }, e: { d: 1 } } }],
  ["YAML with a line before it", "---\na: 1\n", { a: 1 }],
])("%s is read", async (_, text, value) => {
  expect(await parseSettings(text)).toMatchObject(value as object);
});

const bomb = ["a: &a [x, x, x]", ..."bcdefghijkl".split("").map((name, at) => bombLine(name, at))].join("\n");

function bombLine(name: string, at: number): string {
  const before = "abcdefghijkl"[at]!;
  return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`;
}

test.each([
  ["{", "the list is not JSON: close brace expected in line 1, column 2"],
  ["a = 1\nb = ", "the list is not TOML: "],
  ["a = 1\nb = ", " in line 2, column "],
  ["a: [1", "the list is not YAML: "],
  ["a: [1", " at line 1, column "],
  [bomb, "the list is not YAML that can be read: its aliases have no end"],
  ["{".repeat(100_000), "the list is not JSON: "],
])("an error in number $# says what and where", async (text, problem) => {
  await expect(parseSettings(text)).rejects.toMatchObject({
    code: "USAGE_INVALID",
    message: expect.stringContaining(problem) as string,
  });
});
