import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { findImport } from "../../src/import/find-import.ts";
import { importModule } from "../../src/import/import-module.ts";
import { setImportQuery } from "../../src/import/module-hooks.ts";
import { findTsconfig } from "../../src/import/tsconfig.ts";

type Files = Readonly<Record<string, string>>;

/** A folder of real files that lasts as long as the test. */
function folderOf(files: Files) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount import ")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  const write = (more: Files) => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    }
  };
  write(files);
  return { path, write };
}

/** Imports a file of a folder, and returns what it exports as `answer`. */
async function answerOf(files: Files, file = "tool.ts"): Promise<unknown> {
  const exported = await importModule(pathToFileURL(folderOf(files).path(file)).href);
  return exported["answer"];
}

const greet = { "lib/greet.ts": 'export const greet = (name: string) => "hello " + name;\n' };
const note = { "lib/note.ts": "export interface Note { readonly text: string }\nexport const none = 0;\n" };
const options = (compilerOptions: object) => ({ "tsconfig.json": JSON.stringify({ compilerOptions }) });
const greets = (from: string) => `import { greet } from "${from}";\nexport const answer = greet("ann");\n`;

interface Idiom {
  readonly files?: Files;
  readonly file?: string;
  readonly text: string;
  readonly answer: unknown;
}

/** A decorator of the standard, and one of `experimentalDecorators`, that doubles what a method returns. */
const standard =
  "const twice = (run: any, _: unknown) => function (this: any) { return run.call(this) * 2; };";
const legacy = `const twice = (_: any, __: string, d: PropertyDescriptor) => {
  const run = d.value;
  return { ...d, value() { return run.call(this) * 2; } };
};`;
const doubled = "class Box { @twice run() { return 2; } }\nexport const answer = new Box().run();\n";
const fields =
  "class Box { readonly two = this.one * 2; late?: string; static all; declare some: string; constructor(private readonly one: number) {} }\nexport const answer = [new Box(3).two, 'late' in new Box(1), 'all' in Box, 'some' in new Box(1)];\n";
const make =
  "const make = (tag: any, attributes: object, ...children: unknown[]) => ({ tag, ...attributes, children });\n";

