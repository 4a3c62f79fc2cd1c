import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codeFolders, secretsBeside } from "../src/border/code-folders.ts";

/** A folder with these files; a path that ends with `@` is a link to the path after `->`. */
function folder(...entries: string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-code-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const entry of entries) {
    const [path, target] = entry.split(" -> ") as [string, string | undefined];
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (target === undefined) writeFileSync(join(root, path), "{}");
    else symlinkSync(join(root, target), join(root, path));
  }
  const of = (...files: string[]) => {
    const found = codeFolders(files.map((file) => join(root, file)));
    return found
      .filter((one) => one.startsWith(root))
      .map((one) => one.slice(root.length + 1))
      .toSorted();
  };
  return { root, of };
}

test("the code of a file is its package, and the packages that are beside and above it", () => {
  const { of } = folder("a/package.json", "a/src/deep/index.js", "node_modules/zod/index.js", "other/x.js");
  expect(of("a/src/deep/index.js")).toEqual(["a", "node_modules"]);
});

test("a file without a package has its own folder", () => {
  expect(folder("a/b/index.js").of("a/b/index.js")).toEqual(["a/b"]);
});

test("a link among the packages leads to the package of its target, and to what that imports", () => {
  const { of } = folder(
    "app/package.json",
    "app/index.js",
    "app/node_modules/lib -> store/lib/src",
    "app/node_modules/@own/tool -> store/tool",
    "app/node_modules/gone -> store/gone",
    "store/lib/package.json",
    "store/lib/src/index.js",
    "store/lib/node_modules/more -> far/more",
    "store/tool/package.json",
    "far/more/package.json",
  );
  expect(of("app/index.js")).toEqual(["app", "far/more", "store/lib", "store/tool"]);
});

test("a package inside another one is part of it, and several files have each folder once", () => {
  const { of } = folder(
    "app/package.json",
    "app/a.js",
    "app/parts/b/package.json",
    "app/parts/b/c.js",
    "d/e.js",
  );
  expect(of("app/a.js", "app/parts/b/c.js", "d/e.js", "d/e.js")).toEqual(["app", "d"]);
});

test("files beside code that are no code are those with secrets", () => {
  const { root } = folder(
    ".git/config",
    ".toolmount/key",
    ".env",
    ".env.local",
    "env.js",
    "src/.env",
    "index.js",
  );
  expect(
    secretsBeside([root, join(root, "gone")])
      .map((path) => path.slice(root.length + 1))
      .toSorted(),
  ).toEqual([".env", ".env.local", ".git", ".toolmount"]);
});
