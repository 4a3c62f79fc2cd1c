import { symlinkSync, writeFileSync } from "node:fs";
import { createGrep, type Settings } from "@toolmount/tool-search";
import { expect, test } from "vitest";
import { grepIn } from "../src/grep.ts";
import { openSearcher } from "../src/searcher.ts";
import { scratch } from "./scratch.ts";

type Folder = ReturnType<typeof scratch>;

function grep(folder: Folder, params: object, settings: Settings = {}) {
  return createGrep({ working_dir: folder.base, ...settings }).execute(params);
}

const project = {
  "src/a.ts": "one\nneedle two\nthree\nfour needle\nfive\n",
  "src/b.py": "Needle\n",
  "docs/c.md": "no such thing\n",
  "node_modules/x/index.js": "needle\n",
};

test("the files that hold a match are reported, in the order of their paths, past what is excluded", async () => {
  const folder = scratch({ ...project, "a.txt": "needle" });

  expect((await grep(folder, { pattern: "needle" })).data).toEqual({
    pattern: "needle",
    output_mode: "files_with_matches",
    total_matches: 2,
    matches_count: 2,
    files: ["a.txt", "src/a.ts"],
  });
});

test("content reports each line with its number", async () => {
  const answer = await grep(scratch(project), { pattern: "needle", output_mode: "content" });

  expect(answer.data).toMatchObject({
    total_matches: 2,
    results: [
      { file: "src/a.ts", line_number: 2, content: "needle two" },
      { file: "src/a.ts", line_number: 4, content: "four needle" },
    ],
  });
});

test("count reports how many lines match in each file, and their sum", async () => {
  const answer = await grep(scratch(project), { pattern: "needle", output_mode: "count", "-i": true });

  expect(answer.data).toMatchObject({
    total_matches: 3,
    matches_count: 3,
    counts: { "src/a.ts": 2, "src/b.py": 1 },
  });
});

test("lines around matches are reported, each once, and without those that match themselves", async () => {
  const answer = await grep(scratch(project), { pattern: "needle", output_mode: "content", "-C": 1 });

  expect(answer.data).toMatchObject({
    results: [
      {
        line_number: 2,
        context: [
          { line_number: 1, content: "one" },
          { line_number: 3, content: "three" },
        ],
      },
      { line_number: 4, context: [{ line_number: 5, content: "five" }] },
    ],
  });
});

test.each([
  { params: { "-A": 1 }, numbers: [3, 5] },
  { params: { "-B": 2 }, numbers: [1, 3] },
  { params: { "-A": 2, "-B": 1 }, numbers: [1, 3, 5] },
  { params: { "-C": 9, "-A": 0 }, numbers: [1, 3] },
])("with $params the lines $numbers are beside the matches", async ({ params, numbers }) => {
  const answer = await grep(scratch(project), { pattern: "needle", output_mode: "content", ...params });
  const { results } = answer.data as { results: { context: { line_number: number }[] }[] };

  expect(results.flatMap(({ context }) => context.map((line) => line.line_number))).toEqual(numbers);
});

test("without -n there are no line numbers", async () => {
  const params = { pattern: "needle two", output_mode: "content", "-n": false, "-A": 1 };

  expect((await grep(scratch(project), params)).data).toMatchObject({
    results: [{ file: "src/a.ts", content: "needle two", context: [{ content: "three" }] }],
  });
});

test("results are reported a page at a time, to their end", async () => {
  const folder = scratch({ "a.txt": "x1\nx2\nx3\n", "b.txt": "x4\nx5\n" });
  const params = { pattern: "x", output_mode: "content", head_limit: 2 };
  const pages: string[][] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { data } = await grep(folder, { ...params, offset });
    const page = data as { results: { content: string }[]; next_offset?: number; total_matches: number };
    expect(page.total_matches).toBe(5);
    pages.push(page.results.map(({ content }) => content));
    offset = page.next_offset;
  }

  expect(pages).toEqual([["x1", "x2"], ["x3", "x4"], ["x5"]]);
});

