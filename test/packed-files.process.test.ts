import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { exec } from "./support/exec.ts";
import { importsNotInstalled } from "./support/declared-imports.ts";
import { packedFiles, publishedFolders, withoutSources } from "./support/packed-files.ts";

const root = join(import.meta.dirname, "..");
const list = join(import.meta.dirname, "packed-files.txt");
const isWriting = process.env["TOOLMOUNT_WRITE"] === "1";

let packed: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  if (process.env["TOOLMOUNT_TEST_BUILT"] !== "1")
    await exec("turbo", ["run", "build", "--output-logs=errors-only"], { cwd: root });
  packed = new Map(
    await Promise.all(
      (await publishedFolders()).map(async (folder) => [folder, await packedFiles(folder)] as const),
    ),
  );
});

test("each package contains exactly the files of test/packed-files.txt, and its sources (TOOLMOUNT_WRITE=1 writes the list)", async () => {
  const lines = [...packed].flatMap(([folder, files]) => [
    folder,
    ...withoutSources(folder, files).map((file) => `  ${file}`),
  ]);
  const text = `${lines.join("\n")}\n`;
  if (isWriting) await writeFile(list, text);

  expect(text).toBe(await readFile(list, "utf8"));
});

test("no package contains a test, a note of the compiler, a file with settings or a secret", () => {
  // The template of a new tool's test is no test of ours.
  const unwanted =
    /^(?!templates\/)(?:.*\/)?(?:test|tests|node_modules|\.[^/]+)(?:\/|$)|\.(?:test\.tsx?|tsbuildinfo|env|pem|key)$/;

  expect([...packed].flatMap(([, files]) => files.filter((file) => unwanted.test(file)))).toEqual([]);
});

test("each package contains its manifest, its licence and its README", () => {
  for (const [folder, files] of packed)
    expect([folder, files.filter((file) => /^(?:LICENSE|README\.md|package\.json)$/.test(file))]).toEqual([
      folder,
      ["LICENSE", "README.md", "package.json"],
    ]);
});

test("the declarations of a package import only what is installed with it", () => {
  expect([...packed.keys()].flatMap((folder) => importsNotInstalled(join(root, folder)))).toEqual([]);
});
