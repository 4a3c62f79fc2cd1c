import { win32 } from "node:path";
import { expect, test } from "vitest";
import { prepareRules, type PathSystem } from "../src/rules.ts";
import { requireFilePath } from "../src/place.ts";

/** Windows with one drive that holds these folders, each spelled as the disk spells it. */
function windowsWith(folders: readonly string[]): PathSystem {
  return {
    path: win32,
    realpath(path) {
      const found = folders.find((folder) => folder.toLowerCase() === path.toLowerCase());
      if (found === undefined) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
      return found;
    },
    exists: (path) => folders.some((folder) => folder.toLowerCase() === path.toLowerCase()),
  };
}

const system = windowsWith(["C:\\", "C:\\Work", "C:\\Work\\Secret", "D:\\"]);

const rules = prepareRules(
  {
    workingDir: "c:\\work",
    read: ["c:\\work"],
    write: ["c:\\work"],
    deniedRead: ["c:\\work\\secret"],
    deniedWrite: ["**/.git", "c:\\work\\plan.yaml"],
  },
  system,
);

test.each([
  ["C:\\Work\\notes.txt", null],
  ["C:\\Work", null],
  ["C:\\Work-evil\\notes.txt", "read"],
  ["C:\\", "read"],
  ["D:\\Work\\notes.txt", "read"],
  ["C:\\Work\\Secret\\key.txt", "denied"],
  ["C:\\Work\\SECRET\\key.txt", "denied"],
] as const)("on Windows, reading %s: %s", (real, reason) => {
  expect(rules.objection(real, "read")).toBe(reason);
});

test.each([
  ["C:\\Work\\.git\\config", "denied"],
  ["C:\\Work\\sub\\.GIT\\hooks\\pre-commit", "denied"],
  ["C:\\Work\\PLAN.YAML", "denied"],
  ["C:\\Work\\plan.yaml.txt", null],
] as const)("on Windows, writing %s: %s", (real, reason) => {
  expect(rules.objection(real, "write")).toBe(reason);
});

test("on Windows, a path of another drive cannot lead inside, and a drive's letter has no case", () => {
  expect(rules.mayLeadInside("c:\\WORK\\a.txt", "read")).toBe(true);
  expect(rules.mayLeadInside("d:\\work\\a.txt", "read")).toBe(false);
  expect(rules.holdsRoot("C:\\work")).toBe(true);
});

test("on Windows, a root must have a drive", () => {
  const roots = { workingDir: "work", read: [], write: [] };
  expect(() => prepareRules(roots, system)).toThrow(new RangeError('root "work" is not absolute'));
});

test("a path that ends with a slash names a folder; a backslash does so only on Windows", () => {
  expect(() => requireFilePath({ given: "a/" }, "linux")).toThrow("Not a directory");
  expect(() => requireFilePath({ given: "a\\" }, "linux")).not.toThrow();
  expect(() => requireFilePath({ given: "a\\" }, "win32")).toThrow("Not a directory");
});