test("a limit that was reached is reported, one that just fits is not", async () => {
  const folder = scratch({ "a.txt": "x", "b.txt": "x", "c.txt": "x" });
  const limited = { grep: { default_limits: { files_with_matches: 2 } } };

  expect((await grep(folder, { pattern: "x" }, limited)).data).toMatchObject({
    results_capped: true,
    matches_count: 2,
  });
  expect((await grep(folder, { pattern: "x", head_limit: 3 }, limited)).data).not.toHaveProperty(
    "results_capped",
  );
  expect((await grep(folder, { pattern: "x", head_limit: 0 }, limited)).data).toMatchObject({
    matches_count: 3,
  });
});

test("an answer is never larger than it may be, and the rest is a page on", async () => {
  const folder = scratch({ "a.txt": "needle and hay\n".repeat(1000) });
  const params = { pattern: "needle", output_mode: "content", head_limit: 0 };
  const { data } = await grep(folder, params, { max_output_bytes: 5000 });

  expect(JSON.stringify(data).length).toBeLessThan(6000);
  expect(data).toMatchObject({ total_matches: 1000, results_capped: true });
});

test.each(["--files", "-e", "-f/etc/passwd", "--pre=sh", "-", "--", "--no-ignore"])(
  "a pattern that begins with a dash is a pattern: %s",
  async (pattern) => {
    const folder = scratch({ "a.txt": `x ${pattern} y\n`, "b.txt": "nothing\n" });

    expect((await grep(folder, { pattern })).data).toMatchObject({ files: ["a.txt"] });
  },
);

test("a path that begins with a dash is a path", async () => {
  const folder = scratch({ "-rf/a.txt": "x", "--files": "x" });

  expect((await grep(folder, { pattern: "x", path: "-rf" })).data).toMatchObject({ files: ["-rf/a.txt"] });
  expect((await grep(folder, { pattern: "x", path: "--files" })).data).toMatchObject({ files: ["--files"] });
});

test("a match over several lines is found where it is asked for", async () => {
  const folder = scratch({ "a.txt": "zero\none\ntwo\nthree\n" });
  const params = { pattern: "one.*three", output_mode: "content" };

  expect((await grep(folder, params)).data).toMatchObject({ total_matches: 0 });
  expect((await grep(folder, { ...params, multiline: true, "-C": 1 })).data).toMatchObject({
    results: [{ line_number: 2, content: "one\ntwo\nthree", context: [{ line_number: 1, content: "zero" }] }],
  });
});

test.each([
  { pattern: "(", says: "unclosed group" },
  { pattern: "a{2,1}", says: "invalid" },
  { pattern: "(?=a)", says: "look-around" },
  { pattern: "[z-a]", says: "invalid character class range" },
  { pattern: "a\nb", says: "set multiline to true" },
  { pattern: "((a{900}){900}){900}", says: "size limit" },
])("$pattern is no regular expression, and the answer says why: $says", async ({ pattern, says }) => {
  const answer = await grep(scratch({ "a.txt": "a" }), { pattern });

  expect(answer).toMatchObject({ code: "INVALID_PATTERN" });
  expect(answer.error).toMatch(/^Invalid regex pattern: /);
  expect(answer.error).toContain(says);
  expect(answer.error).not.toContain("pcre2");
});

