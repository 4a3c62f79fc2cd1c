import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addLine } from "../src/add-line.ts";

test.each<[string, string, string]>([
  ["nothing", "", "new\n"],
  ["whole lines", "one\ntwo\n", "one\ntwo\nnew\n"],
  ["a half line", "one\ntw", "one\nnew\n"],
  ["half a line alone", "on", "new\n"],
  ["an empty last line", "one\n\n", "one\n\nnew\n"],
  ["a long half line", `one\n${"x".repeat(10_000)}`, "one\nnew\n"],
  ["a half line of exactly one block", `one\n${"x".repeat(4_096)}`, "one\nnew\n"],
  [
    "a line end that begins a block",
    `${"y".repeat(4_095)}\n${"x".repeat(4_096)}`,
    `${"y".repeat(4_095)}\nnew\n`,
  ],
])("a line is added to a file with %s", async (_, before, after) => {
  const folder = await emptyFolder();
  const file = join(folder, "lines");
  await writeFile(file, before);

  addLine(file, "new");

  expect(await readFile(file, "utf8")).toBe(after);
});

test("a new file is for its owner alone, and a folder is no file", async () => {
  const folder = await emptyFolder();
  const file = join(folder, "lines");

  addLine(file, "one");

  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(() => addLine(folder, "one")).toThrow("EISDIR");
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tape-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
