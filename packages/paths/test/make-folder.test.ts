import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder } from "../src/index.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-make-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("missing folders are created with the permissions, and existing ones stay as they are", () => {
  const folder = emptyFolder();
  const before = statSync(folder).mode;
  makeFolder(join(folder, "a/b/c"), 0o700);
  makeFolder(join(folder, "a/b/c"));

  expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, "a/b/c")).mode & 0o777).toBe(0o700);
  expect(statSync(folder).mode).toBe(before);
});

test("a link to a folder is a folder, and a file in the way is an error and stays", () => {
  const folder = emptyFolder();
  symlinkSync(folder, join(folder, "link"));
  writeFileSync(join(folder, "file"), "text");
  makeFolder(join(folder, "link/below"));

  expect(statSync(join(folder, "below")).isDirectory()).toBe(true);
  expect(() => makeFolder(join(folder, "file"))).toThrow("EEXIST");
  expect(() => makeFolder(join(folder, "file/below"))).toThrow("EEXIST");
  expect(readFileSync(join(folder, "file"), "utf8")).toBe("text");
});

test("git ignores what is in a folder .toolmount, also if a person made it, and a .gitignore that is there stays", () => {
  const folder = emptyFolder();
  const ignored = () => readFileSync(join(folder, ".toolmount/.gitignore"), "utf8");
  mkdirSync(join(folder, ".toolmount"));
  makeFolder(join(folder, ".toolmount/layers/one/.toolmount"), 0o700);
  expect(ignored()).toBe("*\n");
  expect(readdirSync(join(folder, ".toolmount/layers/one/.toolmount"))).toEqual([]);

  writeFileSync(join(folder, ".toolmount/.gitignore"), "*.db\n");
  makeFolder(join(folder, ".toolmount"));
  expect(ignored()).toBe("*.db\n");
});

test.runIf(process.platform === "linux")(
  "a folder below /proc is refused, where Node's own recursive mkdir never ends",
  () => {
    expect(() => makeFolder("/proc/no-such-folder/below")).toThrow(/ENOENT|EACCES|EPERM/);
  },
);