test.each(["(a+)+$", "(a|a)*b", "(.*a){20}", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
  "a pattern that is made to take for ever does not: %s",
  async (pattern) => {
    const folder = scratch({ "a.txt": `${"a".repeat(50_000)}!` });

    expect((await grep(folder, { pattern }, { grep: { timeout: 10 } })).error).toBeUndefined();
  },
);

test.each(["ts", "typescript", "TypeScript", ".ts"])("the type %s is known", async (type) => {
  const folder = scratch({ "a.ts": "x", "b.py": "x" });

  expect((await grep(folder, { pattern: "x", type })).data).toMatchObject({ files: ["a.ts"] });
});

test("a type that no one knows is reported with those there are", async () => {
  const answer = await grep(scratch(), { pattern: "x", type: "toString" });

  expect(answer.code).toBe("INVALID_TYPE");
  expect(answer.error).toMatch(
    /^Unrecognized file type: 'toString'\. Valid types: ada, .*rust.* Also accepts aliases: .*typescript/,
  );
});

test.each([
  { glob: "*.ts", files: ["a.ts", "src/b.test.ts", "src/b.ts"] },
  { glob: "src/*.ts", files: ["src/b.test.ts", "src/b.ts"] },
  { glob: "**/*.{ts,md}", files: ["a.ts", "docs/c.md", "src/b.test.ts", "src/b.ts"] },
  { glob: "!*.ts", files: ["docs/c.md"] },
  { glob: "!*.test.ts", files: ["a.ts", "docs/c.md", "src/b.ts"] },
  { glob: "/a.ts", files: ["a.ts"] },
  { glob: "b*", files: ["src/b.test.ts", "src/b.ts"] },
  { glob: "[!a]*", files: ["docs/c.md", "src/b.test.ts", "src/b.ts"] },
])("the glob $glob leaves $files", async ({ glob, files }) => {
  const folder = scratch({ "a.ts": "x", "src/b.ts": "x", "src/b.test.ts": "x", "docs/c.md": "x" });

  expect((await grep(folder, { pattern: "x", glob })).data).toMatchObject({ files });
});

test("a glob does not find what is ignored, and include_ignored does", async () => {
  const folder = scratch({ ".gitignore": "*.log\n", "a.log": "x", "b.txt": "x", "dist/c.log": "x" });

  expect((await grep(folder, { pattern: "x", glob: "*.log" })).data).toMatchObject({ files: [] });
  expect((await grep(folder, { pattern: "x", glob: "*.log", include_ignored: true })).data).toMatchObject({
    files: ["a.log", "dist/c.log"],
  });
});

test("hidden files are searched, and what a plan excludes is not", async () => {
  const folder = scratch({ ".github/ci.yml": "x", ".git/config": "x", "old/a.txt": "x" });

  expect((await grep(folder, { pattern: "x" }, { exclusions: [".git", "old"] })).data).toMatchObject({
    files: [".github/ci.yml"],
  });
});

test.each([
  { title: "UTF-8 with a mark", bytes: Buffer.from("\ufeffone\ntwo needle \u00fc\n") },
  { title: "UTF-16", bytes: Buffer.from("\ufeffone\ntwo needle \u00fc\n", "utf16le") },
  {
    title: "UTF-16, big end first",
    bytes: Buffer.from("\ufeffone\ntwo needle \u00fc\n", "utf16le").swap16(),
  },
])("$title is read as text", async ({ bytes }) => {
  const folder = scratch({ "a.txt": bytes });

  expect((await grep(folder, { pattern: "needle", output_mode: "content" })).data).toMatchObject({
    results: [{ line_number: 2, content: "two needle \u00fc" }],
  });
});

test("bytes that are no UTF-8 do not hide a match, and line ends do not belong to a line", async () => {
  const folder = scratch({
    "a.txt": Buffer.from("caf\xe9 needle\r\nnext\r\n", "latin1"),
    "b.bin": Buffer.from("needle\0\n"),
  });
  const params = { pattern: "needle$", output_mode: "content", "-A": 1 };

  expect((await grep(folder, params)).data).toMatchObject({
    total_matches: 1,
    results: [{ content: "caf\u00e9 needle", context: [{ content: "next" }] }],
  });
});

test("of a long line the part with the match is reported", async () => {
  const folder = scratch({ "a.js": `${"a".repeat(100_000)}needle${"b".repeat(100_000)}\n` });
  const { data } = await grep(folder, { pattern: "needle", output_mode: "content" });
  const [{ content }] = (data as { results: [{ content: string }] }).results;

  expect(content.length).toBeLessThan(2100);
  expect(content).toMatch(/^\[truncated\] \.\.\. a+needleb+\.\.\. \[truncated\]$/);
});

test("files over the limit are not searched", async () => {
  const folder = scratch({ "a.txt": "x".repeat(2000), "b.txt": "x" });

  expect((await grep(folder, { pattern: "x" }, { grep: { max_file_size: 1000 } })).data).toMatchObject({
    files: ["b.txt"],
  });
});

test("one file can be searched, also one that is ignored", async () => {
  const folder = scratch({ ".gitignore": "a.log", "a.log": "x\n" });

  expect((await grep(folder, { pattern: "x", path: "a.log" })).data).toMatchObject({ files: ["a.log"] });
});

test("results begin with the path as it was given", async () => {
  const folder = scratch(project);
  symlinkSync("src", folder.path("link"));

  for (const path of ["src", "./src/", folder.path("src"), "link"]) {
    const { data } = await grep(folder, { pattern: "needle", path });
    const [file] = (data as { files: [string] }).files;
    expect(file).toBe(path.replace("./src/", "src").concat("/a.ts"));
  }
});

test("links are not followed", async () => {
  const folder = scratch({ "real/a.txt": "x" });
  symlinkSync("real", folder.path("link"));
  symlinkSync("real/a.txt", folder.path("b.txt"));

  expect((await grep(folder, { pattern: "x" })).data).toMatchObject({ files: ["real/a.txt"] });
});

test.each([
  { params: {}, error: "Pattern is required", code: "INVALID_ARGUMENTS" },
  { params: { pattern: "" }, error: "Pattern is required", code: "INVALID_ARGUMENTS" },
  { params: { pattern: "x", path: "gone" }, error: "Path not found: gone", code: "NOT_FOUND" },
  {
    params: { pattern: "x", path: "/etc" },
    error: "Access denied: /etc is not within allowed read paths",
    code: "ACCESS_DENIED",
  },
  {
    params: { pattern: "x", glob: "{a" },
    error: "Invalid pattern: {a: a { is not closed",
    code: "INVALID_PATTERN",
  },
])("$params answers $error", async ({ params, error, code }) => {
  expect(await grep(scratch({ "a.txt": "x" }), params)).toMatchObject({ error, code });
});

test.each([
  { pattern: 1 },
  { pattern: "x", output_mode: "lines" },
  { pattern: "x", "-A": -1 },
  { pattern: "x", head_limit: 1.5 },
  { pattern: "x", offset: -1 },
  { pattern: "x", "-z": true },
  { pattern: "x".repeat(10_001) },
])("%o is refused", async (params) => {
  expect(await grep(scratch(), params)).toMatchObject({ code: "INVALID_ARGUMENTS" });
});

test("a file whose name is no UTF-8 is reported, not named", async () => {
  const folder = scratch({ "a.txt": "x" });
  writeFileSync(Buffer.concat([Buffer.from(folder.path("b")), Buffer.from([0xff])]), "x");

  expect(await grep(folder, { pattern: "x" })).toMatchObject({
    data: { files: ["a.txt"] },
    omitted: [{ what: "files with matches", amount: "1 files", why: "their names are not UTF-8" }],
  });
});

test("FORGE-30: a search that is given up ends, and so does its engine", async () => {
  const folder = scratch({ "a.txt": "x" });
  const controller = new AbortController();
  const running = createGrep({ working_dir: folder.base }).execute(
    { pattern: "x" },
    { abortSignal: controller.signal },
  );
  controller.abort();

  expect(await running).toMatchObject({ error: "Request was cancelled" });
});

test("a search that takes too long is ended, and says what to do", async () => {
  const lines = `${"ab".repeat(4_000_000)}\n`;
  const folder = scratch(Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}.txt`, lines])));
  const slow = { pattern: "(a|b|ab|ba){50}.{0,200}c", "-i": true };

  expect(await grep(folder, slow, { grep: { timeout: 0.001 } })).toMatchObject({
    error: "Search timed out. Try narrowing your search or using more specific patterns.",
    code: "SEARCH_TIMED_OUT",
  });
});

test("a search that finds nothing says what it looked at, and what it passed over", async () => {
  const folder = scratch({
    "a.txt": "alpha\n",
    "b.bin": Buffer.from("needle\0\n"),
    "big.log": "needle".padEnd(3000, "."),
    "node_modules/m.js": "needle\n",
    "ignored.txt": "needle\n",
    ".ignore": "ignored.txt\n",
  });

  const passedOver = [
    { what: "files of more than 1000 bytes", amount: "1 file", how: "grep with path big.log" },
    { what: "binary files", amount: "1 file", how: "bash: grep -a b.bin" },
    {
      what: "ignored files",
      amount: "1 file and 1 folder",
      why: "ignore files or exclusions name ignored.txt, node_modules",
      how: "the same call with include_ignored: true",
    },
  ];
  const settings = { grep: { max_file_size: 1000 } };

  expect(await grep(folder, { pattern: "needle$" }, settings)).toMatchObject({
    data: { total_matches: 0, files_searched: 2 },
    omitted: passedOver,
  });
  const found = await grep(folder, { pattern: "alpha" }, settings);
  expect(found).toMatchObject({ data: { files: ["a.txt"] }, omitted: passedOver });
  expect(found.data).not.toHaveProperty("files_searched");
});

test.each([
  [String.raw`a\nb`, 1],
  [String.raw`a\n+b`, 1],
  [String.raw`a[^\n]b`, 0],
  [String.raw`a\\nb`, 0],
])("with multiline %s finds %i lines that end with CRLF", async (pattern, count) => {
  const folder = scratch({ "a.txt": "a\r\nb\r\n" });

  expect((await grep(folder, { pattern, multiline: true })).data).toMatchObject({ total_matches: count });
});

test("of many ignored files, the first two hundred are counted", async () => {
  const many = Array.from({ length: 210 }, (_, at) => [`m${at}.js`, "x\n"] as const);
  const folder = scratch({ "a.txt": "alpha\n", ".ignore": "*.js\n", ...Object.fromEntries(many) });

  expect((await grep(folder, { pattern: "alpha" })).omitted).toMatchObject([
    { what: "ignored files", amount: "at least 200 files" },
  ]);
});

test("a page that is full says how many results follow", async () => {
  const folder = scratch({ "a.txt": "x\nx\nx\n" });
  const page = { pattern: "x", output_mode: "content", head_limit: 1 };

  expect((await grep(folder, page)).omitted).toMatchObject([
    { what: "more results", amount: "2 results", how: "the same call with offset: 1" },
  ]);
});

test("a file that the call names is searched, however large it is", async () => {
  const folder = scratch({ "big.log": `${"x".repeat(3000)}\nneedle\n` });
  const settings = { grep: { max_file_size: 1000 } };

  expect((await grep(folder, { pattern: "needle", path: "big.log" }, settings)).data).toMatchObject({
    total_matches: 1,
  });
});

test("a Latin-1 file is found as read_file shows it, and no part of a character of UTF-8 is", async () => {
  const folder = scratch({
    "latin1.txt": Buffer.from("caf\u00e9\n", "latin1"),
    "utf8.txt": "caf\u00e9\n",
    // Its second character begins with the byte of an é in Latin-1.
    "other.txt": "caf\u9020\n",
  });

  expect((await grep(folder, { pattern: "caf\u00e9", output_mode: "content" })).data).toMatchObject({
    results: [
      { file: "latin1.txt", content: "caf\u00e9" },
      { file: "utf8.txt", content: "caf\u00e9" },
    ],
  });
});

test("a list of globs finds the files of each", async () => {
  const folder = scratch({ "a.ts": "hit\n", "b.tsx": "hit\n", "c.js": "hit\n", "d.test.ts": "hit\n" });

  expect((await grep(folder, { pattern: "hit", glob: "*.ts,*.tsx,!*.test.ts" })).data).toMatchObject({
    files: ["a.ts", "b.tsx"],
  });
});

test("a glob that is an existing path is that path, whatever its signs mean elsewhere", async () => {
  const folder = scratch({ "app/[slug]/page.tsx": "hit\n", "app/s/page.tsx": "hit\n" });

  expect((await grep(folder, { pattern: "hit", glob: "app/[slug]/page.tsx" })).data).toMatchObject({
    files: ["app/[slug]/page.tsx"],
  });
});

test("a search with results walks the folder once", async () => {
  const folder = scratch({ "a.txt": "hit\n", "b.bin": Buffer.from("hit\0"), "node_modules/m.js": "hit\n" });
  const searcher = openSearcher({ working_dir: folder.base });
  let runs = 0;
  const add = (pid: number) => {
    runs += 1;
    searcher.guard.add(pid);
  };
  const counted = { settings: searcher.settings, files: searcher.files, guard: { ...searcher.guard, add } };

  expect((await grepIn(counted).execute({ pattern: "hit" })).omitted).toHaveLength(2);
  expect(runs).toBe(1);
});
