import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { repositoryAround, renderInit, runIn } from "../../src/scaffold/init-files.ts";
import { libraries, readRanges } from "../../src/scaffold/ranges.ts";
import { renderTemplates } from "../../src/scaffold/templates.ts";
import { writeFiles } from "../../src/scaffold/write-files.ts";
import { workspace } from "../support/workspace.ts";

const schemaLine =
  "# yaml-language-server: $schema=./node_modules/toolmount/schema/mount-plan.schema.json\nversion: 1\n";
const wordsEntry = "  - module: ./tools/count-words.ts\n";
const filesEntry = "  - module: filesystem\n    config: { allowed_read_paths: [.] }\n";
const workEntries = "  - module: bash\n  - module: filesystem\n  - module: search\n";
const wordsTest =
  "tests:\n  - call: { count_words: { text: one two three } }\n    expect: { answer: allow }\n";

test.each([
  ["nothing", false, false, "no", "tools: []\n"],
  ["a first tool", true, false, "no", `tools:\n${wordsEntry}${wordsTest}`],
  ["the file tools", false, true, "no", `tools:\n${filesEntry}`],
  ["both", true, true, "no", `tools:\n${wordsEntry}${filesEntry}${wordsTest}`],
  ["work in a layer", false, true, "layer", `layer: ./\ntools:\n${workEntries}`],
  ["work that asks", false, true, "asking", `tools:\n${workEntries}`],
] as const)("a new plan with %s has its files, whole", async (_, firstTool, files, work, tools) => {
  const made = await renderInit({ name: 'Ada "A" & co', firstTool, files, work });
  expect(Object.keys(made).toSorted()).toEqual([
    ".github/workflows/toolmount.yml",
    ".gitignore",
    "mount-plan.yaml",
    "package.json",
    ...(firstTool ? ["tools/count-words.test.ts", "tools/count-words.ts"] : []),
    "tsconfig.json",
  ]);
  expect(made["mount-plan.yaml"]).toBe(`${schemaLine}name: "Ada \\"A\\" & co"\n${tools}`);
  expect(JSON.parse(made["package.json"]!)).toEqual({
    name: "ada-a-co",
    private: true,
    type: "module",
    scripts: {
      check: "toolmount check",
      test: firstTool ? "toolmount test && node --test tools/*.test.ts" : "toolmount test",
    },
    dependencies: {
      "@toolmount/core": expect.stringMatching(/^(\*|\^\d)/),
      ...(work !== "no" && { "@toolmount/tool-bash": "*", "@toolmount/tool-search": "*" }),
      ...(files && { "@toolmount/tool-filesystem": "*" }),
      toolmount: expect.stringMatching(/^(\*|\^\d)/),
      zod: libraries["zod"],
    },
    engines: { node: ">=22.19" },
  });
  expect(made[".gitignore"]).toBe("node_modules/\n.toolmount/\n.env\n");
});

test.each([
  ["my own", "my-own"],
  ["--a b--", "a-b"],
  ["._x", "x"],
  ["A.b_c~d-9", "a.b_c~d-9"],
  ["é", "my-tools"],
  ["node_modules", "my-tools"],
  ["x".repeat(201), "x".repeat(200)],
])("the plan %j is the package %j", async (name, packageName) => {
  const made = await renderInit({ name, firstTool: false, files: false, work: "no" });
  expect((JSON.parse(made["package.json"]!) as { name: string }).name).toBe(packageName);
});

test("from its sources, the command takes any version of its own packages, and its ranges of libraries", async () => {
  const ranges = await readRanges();
  expect(ranges).toMatchObject({ toolmount: expect.any(String), "@toolmount/core": expect.any(String) });
  const own = Object.entries(ranges).filter(([name]) => !(name in libraries));
  expect(own.every(([, range]) => range === "*" || /^[\^~]?\d/.test(range))).toBe(true);
  expect(ranges).toMatchObject(libraries);
});

test("a folder is in a repository where it, or one above it, has .git", async () => {
  const { folder, write } = await workspace({ "a/b/c.txt": "" });
  expect(repositoryAround(join(folder, "a/b"))).toBe(undefined);
  await write("a/.git", "gitdir: elsewhere\n");
  expect([join(folder, "a/b"), join(folder, "a"), folder].map(repositoryAround)).toEqual([
    join(folder, "a"),
    join(folder, "a"),
    undefined,
  ]);
});

test.each([
  ["true", true],
  ["false", false],
  ["a-program-that-is-not-there", false],
])("the program %s ends well: %s", async (program, isGood) => {
  const { folder } = await workspace({});
  expect(await runIn(folder, [program], { PATH: process.env["PATH"] })).toBe(isGood);
});

test("a program runs in the folder with the words and the variables that it is given", async () => {
  const { folder } = await workspace({});
  const words = ["sh", "-c", 'test "$(basename "$PWD")" = "$0" && test "$GIVEN" = yes'];
  const run = (name: string, env: object) =>
    runIn(folder, [...words, name], { PATH: process.env["PATH"], ...env });
  const name = basename(folder);
  expect([
    await run(name, { GIVEN: "yes" }),
    await run(name, {}),
    await run("other", { GIVEN: "yes" }),
  ]).toEqual([true, false, false]);
});

test("a template that needs a value says which", async () => {
  await expect(renderTemplates("init", { name: "a" })).rejects.toThrow(
    /^a template has __[\w:@/-]+__, which has no value$/,
  );
});

test("new files never replace others", async () => {
  const { folder } = await workspace({});
  await writeFiles(folder, { "a/b.txt": "one" });
  await expect(writeFiles(folder, { "a/c.txt": "two", "a/b.txt": "three" })).rejects.toMatchObject({
    code: "EEXIST",
  });
});