const idioms: Readonly<Record<string, Idiom>> = {
  "an enum": {
    text: 'enum Level { Low = "low", High = "high" }\nexport const answer = Level.High;',
    answer: "high",
  },
  "a const enum": { text: "const enum Level { Low, High }\nexport const answer = Level.High;", answer: 1 },
  "a namespace": {
    text: "namespace Units { export const kilo = (n: number) => n * 1000; }\nexport const answer = Units.kilo(2);",
    answer: 2000,
  },
  "parameter properties": {
    text: "class Box { constructor(private readonly one: number, public two = 2) {} get sum() { return this.one + this.two; } }\nexport const answer = new Box(1).sum;",
    answer: 3,
  },
  "an import that ends with .js for a file that ends with .ts": {
    files: greet,
    text: greets("./lib/greet.js"),
    answer: "hello ann",
  },
  "an import without an ending": { files: greet, text: greets("./lib/greet"), answer: "hello ann" },
  "an import of a folder": {
    files: { ...greet, "lib/index.ts": 'export * from "./greet";\n' },
    text: greets("./lib"),
    answer: "hello ann",
  },
  "a type imported without `type`": {
    files: note,
    text: 'import { Note, none } from "./lib/note.ts";\nconst read = (note: Note) => note.text + none;\nexport const answer = read({ text: "a" });',
    answer: "a0",
  },
  "only types imported without `type`": {
    files: note,
    text: 'import { Note } from "./lib/note";\nconst read = (note: Note) => note.text;\nexport const answer = read({ text: "a" });',
    answer: "a",
  },
  "`paths` of a tsconfig with comments": {
    files: {
      ...greet,
      "tsconfig.json":
        '\uFEFF{\n  // aliases, "of" all\n  /* { */ "compilerOptions": { "paths": { "@/*": ["./lib/*"], }, },\n}',
    },
    text: greets("@/greet"),
    answer: "hello ann",
  },
  "`paths` of a tsconfig that another extends": {
    files: {
      ...greet,
      "base/tsconfig.base.json": '{ "compilerOptions": { "paths": { "~greet": ["../lib/greet.ts"] } } }',
      "tsconfig.json": '{ "extends": "./base/tsconfig.base" }',
    },
    text: greets("~greet"),
    answer: "hello ann",
  },
  "`paths` of a tsconfig that a package has": {
    files: {
      ...greet,
      "node_modules/base/package.json": '{ "name": "base", "exports": { "./strict": "./strict.json" } }',
      "node_modules/base/strict.json":
        '{ "compilerOptions": { "paths": { "~greet": ["../../lib/greet"] } } }',
      "tsconfig.json": '{ "extends": ["base/strict"] }',
    },
    text: greets("~greet"),
    answer: "hello ann",
  },
  "`paths` below a `baseUrl`": {
    files: { ...greet, ...options({ baseUrl: "./lib", paths: { "*": ["./none/*", "./*"] } }) },
    text: greets("greet"),
    answer: "hello ann",
  },
  "a package, where `paths` have no such file": {
    files: {
      ...options({ paths: { "*": ["./lib/*"] } }),
      "node_modules/greet/package.json": '{ "name": "greet", "type": "module", "exports": "./greet.js" }',
      "node_modules/greet/greet.js": 'export const greet = (name) => "package " + name;\n',
    },
    text: greets("greet"),
    answer: "package ann",
  },
  "decorators of the standard": { text: `${standard}\n${doubled}`, answer: 4 },
  "decorators of experimentalDecorators": {
    files: options({ experimentalDecorators: true }),
    text: `${legacy}\n${doubled}`,
    answer: 4,
  },
  "decorators of parameters": {
    files: options({ experimentalDecorators: true }),
    text: "const seen: unknown[] = [];\nconst Inject = (name: string) => (_: object, key: string | undefined, at: number) => void seen.push([name, key ?? null, at]);\nclass Box { constructor(@Inject('log') private readonly log: unknown) {} put(one: string, @Inject('key') key: string) { return key; } }\nexport const answer = seen;",
    answer: [
      ["key", "put", 1],
      ["log", null, 0],
    ],
  },
  "fields that are assigned after the parameters' properties, before ES2022": {
    files: options({ target: "es2021" }),
    text: fields,
    answer: [6, false, true, false],
  },
  "fields that are assigned, since a project says so": {
    files: options({ target: "esnext", useDefineForClassFields: false }),
    text: fields,
    answer: [6, false, true, false],
  },
  "fields that are assigned, by the oldest targets": {
    files: options({ target: "ES5" }),
    text: fields,
    answer: [6, false, true, false],
  },
  "fields that are defined": {
    files: options({ target: "ES2022" }),
    text: `${fields.replace("this.one * 2", "6")}enum Level { Low }\n`,
    answer: [6, true, true, false],
  },
  "a .tsx file": { file: "tool.tsx", text: "export const answer: number = 1;\n", answer: 1 },
  "JSX by functions of the project": {
    file: "tool.tsx",
    files: options({ jsx: "react", jsxFactory: "make", jsxFragmentFactory: "All" }),
    text: `${make}const All = "all";\nexport const answer = [<b id='x'>hi</b>, <></>];\n`,
    answer: [
      { tag: "b", id: "x", children: ["hi"] },
      { tag: "all", children: [] },
    ],
  },
  "JSX by a package of the project": {
    file: "tool.tsx",
    files: {
      ...options({ jsxImportSource: "own" }),
      "node_modules/own/package.json": '{ "name": "own", "exports": { "./jsx-runtime": "./jsx.mjs" } }',
      "node_modules/own/jsx.mjs": "export const jsx = (tag, { children }) => ({ tag, children });\n",
    },
    text: "export const answer = <b>hi</b>;\n",
    answer: { tag: "b", children: "hi" },
  },
  "JSON without an attribute": {
    files: { "facts.json": '{ "size": 3 }' },
    text: 'import facts from "./facts.json";\nexport const answer = facts.size;',
    answer: 3,
  },
  "CommonJS that requires a file without its ending": {
    file: "tool.cts",
    files: { "lib/size.cts": "enum Size { Large = 3 }\nmodule.exports = { size: Size.Large };\n" },
    text: 'enum Kind { A }\nconst { size } = require("./lib/size.cjs");\nexports.answer = [size, Kind.A];\n',
    answer: [3, 0],
  },
  "a module by its ending, in a package of CommonJS": {
    file: "tool.mts",
    files: { "package.json": '{ "type": "commonjs" }' },
    text: "enum Kind { A }\nexport const answer = [Kind.A, typeof module];\n",
    answer: [0, "undefined"],
  },
  "CommonJS by its package": {
    files: { "package.json": '{ "type": "commonjs" }' },
    text: "enum Kind { A }\nexports.answer = [Kind.A, typeof module];\n",
    answer: [0, "object"],
  },
  "CommonJS by its statements": {
    files: { "package.json": "{}" },
    text: "enum Kind { A }\nexports.answer = [Kind.A, typeof module, 'import a from b'];\n",
    answer: [0, "object", "import a from b"],
  },
};

