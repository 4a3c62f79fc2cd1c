import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { createGlob, type Settings } from "@toolmount/tool-search";
import { expect, test } from "vitest";
import { createNotes } from "../src/ripgrep/notes.ts";
import { scratch } from "./scratch.ts";

type Folder = ReturnType<typeof scratch>;

function glob(folder: Folder, params: object, settings: Settings = {}) {
  return createGlob({ working_dir: folder.base, ...settings }).execute(params);
}

/** The paths that were reported, sorted. */
async function found(folder: Folder, params: object, settings?: Settings): Promise<string[]> {
  const answer = await glob(folder, params, settings);
  expect(answer.error).toBeUndefined();
  return answer.data!.matches.map(({ path }) => path).toSorted();
}

const project = {
  "a.ts": "1",
  "src/b.ts": "22",
  "src/deep/c.test.ts": "333",
  "src/deep/d.md": "4444",
  ".hidden/e.ts": "5",
  "node_modules/x/f.ts": "6",
  "[set]/g{1,2}.txt": "7",
};

test.each([
  { pattern: "*.ts", paths: ["a.ts"] },
  { pattern: "**/*.ts", paths: [".hidden/e.ts", "a.ts", "src/b.ts", "src/deep/c.test.ts"] },
  { pattern: "src/**", paths: ["src/b.ts", "src/deep/c.test.ts", "src/deep/d.md"] },
  { pattern: "src/*", paths: ["src/b.ts"] },
  { pattern: "./src/?.ts", paths: ["src/b.ts"] },
  { pattern: "**/{c,d}.*", paths: ["src/deep/c.test.ts", "src/deep/d.md"] },
  { pattern: "{a,src/b}.ts", paths: ["a.ts", "src/b.ts"] },
  { pattern: "src/{,deep/}*.{ts,md}", paths: ["src/b.ts", "src/deep/c.test.ts", "src/deep/d.md"] },
  { pattern: "{**/d.md,a.ts}", paths: ["a.ts", "src/deep/d.md"] },
  { pattern: "[a-b].ts", paths: ["a.ts"] },
  { pattern: "src/[!a].ts", paths: ["src/b.ts"] },
  { pattern: "\\[set\\]/g\\{1,2\\}.txt", paths: ["[set]/g{1,2}.txt"] },
  { pattern: "[[]set]/*", paths: ["[set]/g{1,2}.txt"] },
  { pattern: "*.TS", paths: [] },
  { pattern: "**/e.ts/", paths: [] },
])("$pattern finds $paths", async ({ pattern, paths }) => {
  expect(await found(scratch(project), { pattern })).toEqual(paths);
});

test("what is reported a search: where, how many, and of each path its type and size", async () => {
  expect((await glob(scratch(project), { pattern: "src/*.ts" })).data).toEqual({
    pattern: "src/*.ts",
    base_path: ".",
    total_files: 1,
    count: 1,
    matches: [{ path: "src/b.ts", type: "file", size: 2 }],
  });
});

test("what was written last comes first", async () => {
  const folder = scratch({ "a.txt": "", "b.txt": "", "sub/c.txt": "" });
  utimesSync(folder.path("a.txt"), 2000, 2000);
  utimesSync(folder.path("b.txt"), 3000, 3000);
  utimesSync(folder.path("sub/c.txt"), 1000, 1000);
  const { data } = await glob(folder, { pattern: "**/*.txt" });

  expect(data!.matches.map(({ path }) => path)).toEqual(["b.txt", "a.txt", "sub/c.txt"]);
});

test.each([
  { type: "dir", paths: ["src", "src/deep"] },
  { type: "any", paths: ["src", "src/b.ts", "src/deep", "src/deep/c.test.ts", "src/deep/d.md"] },
])("$type finds $paths", async ({ type, paths }) => {
  expect(await found(scratch(project), { pattern: "{src,src/**}", type })).toEqual(paths);
});

