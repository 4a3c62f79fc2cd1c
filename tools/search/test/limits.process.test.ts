import { createGlob, createGrep } from "@toolmount/tool-search";
import { expect, test } from "vitest";
import { scratch } from "./scratch.ts";

test("of more than 100000 matching lines a search keeps the first, and says that it was stopped", async () => {
  const { base } = scratch({
    "a.txt": "x\n".repeat(100_000),
    "b.txt": "y\n",
    "c.txt": "z\n".repeat(100_001),
  });
  const grep = createGrep({ working_dir: base });
  const count = (pattern: string) => grep.execute({ pattern, output_mode: "count" });

  expect(await count("y")).not.toHaveProperty("warnings");
  for (const [pattern, file] of [
    ["x", "a.txt"],
    ["z", "c.txt"],
  ] as const)
    expect(await count(pattern)).toMatchObject({
      data: { total_matches: 100_000, counts: { [file]: 100_000 } },
      omitted: [{ what: "the rest of the search", amount: "all after 1 files" }],
    });
});

test("a matching line of more than 8 MB is not looked at, and that is reported", async () => {
  const { base } = scratch({ "a.txt": `needle${"x".repeat(8_400_000)}\nneedle\n` });
  const grep = createGrep({ working_dir: base });

  expect(await grep.execute({ pattern: "needle", output_mode: "content" })).toMatchObject({
    data: { total_matches: 1, results: [{ line_number: 2, content: "needle" }] },
    omitted: [{ what: "matching lines", amount: "1 lines", why: "they are too long to be looked at" }],
  });
});

test("a grep ends its page before the result with which it would be too large", async () => {
  const { base } = scratch({ "a.txt": `${"needle".padEnd(459, ".")}\n`.repeat(3) });
  const item = JSON.stringify({ file: "a.txt", line_number: 1, content: "needle".padEnd(459, ".") });
  const find = async (bytes: number) => {
    const grep = createGrep({ working_dir: base, max_output_bytes: bytes });
    return (await grep.execute({ pattern: "needle", output_mode: "content" })).data;
  };

  expect(await find(2 * item.length)).toMatchObject({
    matches_count: 2,
    results_capped: true,
    next_offset: 2,
  });
  expect(await find(2 * item.length - 1)).toMatchObject({ matches_count: 1, next_offset: 1 });
});

test("a grep shows one result, however large it is", async () => {
  const { base } = scratch({ "a.txt": `${"needle".padEnd(1500, ".")}\n`.repeat(2) });
  const grep = createGrep({ working_dir: base, max_output_bytes: 1000 });

  expect((await grep.execute({ pattern: "needle", output_mode: "content" })).data).toMatchObject({
    matches_count: 1,
    next_offset: 1,
  });
});

test("a glob ends its list before the path with which it would be too large", async () => {
  const names = Array.from({ length: 30 }, (_, n) => `${String(n).padStart(20, "0")}.txt`);
  const { base } = scratch(Object.fromEntries(names.map((name) => [name, ""])));
  const item = JSON.stringify({ path: names[0], type: "file", size: 0 });
  const find = async (bytes: number) =>
    (await createGlob({ working_dir: base, max_output_bytes: bytes }).execute({ pattern: "*" })).data;

  expect(await find(20 * item.length)).toMatchObject({ count: 20, total_files: 30, results_capped: true });
  expect(await find(20 * item.length - 1)).toMatchObject({ count: 19 });
  expect(await find(30 * item.length)).not.toHaveProperty("results_capped");
});

test("a search shows 200 files, 500 lines or 200 counts by default", async () => {
  const files = Array.from({ length: 201 }, (_, n) => [`${n}.txt`, "x\nx\nx\n"]);
  const { base } = scratch(Object.fromEntries(files) as Record<string, string>);
  const grep = createGrep({ working_dir: base });
  const find = async (output_mode: string) => (await grep.execute({ pattern: "x", output_mode })).data;

  expect(await find("files_with_matches")).toMatchObject({ total_matches: 201, next_offset: 200 });
  expect(await find("content")).toMatchObject({ total_matches: 603, next_offset: 500 });
  expect(await find("count")).toMatchObject({ total_matches: 603, matches_count: 600, next_offset: 200 });
});