describe("a module is any TypeScript", () => {
  test.each(Object.entries(idioms))("%s", async (_, { file = "tool.ts", files, text, answer }) => {
    await expect(answerOf({ ...files, [file]: text }, file)).resolves.toEqual(answer);
  });

  test("and JavaScript of its own, as Node reads it", async () => {
    await expect(answerOf({ "tool.mjs": "export const answer = 1;\n" }, "tool.mjs")).resolves.toBe(1);
    await expect(answerOf({ "tool.mjs": 'import "./gone";\n' }, "tool.mjs")).rejects.toThrow("gone");
  });

  test("a file that an import reaches is read again under another query", async () => {
    const { path, write } = folderOf({ ...greet, "tool.ts": greets("./lib/greet") });
    const read = async (query: string) =>
      (await importModule(`${pathToFileURL(path("tool.ts")).href}${query}`))["answer"];

    await expect(read("")).resolves.toBe("hello ann");
    write({ "lib/greet.ts": 'export const greet = (name: string) => "bye " + name;\n' });
    setImportQuery(path("lib/greet.ts"), "?2");
    await expect(read("?2")).resolves.toBe("bye ann");
  });

  test("what is no JSON in a project's file is named with the file", async () => {
    const files = { ...greet, "tsconfig.json": "{ compilerOptions }", "tool.ts": greets("@/greet") };
    await expect(answerOf(files)).rejects.toThrow(/tsconfig\.json is not valid: /);
  });
});

describe("the file that an import means", () => {
  const files = {
    "a.ts": "",
    "a.js": "",
    "b.tsx": "",
    "c.mts": "",
    "d.cts": "",
    "e/index.tsx": "",
    "f.json": "{}",
  };

  test.each([
    ["./a.ts", "a.ts"],
    ["./a.js", "a.js"],
    ["./a", "a.ts"],
    ["./b.js", "b.tsx"],
    ["./b.jsx", "b.tsx"],
    ["./c.mjs", "c.mts"],
    ["./d.cjs", "d.cts"],
    ["./e", "e/index.tsx"],
    ["./f", "f.json"],
    [".", undefined],
    ["./gone", undefined],
    ["a", undefined],
    ["./a.ts/x", undefined],
  ])("%s is %s", (specifier, found) => {
    const { path } = folderOf(files);
    expect(findImport(specifier, path("tool.ts"))).toBe(found && path(found));
  });

  test("a script finds no TypeScript, and an absolute path is one", () => {
    const { path } = folderOf(files);
    expect(findImport("./b.js", path("tool.js"))).toBeUndefined();
    expect(findImport("./a", path("tool.js"))).toBe(path("a.js"));
    expect(findImport(path("a"), path("tool.js"))).toBe(path("a.js"));
    expect(findImport("@/a", path("tool.js"))).toBeUndefined();
  });
});

describe("the project of a file", () => {
  const paths = {
    "*": ["./any/*"],
    "a*z": ["./az/*"],
    "ab*": ["./ab/*"],
    abz: ["./exact"],
    "x*x": ["./xx/*"],
  };

  test.each([
    ["abz", "exact"],
    ["abcz", "ab/cz"],
    ["az", "az/"],
    ["ayz", "az/y"],
    ["x", "any/x"],
    ["xx", "xx/"],
    ["other/b", "any/other/b"],
  ])("maps %s to %s", (specifier, target) => {
    const { path } = folderOf({ ...options({ paths }), "src/deep/tool.ts": "" });
    expect(findTsconfig(path("src/deep/tool.ts"))?.targetsOf(specifier)).toEqual([join(path(target))]);
  });

  test("is the nearest one, with what it extends below it, and each file once", () => {
    const { path } = folderOf({
      "tsconfig.json": '{ "extends": ["./one", "./two.json"], "compilerOptions": { "jsx": "react" } }',
      "one.json":
        '{ "extends": "./tsconfig.json", "compilerOptions": { "target": "es2020", "jsx": "preserve" } }',
      "two.json": '{ "compilerOptions": { "target": "es2021" } }',
    });
    const project = findTsconfig(path("tool.ts"));
    expect(project?.files).toEqual(["one.json", "two.json", "tsconfig.json"].map(path));
    expect(project?.options).toEqual({ target: "es2021", jsx: "react" });
    expect(project?.targetsOf("a")).toEqual([]);
  });

  test("is read again only after one of its files changed", () => {
    const { path, write } = folderOf({
      "tsconfig.json": '{ "extends": "./base.json" }',
      "base.json": '{ "compilerOptions": { "target": "es2020" } }',
    });
    const first = findTsconfig(path("tool.ts"));
    expect(findTsconfig(path("tool.ts"))).toBe(first);
    write({ "base.json": '{ "compilerOptions": { "target": "es2021" } }' });
    utimesSync(path("base.json"), 1, 1);
    expect(findTsconfig(path("tool.ts"))?.options.target).toBe("es2021");
  });
});