test.each([
  { exclude: ["*.md"], paths: ["src/b.ts", "src/deep/c.test.ts"] },
  { exclude: ["deep"], paths: ["src/b.ts"] },
  { exclude: ["src/deep/"], paths: ["src/b.ts"] },
  { exclude: ["/src"], paths: [] },
  { exclude: ["**/*.test.*", "d.md"], paths: ["src/b.ts"] },
  { exclude: ["!b.ts"], paths: ["src/b.ts", "src/deep/c.test.ts", "src/deep/d.md"] },
])("without $exclude there are $paths", async ({ exclude, paths }) => {
  expect(await found(scratch(project), { pattern: "src/**", exclude })).toEqual(paths);
});

test("what ignore files name is found only where it is asked for", async () => {
  const folder = scratch({ ".gitignore": "*.log\n", "a.log": "", "b.txt": "", "build/c.txt": "" });

  expect(await found(folder, { pattern: "**/*.{log,txt}" })).toEqual(["b.txt"]);
  expect(await found(folder, { pattern: "**/*.{log,txt}", include_ignored: true })).toEqual([
    "a.log",
    "b.txt",
    "build/c.txt",
  ]);
});

test("links are neither reported nor followed", async () => {
  const folder = scratch({ "real/a.txt": "" });
  symlinkSync("real", folder.path("link"));
  symlinkSync("real/a.txt", folder.path("b.txt"));
  symlinkSync("..", folder.path("real/up"));

  expect(await found(folder, { pattern: "**", type: "any" })).toEqual(["real", "real/a.txt"]);
  expect(await found(folder, { pattern: "*", path: "link" })).toEqual(["link/a.txt"]);
});

test("a folder with nothing in it is not reported", async () => {
  const folder = scratch({ "a/b.txt": "" });
  mkdirSync(folder.path("empty"));

  expect(await found(folder, { pattern: "*", type: "dir" })).toEqual(["a"]);
});

test("paths that are no UTF-8 are counted, not named", async () => {
  const folder = scratch({ "a/b.txt": "x" });
  const odd = (name: string) => Buffer.from(folder.path(name), "latin1");
  mkdirSync(odd("a/d\xff"));
  for (const name of ["a/c\xe9.txt", "a/d\xff/e.txt", "a/d\xff/f.txt"]) writeFileSync(odd(name), "x");
  const why = "their names are not UTF-8";

  expect(await glob(folder, { pattern: "**/*.txt" })).toMatchObject({
    data: { matches: [{ path: "a/b.txt" }] },
    omitted: [{ what: "paths that fit", amount: "3 paths", why }],
  });
  expect(await glob(folder, { pattern: "**/*", type: "dir" })).toMatchObject({
    data: { matches: [{ path: "a" }] },
    omitted: [{ what: "paths that fit", amount: "1 paths", why }],
  });
});

test("there are no more paths than a plan says, and that is reported", async () => {
  const folder = scratch({ a: "", b: "", c: "", d: "", e: "", f: "" });

  expect((await glob(folder, { pattern: "*" }, { max_results: 4 })).data).toMatchObject({
    total_files: 6,
    count: 4,
    results_capped: true,
  });
  expect((await glob(folder, { pattern: "*" }, { max_results: 6 })).data).not.toHaveProperty(
    "results_capped",
  );
});

test.each([
  { params: {}, error: "Pattern is required", code: "INVALID_ARGUMENTS" },
  { params: { pattern: "" }, error: "Pattern is required", code: "INVALID_ARGUMENTS" },
  { params: { pattern: "*", path: "gone" }, error: "Path not found: gone", code: "NOT_FOUND" },
  { params: { pattern: "*", path: "a.txt" }, error: "Not a directory: a.txt", code: "NOT_A_DIRECTORY" },
  {
    params: { pattern: "*", path: ".." },
    error: "Access denied: .. is not within allowed read paths",
    code: "ACCESS_DENIED",
  },
  {
    params: { pattern: "/etc/*" },
    error: "Invalid pattern: /etc/*: it is absolute; give the folder as path, and the pattern relative to it",
    code: "INVALID_PATTERN",
  },
  {
    params: { pattern: "a/../../b" },
    error: "Invalid pattern: a/../../b: it has ..; give the folder as path, and the pattern relative to it",
    code: "INVALID_PATTERN",
  },
  { params: { pattern: "a[b" }, error: "Invalid pattern: a[b: a [ is not closed", code: "INVALID_PATTERN" },
  { params: { pattern: "a{b" }, error: "Invalid pattern: a{b: a { is not closed", code: "INVALID_PATTERN" },
  {
    params: { pattern: "a\\" },
    error: "Invalid pattern: a\\: nothing stands after the last \\",
    code: "INVALID_PATTERN",
  },
  {
    params: { pattern: "[z-a]" },
    error: "Invalid pattern: [z-a]: it cannot be understood",
    code: "INVALID_PATTERN",
  },
])("$params answers $error", async ({ params, error, code }) => {
  expect(await glob(scratch({ "a.txt": "" }), params)).toMatchObject({ error, code });
});