test("a glob shows 500 paths by default", async () => {
  const { base } = scratch(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`${n}`, ""])));

  expect((await createGlob({ working_dir: base }).execute({ pattern: "*" })).data).toMatchObject({
    count: 500,
    total_files: 501,
  });
});

const skipped =
  "node_modules .venv venv .git __pycache__ .mypy_cache .pytest_cache .tox dist build .next .nuxt target vendor .gradle .idea .vscode coverage .nyc_output";

test.each(skipped.split(" "))(
  "a folder named %s is skipped unless a call includes what is ignored",
  async (name) => {
    const { base } = scratch({
      [`${name}/x.txt`]: "needle",
      [`src/${name}/x.txt`]: "needle",
      "x.txt": "needle",
    });
    const [grep, glob] = [createGrep({ working_dir: base }), createGlob({ working_dir: base })];

    for (const include_ignored of [false, true]) {
      const total = include_ignored ? 3 : 1;
      expect((await grep.execute({ pattern: "needle", include_ignored })).data).toMatchObject({
        total_matches: total,
      });
      expect((await glob.execute({ pattern: "**", include_ignored })).data).toMatchObject({
        total_files: total,
      });
    }
  },
);

const types = {
  "a.cs": "c# cs csharp",
  "a.cpp": "c++ cpp",
  "a.go": "golang go",
  "a.js": "javascript jsx js",
  "a.kt": "kt kotlin",
  "a.md": "markdown md",
  "a.py": "py3 python3 py",
  "a.rb": "rb ruby",
  "a.rs": "rs rust",
  "a.sh": "shell sh",
  "a.ts": "tsx typescript ts",
  "a.yaml": "yml yaml",
};
const namedTypes = Object.entries(types).flatMap(([file, names]) =>
  names.split(" ").map((name) => [name, file] as const),
);

test.each(namedTypes)("the type %s means files like %s", async (type, file) => {
  const { base } = scratch(Object.fromEntries(Object.keys(types).map((name) => [name, "x"])));

  expect((await createGrep({ working_dir: base }).execute({ pattern: "x", type })).data).toMatchObject({
    files: [file],
  });
});

test("an unknown type is refused with the other names that a search knows", async () => {
  const { base } = scratch({ "a.txt": "x" });
  const { error = "" } = await createGrep({ working_dir: base }).execute({ pattern: "x", type: "nonsense" });

  expect(error).toMatch(
    /^Unrecognized file type: 'nonsense'\. Valid types: ada, agda, .*, zstd\. Also accepts aliases: /,
  );
  expect(error.split("aliases: ")[1]).toBe(
    "c#, c++, cs, golang, javascript, jsx, kt, markdown, py3, python3, rb, rs, shell, tsx, typescript, yml",
  );
});

test("a glob shows one path, however long it is", async () => {
  const folder = Array.from({ length: 6 }, (_, n) => `${n}`.padEnd(200, "-")).join("/");
  const { base } = scratch({ [`${folder}/a.txt`]: "", [`${folder}/b.txt`]: "" });
  const glob = createGlob({ working_dir: base, max_output_bytes: 1000 });

  expect((await glob.execute({ pattern: "**/*.txt" })).data).toMatchObject({ count: 1, total_files: 2 });
});

test("lines after a match of several lines, with an empty one between, have their own numbers", async () => {
  const { base } = scratch({ "a.txt": "one\n\n\ntwo\nthree\nfour\n" });
  const grep = createGrep({ working_dir: base });
  const given = { pattern: "one\\s+two", multiline: true, output_mode: "content", "-A": 1 } as const;

  expect((await grep.execute(given)).data).toMatchObject({
    results: [{ line_number: 1, content: "one\n\n\ntwo", context: [{ line_number: 5, content: "three" }] }],
  });
});
