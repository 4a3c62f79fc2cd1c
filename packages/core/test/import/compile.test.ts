import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileTypeScript } from "../../src/import/compile.ts";
import { needsCompiler } from "../../src/import/needs-compiler.ts";

const root = join(import.meta.dirname, "../../src");
const sources = globSync("{call,schema,text}/*.ts", { cwd: root }).map((file) => ({
  file,
  text: readFileSync(join(root, file), "utf8"),
}));

test("each function of a compiled file begins on the line of its source", () => {
  const begun = /^(?:export )?(?:async )?function (\w+)\(.*\{$/;
  const moved = sources.flatMap(({ file, text }) => {
    const compiled = compileTypeScript(join(root, file), text).split("\n");
    return text.split("\n").flatMap((line, at) => {
      const name = begun.exec(line)?.[1] ?? "";
      return name === "" || compiled[at]?.includes(name) === true ? [] : [`${file}:${at + 1}`];
    });
  });
  expect(moved).toEqual([]);
});

describe("a compiler is needed", () => {
  test("by no file of which the types can be taken out", () => {
    expect(sources.filter(({ text }) => needsCompiler(text, ".ts")).map(({ file }) => file)).toEqual([]);
  });

  test.each([
    ["a name that only a comment has", 'import { A } from "./a.ts";\n// A\n'],
    ["a name that only a text has", 'import { A } from "./a.ts";\nexport const a = "A";\n'],
    ["a name beside one that is used", 'import b, { A, type C } from "./a.ts";\nexport const a: A = b;\n'],
    ["a name that is given another", 'import { b as A } from "./a.ts";\nexport let a: A;\n'],
    ["the names of a module as a type", 'import * as A from "./a.ts";\nexport let a: A.B;\n'],
    ["a decorator", "@a class B {}\n"],
    ["an enum", "enum A { B }\n"],
  ])("for %s", (_, text) => {
    expect(needsCompiler(text, ".ts")).toBe(true);
  });

  test.each([
    ["a name in a template", 'import { A } from "./a.ts";\nexport const a = `${A}`;\n'],
    ["a type that says so", 'import { type A } from "./a.ts";\nexport let a: A;\n'],
    ["an address with @", 'export const a = "a@b"; // @see\nexport const b = /@/;\n'],
    ["what is no TypeScript", "const a = = 1;\n"],
  ])("but not for %s", (_, text) => {
    expect(needsCompiler(text, ".ts")).toBe(false);
  });
});