test.each([
  "{1..9999999}",
  "{a,b}".repeat(199),
  "{".repeat(11) + "a" + "}".repeat(11),
  "*a".repeat(499),
  "**/".repeat(333),
  "[a-z]*".repeat(160),
  "?*".repeat(499),
])("a pattern that is made to take for ever does not: %s", async (pattern) => {
  const folder = scratch({ [`${"a".repeat(250)}/${"a".repeat(250)}/${"a".repeat(250)}`]: "" });
  const answer = await glob(folder, { pattern }, { glob: { timeout: 10 } });

  expect(["INVALID_PATTERN", undefined]).toContain(answer.code);
});

test("a pattern that is an existing path is that path, whatever its signs mean elsewhere", async () => {
  const folder = scratch({
    "app/[slug]/page.tsx": "",
    "app/s/page.tsx": "",
    "docs/[[...rest]]/page.tsx": "",
    "odd[name.txt": "",
  });

  expect(await found(folder, { pattern: "app/[slug]/page.tsx" })).toEqual(["app/[slug]/page.tsx"]);
  expect(await found(folder, { pattern: "./docs/[[...rest]]/page.tsx" })).toEqual([
    "docs/[[...rest]]/page.tsx",
  ]);
  expect(await found(folder, { pattern: "odd[name.txt" })).toEqual(["odd[name.txt"]);
  expect(await found(folder, { pattern: "app/[slug]/*.tsx" })).toEqual([
    "app/[slug]/page.tsx",
    "app/s/page.tsx",
  ]);
  expect(await found(folder, { pattern: "app/[q-t]/page.tsx" })).toEqual(["app/s/page.tsx"]);
});

test.each([
  ["*.md", undefined],
  ["src/*.md", undefined],
  ["old/*.md", "old"],
  ["old/x/y/*.md", "old"],
  ["*/x.md", "node_modules, old"],
  ["**/*.md", "node_modules, old"],
  ["{a,old}/b.md", "node_modules, old"],
])("the ignored folders in which %s may be are named: %s", async (pattern, names) => {
  const folder = scratch({ ".ignore": "old\n", "old/x.md": "", "node_modules/x.md": "", "a.txt": "" });
  const { omitted } = await glob(folder, { pattern });

  expect(omitted?.map(({ why }) => why)).toEqual(
    names === undefined ? undefined : [`ignore files or exclusions name ${names}`],
  );
});

test("what the engine says of a path is divided from errors of the search, also where a name has a line end", async () => {
  const { notes, read } = createNotes();
  const lines = [
    "rg: DEBUG|ignore::walk|walk.rs:1: ignoring ./a: b: 3 bytes",
    "rg: DEBUG|ignore::walk|walk.rs:1: ignoring ./new",
    "line: Ignore(IgnoreMatch(Gitignore(Glob {})))",
    "rg: DEBUG|ignore::walk|walk.rs:1: ignoring ./x.py: Ignore(IgnoreMatch(Types(Glob(UnmatchedIgnore))))",
    "rg: ./closed: Permission denied (os error 13)",
    "rg: DEBUG|grep_printer::json|json.rs:1: ignoring ./b: found binary data at offset 3",
    "rg: regex parse error:",
    "    (?:foo()",
  ];

  expect(lines.map(read)).toEqual([true, true, true, true, true, true, false, false]);
  expect(notes).toEqual({
    large: ["a: b"],
    binary: ["b"],
    ignored: ["new\nline"],
    unreadable: 1,
    isHeard: true,
  });
});
