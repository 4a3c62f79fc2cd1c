import { expect, test } from "vitest";
import { coveredBy, keptOf, partsIn, sumOf, treeOf, type Node } from "../dist/ui/layer/tree.js";
import type { LayerChange } from "../dist/ui/shapes.js";

const change = (path: string, section: LayerChange["section"] = "files"): LayerChange => ({
  path,
  section,
  change: "change",
  kind: "file",
  bytes: 1,
  mode: null,
  moved: null,
  lines: { added: 2, removed: 1 },
});

/** Names with what is in them, as one text. */
const drawn = (nodes: readonly Node[]): string =>
  nodes.map(({ name, children }) => (children.length === 0 ? name : `${name}(${drawn(children)})`)).join(" ");

test("folders with one folder in them are one line, and a folder knows all paths in it", () => {
  const tree = treeOf(["a", "b", "b/c", "src/deep/x", "src/deep/y", "top/z"].map((path) => change(path)));
  expect(drawn(tree)).toBe("a b(c) src/deep(x y) top(z)");
  expect(tree.map(({ paths }) => paths)).toEqual([
    ["a"],
    ["b", "b/c"],
    ["src/deep/x", "src/deep/y"],
    ["top/z"],
  ]);
});

test("a section that needs a yes of its own is covered only with it, also where its entries are chosen", () => {
  const all = [change("a"), change("b", "deletions"), change("c", "obeyed"), change("d", "repository")];
  const covered = (yes: readonly string[], chosen?: readonly string[]) =>
    coveredBy(all, new Set(yes), chosen && new Set(chosen)).map(({ path }) => path);
  expect(covered([])).toEqual(["a", "d"]);
  expect(covered(["deletions", "obeyed"])).toEqual(["a", "b", "c", "d"]);
  expect(covered(["obeyed"], ["b", "c"])).toEqual(["c"]);
});

test("the sum of lines says how many files were not counted", () => {
  const all = [
    change("a"),
    { ...change("b"), lines: null },
    change("c", "repository"),
    change("d", "deletions"),
  ];
  const folder = { ...change("e", "deletions"), kind: "folder", change: "delete", lines: null } as const;
  expect(sumOf([...all, folder])).toEqual({ added: 4, removed: 2, uncounted: 2 });
});

test("parts that are left out are named, and a file without any part is not kept", () => {
  expect(partsIn(" a\n-b\n@@ line 9 @@\n+c\n@@ line 20 @@\n-d")).toEqual([
    " a\n-b",
    "@@ line 9 @@\n+c",
    "@@ line 20 @@\n-d",
  ]);
  expect(partsIn("")).toEqual([]);
  const parts = new Map([
    ["a", [true, false, true]],
    ["b", [false, false]],
    ["c", [true, true]],
  ]);
  expect(
    keptOf(
      ["a", "b", "c", "d"].map((path) => change(path)),
      parts,
    ),
  ).toEqual({
    paths: ["a", "c", "d"],
    parts: { a: [0, 2] },
  });
});
